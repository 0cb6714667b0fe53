package import ByteIO
internal import Streaming

/// Requests to a server that speaks OpenSubsonic, or the older interface of Subsonic: addresses with all that opens
/// them (opensubsonic.netlify.app/docs/api-reference). Pure.
package enum SubsonicRequest {
  /// The newest version, and the oldest one that has all that is asked for.
  package static let (newestVersion, oldestVersion) = ("1.16.1", "1.10.0")

  /// The address of a method, such as `getAlbum`.
  package static func address(
    _ method: String, _ fields: [(String, String)] = [], of account: ServerAccount
  ) -> WebAddress {
    var address = account.address.appending(path: "/rest/\(method).view")
    let proof: [(String, String)] =
      switch account.secret {
      case .token(let token, let salt): [("u", account.user), ("t", token), ("s", salt)]
      case .password(let password):
        [("u", account.user), ("p", "enc:" + password.utf8.map(\.hexDigits).joined())]
      case .apiKey(let key): [("apiKey", key)]
      }
    address.query = WebAddress.query(proof + [("v", account.version), ("c", "segue"), ("f", "json")] + fields)
    return address
  }

  /// The address of the bytes of a track, as the server keeps them.
  package static func sound(ofTrack id: String, of account: ServerAccount) -> WebAddress {
    address("stream", [("id", id), ("format", "raw")], of: account)
  }

  /// The address of the cover of a track, of about that many pixels.
  package static func cover(ofTrack id: String, side: Int, of account: ServerAccount) -> WebAddress {
    address("getCoverArt", [("id", id), ("size", String(side))], of: account)
  }

  /// A page of all albums, those first that came last.
  static func albums(from offset: Int, of account: ServerAccount) -> WebAddress {
    address("getAlbumList2", [("type", "newest"), ("size", "500"), ("offset", String(offset))], of: account)
  }

  static func album(_ id: String, of account: ServerAccount) -> WebAddress {
    address("getAlbum", [("id", id)], of: account)
  }

  /// The secret that is kept of a password; `nil` if libcrypto is missing.
  static func token(of password: String, salt: String) -> ServerAccount.Secret? {
    Libcrypto.md5(Array((password + salt).utf8)).map { .token($0, salt: salt) }
  }
}

extension UInt8 {
  fileprivate var hexDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
