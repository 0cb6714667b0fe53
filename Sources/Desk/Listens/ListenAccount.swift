internal import AudioModel
package import ByteIO
package import Commands
internal import Playback
internal import Streaming

/// The contents of a request to a service.
enum ListenPost: Sendable, Equatable {
  /// The track that plays now.
  case playing(ListenText)
  /// Listens, the oldest first.
  case listens([ListenText])
  /// The question whether the service has a listen.
  case question(ListenText)
}

struct ListenRequest: Sendable {
  var address: WebAddress
  /// Lines of its head.
  var fields: [String]
  /// `nil` for a GET request.
  var body: String?
}

/// A listener's account at a service: the form of its requests, and the meaning of its answers.
protocol ListenAccount: Sendable {
  /// A request. A question takes two if the listener's name is not known yet: the first asks for the name.
  func request(_ post: ListenPost) throws(ListenProblem) -> ListenRequest
  /// The meaning of an answer to a request; `nil` if it was the name, and the question can be asked now.
  mutating func answer(_ answer: PostAnswer, to post: ListenPost) -> ListenAnswer?
}

extension ListenAnswer {
  /// The same as an answer to a question: a service that does not know the question may get the listen again.
  var toQuestion: ListenAnswer { if case .refused = self { .missing } else { self } }
}

/// The reason why an account cannot be used.
struct ListenProblem: Error, Hashable, CustomStringConvertible {
  var description: String
}

package enum ListenSite: Sendable, Hashable {
  case listenBrainz, lastFM
  /// A server of music by its name, for the plays of its own tracks.
  case server(String)

  /// Those of the settings.
  package static let services: [ListenSite] = [.listenBrainz, .lastFM]

  /// The name for sentences.
  var name: String {
    switch self {
    case .listenBrainz: "ListenBrainz"
    case .lastFM: "Last.fm"
    case .server(let name): address(ofServer: name).description
    }
  }

  /// The word for the secret of an account.
  var credential: String {
    switch self {
    case .listenBrainz: "token"
    case .lastFM: "session"
    case .server: "login"
    }
  }

  /// The server in the settings; `nil` if none is wanted.
  package func server(_ settings: Settings) -> WebAddress? {
    switch self {
    case .listenBrainz: settings.listenServer
    case .lastFM: settings.lastFMServer
    case .server(let name): address(ofServer: name)
    }
  }

  private func address(ofServer name: String) -> WebAddress { WebAddress("\(WebAddress.serverScheme)://\(name)") }

  /// The folder of waiting listens, within that of all services.
  func folder(_ listens: BytePath) -> BytePath {
    switch self {
    case .listenBrainz: listens
    case .lastFM: listens.appending(BytePath("lastfm"))
    case .server(let name): listens.appending(Self.servers).appending(BytePath(name))
    }
  }

  private static let servers = BytePath("servers")

  /// The servers for which plays wait. Reads the folder of listens.
  package static func waitingServers(_ listens: BytePath) -> [ListenSite] {
    let names = (try? namesInFolder(listens.appending(servers))) ?? []
    return names.map { .server(BytePath($0).description) }.filter { site in
      (try? namesInFolder(site.folder(listens)))?.isEmpty == false
    }
  }

  /// True if the service wants a listen: Last.fm wants none of tracks of half a minute.
  package func wants(duration: Double?) -> Bool { self != .lastFM || (duration ?? .infinity) > 30 }

  /// The largest number of listens in a request: ListenBrainz takes 1,000, Last.fm 50; fewer are repeated sooner. Some
  /// servers of music take only the first one.
  var batchLimit: Int { if case .server = self { 1 } else { 50 } }

  /// The account of the listener, by the files in these folders.
  func account(
    at server: WebAddress, configuration: BytePath, listens: BytePath, library: BytePath?
  ) throws(ListenProblem) -> any ListenAccount {
    switch self {
    case .listenBrainz:
      try ListenBrainz(
        server: server, file: configuration.appending(ListenBrainz.file), typed: ListenBrainz.typedFile(listens))
    case .lastFM: try LastFM(server: server, configuration: configuration, listens: listens)
    case .server(let name): try ServerPlays(server: name, library: library)
    }
  }
}

/// An account at ListenBrainz, or at another server with its interface (listenbrainz.readthedocs.io, "Core API").
struct ListenBrainz: ListenAccount {
  static let file = BytePath("listenbrainz-token")

  /// The token that was typed in the guide, which counts where there is no such file.
  static func typedFile(_ listens: BytePath) -> BytePath { listens.appending(BytePath("listenbrainz/token")) }

  /// Keeps a typed token, readable for its owner only.
  static func keep(_ token: String, in listens: BytePath) throws(ByteIOError) {
    try SmallFile.write(Array("\(token)\n".utf8), to: typedFile(listens))
  }

  private let server: WebAddress
  private let token: String
  private var name: String?

  init(server: WebAddress, file: BytePath, typed: BytePath) throws(ListenProblem) {
    do throws(ByteIOError) {
      var bytes = try SmallFile.read(file, isTrusted: false)
      if bytes == nil { bytes = try SmallFile.read(typed, isTrusted: false) }
      token = String(decoding: bytes ?? [], as: UTF8.self).filter { $0.isASCII && !$0.isWhitespace }
    } catch { throw ListenProblem(description: "\(error)") }
    guard !token.isEmpty else {
      throw ListenProblem(description: "there is none in \(file); the site's settings show yours")
    }
    self.server = server
  }

  func request(_ post: ListenPost) -> ListenRequest {
    let kind: String, listens: [ListenText]
    switch post {
    case .playing(let track): (kind, listens) = ("playing_now", [track])
    case .listens(let all): (kind, listens) = (all.count == 1 ? "single" : "import", all)
    case .question(let listen):
      guard let name else { return get("/1/validate-token") }
      // The limit is exclusive; the latest listens come first. Older servers take no lower limit beside it.
      let limit = (listen.identity?.beganAt ?? 0) &+ 1
      return get(
        "/1/user/\(WebAddress.encoded(name))/listens", [("max_ts", "\(limit)"), ("count", "\(Self.askedCount)")])
    }
    let body = "{\"listen_type\":\"\(kind)\",\"payload\":[" + listens.map(\.json).joined(separator: ",") + "]}"
    return ListenRequest(
      address: server.appending(path: "/1/submit-listens"),
      fields: ["Content-Type: application/json", authorization, "Expect:"], body: body)
  }

  /// More than the tracks that one listener begins in a second.
  private static let askedCount = 5

  private var authorization: String { "Authorization: Token \(token)" }

  private func get(_ path: String, _ query: [(String, String)] = []) -> ListenRequest {
    var address = server.appending(path: path)
    if !query.isEmpty { address.query = WebAddress.query(query) }
    return ListenRequest(address: address, fields: [authorization])
  }

  mutating func answer(_ answer: PostAnswer, to post: ListenPost) -> ListenAnswer? {
    let general = ListenAnswer(
      status: answer.status, body: answer.body, remaining: answer.field("x-ratelimit-remaining"),
      resetIn: answer.field("x-ratelimit-reset-in"))
    guard case .question(let listen) = post else { return general }
    // The server has no such function.
    if [404, 405, 501].contains(answer.status) { return .missing }
    guard 200..<300 ~= answer.status, let value = try? JSON(parsing: answer.body) else { return general.toQuestion }
    if name == nil {
      if case .bool(false)? = value["valid"] { return .unauthorized(value["message"]?.text ?? "it is not valid") }
      name = value["user_name"]?.text
      return name == nil ? general : nil
    }
    guard let listens = value["payload"]?["listens"]?.elements, let (beganAt, title) = listen.identity else {
      return general
    }
    let hasListen = listens.contains {
      $0["listened_at"]?.double == Double(beganAt) && $0["track_metadata"]?["track_name"]?.text == title
    }
    return hasListen ? .accepted(pause: nil) : .missing
  }
}
