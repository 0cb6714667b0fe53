internal import AudioModel
internal import ByteIO
internal import Commands
internal import Glibc
internal import Library
internal import Streaming

/// A server of music as a service of listens: it gets the plays of its own tracks.
struct ServerPlays: ListenAccount {
  private let account: ServerAccount

  init(_ account: ServerAccount) { self.account = account }

  /// - Parameter library: The folder with the file of servers.
  init(server name: String, library: BytePath?) throws(ListenProblem) {
    do throws(ByteIOError) {
      guard let library, let account = try ServerAccounts(folder: library)[name] else {
        throw ByteIOError(operation: "find", errno: ENOENT)
      }
      self.account = account
    } catch { throw ListenProblem(description: "what opens it is not known here: add it again") }
  }

  func request(_ post: ListenPost) -> ListenRequest {
    let address: WebAddress =
      switch account.kind {
      case .openSubsonic:
        switch post {
        case .playing(let track): SubsonicRequest.nowPlaying(track.trackID, of: account)
        case .listens(let plays):
          SubsonicRequest.played(plays.map { ($0.trackID, $0.identity?.beganAt ?? 0) }, of: account)
        case .question(let play): SubsonicRequest.track(play.trackID, of: account)
        }
      }
    return ListenRequest(address: address, fields: [])
  }

  func answer(_ answer: PostAnswer, to post: ListenPost) -> ListenAnswer? {
    guard case .question(let play) = post else {
      // So Funkwhale answers a play.
      let isEmpty = answer.status == 200 && answer.body.filter { $0 > 0x20 } == Array("{}".utf8)
      return isEmpty ? .accepted(pause: nil) : Self.meaning(of: answer) { _ in .accepted(pause: nil) }
    }
    // Servers keep only the time of the last play.
    let meaning = Self.meaning(of: answer) {
      $0.track?.lastPlayed == play.identity?.beganAt ? .accepted(pause: nil) : .missing
    }
    return meaning.toQuestion
  }

  private static func meaning(
    of answer: PostAnswer, _ understood: (SubsonicAnswer) -> ListenAnswer
  ) -> ListenAnswer {
    let status = answer.status
    var failure = ServerFailure("HTTP status \(status)", status: status)
    do throws(ServerFailure) {
      let subsonic = try SubsonicAnswer(answer.body)
      if status == 200 { return understood(subsonic) }
    } catch {
      // Some servers add a status to an error of their interface, which says more.
      if status == 200 || error.code != nil && 400...404 ~= status { failure = error }
    }
    if failure.isLogin { return .unauthorized(failure.description) }
    if failure.isRefusalOfContent { return .refused(failure.description) }
    switch failure.status {
    case 429, 503:
      let seconds = answer.field("retry-after").flatMap { Int($0) } ?? 60
      return .tooMany(pause: .seconds(Double(min(max(seconds, 1), 3600))))
    // Of a proxy, while the server is away; or no answer of such a server.
    case 404, 405, 410, nil: return .strange(failure.description)
    default: return .failed(failure.description)
    }
  }
}

extension ListenText {
  fileprivate var trackID: String {
    (try? JSON(parsing: json.utf8))?["track_metadata"]?["track_name"]?.text ?? ""
  }
}
