internal import AudioModel
public import ByteIO
internal import Commands
internal import Streaming

/// The problem of a login, and what to do.
public struct LastFMError: Error, Hashable, CustomStringConvertible {
  public var description: String

  public init(description: String) { self.description = description }
}

/// The key of a program and its secret, which a user of Last.fm gets for free.
public struct LastFMKeys: Sendable {
  let key, secret: String

  static let headFields = ["Content-Type: application/x-www-form-urlencoded", "Expect:"]
  static var noDigest: String { Libcrypto.library.complaint }

  /// Reads the file `lastfm` of the folder of settings: lines `key=...` and `secret=...`.
  public init(folder: BytePath) throws(LastFMError) {
    let file = folder.appending(BytePath("lastfm"))
    let bytes: [UInt8]
    do throws(ByteIOError) { bytes = try SmallFile.read(file, isTrusted: false) ?? [] } catch {
      throw LastFMError(description: "\(file): \(error)")
    }
    var values: [Substring: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2 {
        values[parts[0].filter { !$0.isWhitespace }[...]] = parts[1].filter { $0.isASCII && !$0.isWhitespace }
      }
    }
    guard let key = values["key"], let secret = values["secret"] else {
      throw LastFMError(
        description:
          "\(file) needs two lines, key=... and secret=...: https://www.last.fm/api/account/create gives both")
    }
    self.init(key: key, secret: secret)
  }

  init(key: String, secret: String) { (self.key, self.secret) = (key, secret) }

  /// A signed body; `nil` without libcrypto.
  func body(_ fields: [(String, String)]) -> String? {
    let all = fields + [("api_key", key)]
    let sorted = all.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    let text = sorted.map { $0.0 + $0.1 }.joined() + secret
    // `format` is not signed.
    return Libcrypto.md5(Array(text.utf8)).map { WebAddress.query(all + [("api_sig", $0), ("format", "json")]) }
  }
}

/// The login: the listener allows the program once, in a browser (last.fm/api: "Authentication: desktop").
public struct LastFMLogin {
  private let server: WebAddress
  private let keys: LastFMKeys
  private let post: (WebAddress, [String], [UInt8]) throws -> [UInt8]

  public static let standardServer = Settings.lastFMAddress

  /// - Parameter post: Sends a body with lines of the head, and waits for the body of the answer.
  public init(
    server: String, keys: LastFMKeys, post: @escaping (WebAddress, [String], [UInt8]) throws -> [UInt8]
  ) {
    (self.server, self.keys, self.post) = (WebAddress(server), keys, post)
  }

  /// A token, and the address at which the listener allows access with it.
  public func begin() throws -> (token: String, address: String) {
    guard let token = try call("auth.getToken", [])["token"]?.text else {
      throw LastFMError(description: "the server sent no token")
    }
    var page = server.host == WebAddress(Self.standardServer).host ? WebAddress("https://www.last.fm/") : server
    page.path = "/api/auth/"
    page.query = WebAddress.query([("api_key", keys.key), ("token", token)])
    return (token, page.description)
  }

  /// The session of a token that the listener has allowed, and the listener's name.
  public func finish(_ token: String) throws -> (session: String, name: String) {
    let session = try call("auth.getSession", [("token", token)])["session"]
    guard let key = session?["key"]?.text else { throw LastFMError(description: "the server sent no session") }
    return (key, session?["name"]?.text ?? "")
  }

  private func call(_ method: String, _ fields: [(String, String)]) throws -> JSON {
    guard let body = keys.body([("method", method)] + fields) else {
      throw LastFMError(description: LastFMKeys.noDigest)
    }
    let answer = try post(server, LastFMKeys.headFields, Array(body.utf8))
    guard let value = try? JSON(parsing: answer) else {
      throw LastFMError(description: "the answer of \(server) is not from Last.fm")
    }
    if value["error"] != nil { throw LastFMError(description: value["message"]?.text ?? "the server refuses") }
    return value
  }

  /// The file of the session, in the folder of listens.
  public static func sessionFile(_ listens: BytePath) -> BytePath { listens.appending(BytePath("lastfm/session")) }

  /// Keeps a session, readable for its owner only.
  public static func keep(_ session: String, in listens: BytePath) throws(ByteIOError) {
    try SmallFile.write(Array("\(session)\n".utf8), to: sessionFile(listens))
  }
}
