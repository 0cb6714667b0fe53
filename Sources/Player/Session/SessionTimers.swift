internal import AudioModel
internal import Commands
internal import Playback

struct SessionTimers {
  private var sleep = SleepTimer()
  private var alarm = AlarmClock()
  /// The end of the sleep timer in seconds since 1970, as it is shown.
  private var sleepTime: Int = 0
  /// The end of a chapter at which the sleep timer pauses, in seconds into the entry.
  private var chapterEnd: (entry: QueueEntry.ID, seconds: Double)?
  /// True if the position was moved: the end of the chapter there counts.
  private var hasMoved = false
  private let timeOfDay: () -> Int

  /// - Parameter timeOfDay: The clock of the alarm, in seconds since 1970.
  init(timeOfDay: @escaping () -> Int) { self.timeOfDay = timeOfDay }

  /// Performs a request. Returns a message for the listener.
  mutating func handle(_ request: SleepTimer.Request, now: MonotonicTime) -> String {
    if case .after(let span) = request { sleepTime = timeOfDay() + Int(span.inSeconds) }
    if request == .show, chapterEnd != nil { return Self.chapterSentence }
    chapterEnd = nil
    return sleep.handle(request, now: now)
  }

  private static let chapterSentence = "sleep timer: pauses at the end of the chapter"

  /// The position is being moved, or was moved.
  mutating func noteMove() { hasMoved = true }

  /// Pauses at the end of the chapter that plays. Returns a message for the listener; `nil` if no chapter follows.
  mutating func sleepAtChapter(_ snapshot: PlaybackSnapshot, now: MonotonicTime) -> String? {
    _ = handle(.off, now: now)
    hasMoved = false
    let information = snapshot.information
    // A chapter that begins with the end of the track would not be noticed: the next track has begun then.
    let limit = information.durationIsEstimated ? .infinity : (information.duration ?? .infinity) - 1
    guard let entry = snapshot.entry, let end = snapshot.nextChapter(after: snapshot.position(at: now)), end < limit
    else { return nil }
    chapterEnd = (entry.id, end)
    return Self.chapterSentence
  }

  /// Seconds before the end that count as the end.
  private static let reach = 0.01

  /// Performs a request. Returns a message for the listener.
  mutating func handle(_ request: AlarmClock.Request) -> String { alarm.handle(request, now: timeOfDay()) }

  /// The commands that are due, once, with a sentence for the listener if there is something to say.
  mutating func takeDue(
    now: MonotonicTime, _ snapshot: PlaybackSnapshot, isMuted: Bool
  ) -> [(sentence: String?, commands: [Command])] {
    var due: [(String?, [Command])] = []
    let isPlaying = [.playing, .waiting].contains(snapshot.state)
    var isChapterOver = false
    if let end = chapterEnd, !snapshot.isMoving {
      let position = snapshot.position(at: now)
      if snapshot.entry?.id != end.entry {
        chapterEnd = nil
        due.append((nil, []))
      } else if hasMoved {
        if sleepAtChapter(snapshot, now: now) == nil { due.append((nil, [.stopAfter(.track)])) }
      } else if position >= end.seconds - Self.reach {
        (chapterEnd, isChapterOver) = (nil, true)
      }
    }
    if isChapterOver || sleep.takeDue(now: now) {
      // Music that an interruption holds must not resume after it.
      let isHeld = snapshot.state == .paused && snapshot.reason == .interruption
      due.append(isPlaying || isHeld ? ("paused by the sleep timer", [.playback(.pause)]) : (nil, []))
    }
    if alarm.time != nil, alarm.takeDue(now: timeOfDay()) {
      // An alarm must be heard.
      due.append(("alarm: playing", (isMuted ? [.toggleMute] : []) + (isPlaying ? [] : [.resume])))
    }
    return due
  }

  /// The timers that are set, with their times of day: `sleep at 23:45`, `alarm 7:30`.
  var texts: [String] {
    [
      sleep.end.map { _ in "sleep at " + AlarmClock.text(of: sleepTime) },
      chapterEnd.map { _ in "sleep at chapter end" },
      alarm.time.map { "alarm " + AlarmClock.text(of: $0) },
    ]
    .compactMap(\.self)
  }

  func deadline(_ snapshot: PlaybackSnapshot, now: MonotonicTime) -> MonotonicTime? {
    guard let chapterEnd, snapshot.clock.isRunning, !snapshot.isMoving else { return sleep.end }
    return now + .seconds(max(0, chapterEnd.seconds - snapshot.position(at: now)) / snapshot.clock.speed)
  }

  /// The time of the alarm, in seconds since 1970.
  var alarmTime: Int? { alarm.time }
}
