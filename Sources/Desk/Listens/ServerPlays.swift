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
    switch answer.status {
    case 200: break
    case 401, 403: return .unauthorized("HTTP status \(answer.status)")
    case 429, 503:
      let seconds = answer.field("retry-after").flatMap { Int($0) } ?? 60
      return .tooMany(pause: .seconds(Double(min(max(seconds, 1), 3600))))
    case 501: return .refused("HTTP status 501")
    // Of a proxy, while the server is away.
    case 404, 405, 410: return .strange("HTTP status \(answer.status)")
    default: return .failed("HTTP status \(answer.status)")
    }
    var play: ListenText?
    if case .question(let asked) = post { play = asked }
    // So Funkwhale answers a play.
    if play == nil, answer.body.filter({ $0 > 0x20 }) == Array("{}".utf8) { return .accepted(pause: nil) }
    do throws(ServerFailure) {
      let track = try SubsonicAnswer(answer.body).track
      guard let play else { return .accepted(pause: nil) }
      // Servers keep only the time of the last play.
      return track?.lastPlayed == play.identity?.beganAt ? .accepted(pause: nil) : .missing
    } catch {
      switch error.code {
      case nil: return .strange(error.description)
      case 40?, 41?, 42?, 43?, 44?: return .unauthorized(error.description)
      default:
        let refusal = ListenAnswer.refused(error.description)
        if case .question = post { return refusal.toQuestion }
        return refusal
      }
    }
  }
}

extension ListenText {
  fileprivate var trackID: String {
    (try? JSON(parsing: json.utf8))?["track_metadata"]?["track_name"]?.text ?? ""
  }
}
