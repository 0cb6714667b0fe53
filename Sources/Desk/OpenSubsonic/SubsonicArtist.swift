internal import ByteIO
internal import Library
internal import Streaming

/// The artist of a track on a server that speaks OpenSubsonic.
struct SubsonicArtist: SubsonicPart {
  let account: ServerAccount
  let ask: SubsonicLogin.Ask

  /// The place of the picture of an artist.
  enum Picture: Sendable, Hashable {
    /// With the server, by the ID of a cover.
    case cover(String)
    /// Somewhere on the network.
    case address(WebAddress)
  }

  /// `nil` if the server knows none. An address with what opens the server is none: it would be kept in the cache, and
  /// may lead elsewhere.
  func picture(ofTrack id: String) throws(ServerFailure) -> Picture? {
    guard let artist = try artist(ofTrack: id) else { return nil }
    for method in ["getArtist", "getArtistInfo2"] {
      do throws(ServerFailure) {
        switch try answer(method, [("id", artist)]).artistPicture {
        case .address(let address)? where !secrets.contains(where: { address.text.contains($0) }):
          return .address(address)
        case .cover(let id)?: return .cover(id)
        default: break
        }
      } catch {
        // Not every server has both.
        guard error.isRefusal || error.status == 404 else { throw error }
      }
    }
    return nil
  }

  /// Password, token or key, as they may be written in an address.
  private var secrets: [String] {
    switch account.secret {
    case .token(let token, _): [token]
    case .password(let password): [WebAddress.encoded(password), password.utf8.map(\.hexDigits).joined()]
    case .apiKey(let key): [WebAddress.encoded(key)]
    }
  }
}
