package import ByteIO
internal import Library
internal import Streaming

/// Requests to a server that speaks OpenSubsonic, or the older interface of Subsonic: addresses with all that opens
/// them (opensubsonic.netlify.app/docs/api-reference). Pure.
package enum SubsonicRequest {
  /// The newest version, and the oldest one that has all that is asked for.
  package static let (newestVersion, oldestVersion) = ("1.16.1", "1.10.0")
  /// The bytes of IDs in one address: a web server need not take a longer one, and some take 4094 bytes in all.
  static let fieldsLimit = 3000
  /// The bytes of IDs in one form: web servers take a megabyte.
  static let formLimit = 500_000

  /// A way to send a server many tracks.
  struct Way {
    /// The bytes of IDs in one request.
    var byteLimit = SubsonicRequest.fieldsLimit
    let ask: SubsonicLogin.Ask
  }

  /// The way to send these tracks: by forms if an address is too short for them, and if the server answers a form that
  /// it takes them (the extension `formPost`).
  static func way(
    for tracks: [String], of account: ServerAccount, _ ask: @escaping SubsonicLogin.Ask, _ post: SubsonicLogin.Ask?
  ) -> Way {
    let byteCount = tracks.reduce(0) { $0 + $1.utf8.count + "&songIdToAdd=".utf8.count }
    guard let post, byteCount > fieldsLimit,
      let answer = try? SubsonicAnswer(post(address("getOpenSubsonicExtensions", of: account))),
      answer.extensions.contains("formPost")
    else { return Way(ask: ask) }
    return Way(byteLimit: formLimit, ask: post)
  }

  /// Asks for what not every server knows. A page that is not there (404) may be that of a proxy while the server is
  /// away: only if the server answers something else does it not know the request (501).
  static func checking(_ ask: @escaping SubsonicLogin.Ask, of account: ServerAccount) -> SubsonicLogin.Ask {
    { (address: WebAddress) throws(ServerFailure) -> [UInt8] in
      do throws(ServerFailure) { return try ask(address) } catch {
        guard error.status == 404 else { throw error }
        _ = try SubsonicAnswer(ask(Self.address("ping", of: account)))
        throw ServerFailure("the server does not know this request (404)", status: 501)
      }
    }
  }

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

  /// The facts of a track.
  static func track(_ id: String, of account: ServerAccount) -> WebAddress {
    address("getSong", [("id", id)], of: account)
  }

  /// Notes that a track plays now.
  static func nowPlaying(_ id: String, of account: ServerAccount) -> WebAddress {
    address("scrobble", [("id", id), ("submission", "false")], of: account)
  }

  /// Notes that tracks were played.
  ///
  /// - Parameter plays: The IDs, and when they began: seconds since 1970.
  static func played(_ plays: [(id: String, beganAt: Int64)], of account: ServerAccount) -> WebAddress {
    let fields = plays.flatMap { [("id", $0.id), ("time", String($0.beganAt) + "000")] }
    return address("scrobble", fields + [("submission", "true")], of: account)
  }

  /// Rates a track from 1 to 5; 0 removes the rating.
  static func rate(_ id: String, _ rating: Int, of account: ServerAccount) -> WebAddress {
    address("setRating", [("id", id), ("rating", String(rating))], of: account)
  }

  /// Loves a track, or removes that.
  static func love(_ id: String, _ isLoved: Bool, of account: ServerAccount) -> WebAddress {
    address(isLoved ? "star" : "unstar", [("id", id)], of: account)
  }

  /// Sends what the listener has changed of a track. Returns the track as it is then; `nil` if the server does not say.
  static func tell(
    _ change: ServerRatings.Change, ofTrack id: String, of account: ServerAccount, _ ask: SubsonicLogin.Ask
  ) throws(ServerFailure) -> ServerTrack? {
    let requests = [
      change.rating.map { rate(id, $0, of: account) }, change.isLoved.map { love(id, $0, of: account) },
    ]
    var refusal: ServerFailure?
    for request in requests.compactMap(\.self) {
      // One that is refused does not keep the other one back.
      do throws(ServerFailure) { _ = try SubsonicAnswer(ask(request)) } catch {
        guard error.isRefusal else { throw error }
        refusal = error
      }
    }
    if let refusal { throw refusal }
    return (try? SubsonicAnswer(ask(track(id, of: account))))?.track
  }

  /// A page of all albums, those first that came last.
  static func albums(from offset: Int, folder: String? = nil, of account: ServerAccount) -> WebAddress {
    let fields = [("type", "newest"), ("size", "500"), ("offset", String(offset))]
    return address("getAlbumList2", fields + (folder.map { [("musicFolderId", $0)] } ?? []), of: account)
  }

  static func album(_ id: String, of account: ServerAccount) -> WebAddress {
    address("getAlbum", [("id", id)], of: account)
  }

  /// The secret that is kept of a password; `nil` if libcrypto is missing.
  static func token(of password: String, salt: String) -> ServerAccount.Secret? {
    Libcrypto.md5(Array((password + salt).utf8)).map { .token($0, salt: salt) }
  }
}
