package import AudioModel
internal import ByteIO
internal import Commands
internal import Database
internal import Library

/// Decides what is sent to a service, and when. Pure; time is an argument.
///
/// A listen waits until the server has accepted it. One request runs at a time. The server may have a listen whose answer
/// was lost: it is asked, and gets only those that it does not have.
package struct ListenQueue: Sendable {
  package enum Event: Sendable {
    /// Listens of an earlier run, of which the first ones were sent without a known answer.
    case restored([ListenText], sentCount: Int = 0)
    case heard(ListenText)
    /// A track began; `nil` if its tags say too little.
    case playing(ListenText?)
    case answered(ListenAnswer)
    /// The deadline has come.
    case due
  }

  enum Effect: Sendable, Equatable {
    /// Writes a listen to the disk.
    case keep(ListenText)
    /// Notes on the disk that the oldest listens will be sent.
    case noteSending(Int)
    case post(ListenPost)
    /// Removes the oldest listens from the disk, except those with these indices.
    case forget(count: Int, keeping: [Int] = [])
    /// Tells the listener.
    case say(String)
  }

  private enum Request: Sendable { case playing, question, listens(count: Int) }

  private static let firstPause = TimeSpan.seconds(10), longestPause = TimeSpan.seconds(600)

  private let site: ListenSite
  private var waiting: [ListenText] = []
  /// The number of waiting listens, from the first on, that the server may have.
  private var doubtfulCount = 0
  /// True if the server does not have the first of these.
  private var isFirstMissing = false
  private var playing: ListenText?
  private var request: Request?
  /// Nothing is sent before this time.
  private var pauseEnd = MonotonicTime.zero
  private var failureCount = 0
  /// The number of listens to send one by one, because the server refused one of them.
  private var singleCount = 0
  /// True if the server rejected the token.
  private var isRefused = false
  /// True if the listener has been told that the server answers in a way that the service does not.
  private var isStrange = false

  init(_ site: ListenSite = .listenBrainz) { self.site = site }

  /// The time at which `.due` is expected; `nil` if nothing waits.
  var deadline: MonotonicTime? {
    request == nil && !isRefused && (playing != nil || !waiting.isEmpty) ? pauseEnd : nil
  }

  /// True if listens are on their way, or wait only for an answer to something else.
  var expectsAnswer: Bool { request != nil && !waiting.isEmpty }

  mutating func handle(_ event: Event, now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .restored(let listens, let sentCount): (waiting, doubtfulCount) = (listens + waiting, sentCount)
    case .heard(let listen):
      waiting.append(listen)
      effects.append(.keep(listen))
    case .playing(let track): playing = track
    case .answered(let answer): effects += take(answer, now)
    case .due: break
    }
    return effects + next(now)
  }

  private mutating func next(_ now: MonotonicTime) -> [Effect] {
    guard request == nil, !isRefused, now >= pauseEnd else { return [] }
    if let track = playing {
      (playing, request) = (nil, .playing)
      return [.post(.playing(track))]
    }
    if doubtfulCount > 0, !isFirstMissing, let listen = waiting.first {
      request = .question
      return [.post(.question(listen))]
    }
    let count = singleCount > 0 || doubtfulCount > 0 ? min(1, waiting.count) : min(waiting.count, site.batchLimit)
    guard count > 0 else { return [] }
    request = .listens(count: count)
    return [.noteSending(count), .post(.listens(Array(waiting.prefix(count))))]
  }

  private mutating func take(_ answer: ListenAnswer, _ now: MonotonicTime) -> [Effect] {
    guard let request else { return [] }
    self.request = nil
    // Only listens are sent again.
    let count =
      switch request {
      case .playing: 0
      case .question: 1
      case .listens(let count): count
      }
    switch answer {
    case .accepted(let pause, let ignored):
      (failureCount, isStrange) = (0, false)
      if let pause { pauseEnd = now + pause }
      return forget(count) + report(ignored)
    case .overLimit(let indices, let pause, let ignored):
      (failureCount, isStrange, pauseEnd) = (0, false, now + pause)
      return forget(count, keeping: indices.filter { $0 < count }) + report(ignored)
    case .missing: isFirstMissing = true
    case .refused(let reason):
      guard count == 1 else {
        singleCount = count
        return []
      }
      let title = waiting.first?.identity?.title ?? ""
      let listen = title.isEmpty ? "a listen" : "the listen of \(title.prefix(100))"
      return forget(1) + [.say("\(site.name) refuses \(listen), which is not sent again: \(reason)")]
    case .unauthorized(let reason):
      isRefused = true
      return [.say("\(site.name) refuses the \(site.credential): \(reason)")]
    case .tooMany(let pause):
      pauseEnd = now + pause
    case .unreached: retryLater(now)
    case .failed:
      doubt(count)
      retryLater(now)
    case .strange(let reason):
      doubt(count)
      retryLater(now)
      guard !isStrange else { return [] }
      isStrange = true
      return [.say("\(site.name) does not answer as expected, so listens are sent later: \(reason)")]
    }
    return []
  }

  private func report(_ ignored: String?) -> [Effect] {
    ignored.map { [.say("\(site.name) ignores \($0)")] } ?? []
  }

  private mutating func retryLater(_ now: MonotonicTime) {
    pauseEnd = now + min(Self.firstPause * (1 << min(failureCount, 10)), Self.longestPause)
    failureCount += 1
  }

  /// The server may have the oldest listens.
  private mutating func doubt(_ count: Int) {
    guard count > 0 else { return }
    (doubtfulCount, isFirstMissing) = (max(doubtfulCount, count), false)
  }

  private mutating func forget(_ count: Int, keeping kept: [Int] = []) -> [Effect] {
    waiting.replaceSubrange(..<count, with: kept.map { waiting[$0] })
    let doneCount = count - kept.count
    singleCount = max(0, singleCount - doneCount)
    // A listen that is too much for the day is still known to be missing.
    if doneCount > 0 { (doubtfulCount, isFirstMissing) = (max(0, doubtfulCount - doneCount), false) }
    return doneCount > 0 ? [.forget(count: count, keeping: kept)] : []
  }
}

/// The meaning of an answer of a service.
package enum ListenAnswer: Sendable, Equatable {
  /// The next request may follow after a pause. `ignored`: the number of listens that the service does not count, with its reasons.
  case accepted(pause: TimeSpan?, ignored: String? = nil)
  /// The request is done, except for the listens with these indices, which were too many for a day.
  case overLimit([Int], pause: TimeSpan, ignored: String? = nil)
  /// The service does not have the listen that the question was about, or cannot say.
  case missing
  /// The request is invalid.
  case refused(String)
  case unauthorized(String)
  case tooMany(pause: TimeSpan)
  /// No connection: the server has got nothing.
  case unreached
  /// No answer, or a fault of the server, which may have the listens all the same.
  case failed(String)
  /// An answer that the service does not give: a wrong address, or the login page of a hotel.
  case strange(String)

  /// The answer of ListenBrainz with a status and the fields `X-RateLimit-Remaining` and `X-RateLimit-Reset-In` (seconds).
  /// It rejects invalid listens with 400, and requests that are too large with 413.
  init(status: Int, body: [UInt8], remaining: String?, resetIn: String?) {
    let value = try? JSON(parsing: body)
    let message = value?["error"]?.text ?? "HTTP status \(status)"
    let seconds = resetIn.flatMap { Double($0) } ?? 10
    let pause = TimeSpan.seconds(seconds.isFinite ? min(max(seconds, 1), 3600) : 10)
    switch status {
    case 200..<300 where value?["status"]?.text == "ok": self = .accepted(pause: remaining == "0" ? pause : nil)
    case 400, 413: self = .refused(message)
    case 401, 403: self = .unauthorized(message)
    case 429: self = .tooMany(pause: pause)
    // 408: the server was too slow.
    case 408: self = .failed(message)
    case 200..<300, 400..<500: self = .strange(message)
    default: self = .failed(message)
    }
  }
}
