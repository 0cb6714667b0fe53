internal import AudioModel
internal import ByteIO
internal import Streaming

/// The contents of a request to a service.
enum ListenPost: Sendable, Equatable {
  /// The track that plays now.
  case playing(ListenText)
  /// Listens, the oldest first.
  case listens([ListenText])
}

/// A listener's account at a service: the form of its requests, and the meaning of its answers.
protocol ListenAccount: Sendable {
  /// A request: its address, the lines of its head, and its body.
  func request(_ post: ListenPost) throws(ListenProblem) -> (address: WebAddress, fields: [String], body: String)
  /// The meaning of an answer.
  func answer(_ answer: PostAnswer) -> ListenAnswer
}

/// The reason why an account cannot be used.
struct ListenProblem: Error, Hashable, CustomStringConvertible {
  var description: String
}

/// The services that take listens.
enum ListenSite: Sendable, CaseIterable {
  case listenBrainz, lastFM

  /// The name for sentences.
  var name: String { self == .listenBrainz ? "ListenBrainz" : "Last.fm" }
  /// The word for the secret of an account.
  var credential: String { self == .listenBrainz ? "token" : "session" }

  /// The server in the settings; `nil` if none is wanted.
  func server(_ settings: Settings) -> WebAddress? {
    self == .listenBrainz ? settings.listenServer : settings.lastFMServer
  }

  /// The folder of waiting listens, within that of all services.
  func folder(_ listens: BytePath) -> BytePath {
    self == .listenBrainz ? listens : listens.appending(BytePath("lastfm"))
  }

  /// True if the service wants a listen: Last.fm wants none of tracks of half a minute.
  func wants(duration: Double?) -> Bool { self == .listenBrainz || (duration ?? .infinity) > 30 }

  /// The account of the listener, by the files in these folders.
  func account(
    at server: WebAddress, configuration: BytePath, listens: BytePath
  ) throws(ListenProblem) -> any ListenAccount {
    switch self {
    case .listenBrainz: try ListenBrainz(server: server, file: configuration.appending(ListenBrainz.file))
    case .lastFM: try LastFM(server: server, configuration: configuration, listens: listens)
    }
  }
}

/// An account at ListenBrainz, or at another server with its interface (listenbrainz.readthedocs.io, "Core API").
struct ListenBrainz: ListenAccount {
  /// The file with the token.
  static let file = BytePath("listenbrainz-token")

  private let address: WebAddress
  private let token: String

  init(server: WebAddress, file: BytePath) throws(ListenProblem) {
    do throws(ByteIOError) {
      token = String(decoding: try SmallFile.read(file, isTrusted: false) ?? [], as: UTF8.self)
        .filter { $0.isASCII && !$0.isWhitespace }
    } catch { throw ListenProblem(description: "\(error)") }
    guard !token.isEmpty else {
      throw ListenProblem(description: "there is none in \(file); the site's settings show yours")
    }
    address = server.appending(path: "/1/submit-listens")
  }

  func request(_ post: ListenPost) -> (address: WebAddress, fields: [String], body: String) {
    let (kind, listens) =
      switch post {
      case .playing(let track): ("playing_now", [track])
      case .listens(let listens): (listens.count == 1 ? "single" : "import", listens)
      }
    let body = "{\"listen_type\":\"\(kind)\",\"payload\":[" + listens.map(\.json).joined(separator: ",") + "]}"
    return (address, ["Content-Type: application/json", "Authorization: Token \(token)", "Expect:"], body)
  }

  func answer(_ answer: PostAnswer) -> ListenAnswer {
    ListenAnswer(
      status: answer.status, body: answer.body, remaining: answer.field("x-ratelimit-remaining"),
      resetIn: answer.field("x-ratelimit-reset-in"))
  }
}
