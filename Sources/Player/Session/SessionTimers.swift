internal import AudioModel
internal import Commands
internal import Playback

struct SessionTimers {
  private var sleep = SleepTimer()
  private var alarm = AlarmClock()
  /// The end of the sleep timer in seconds since 1970, as it is shown.
  private var sleepTime: Int = 0
  private let timeOfDay: () -> Int

  /// - Parameter timeOfDay: The clock of the alarm, in seconds since 1970.
  init(timeOfDay: @escaping () -> Int) { self.timeOfDay = timeOfDay }

  /// Performs a request. Returns a message for the listener.
  mutating func handle(_ request: SleepTimer.Request, now: MonotonicTime) -> String {
    if case .after(let span) = request { sleepTime = timeOfDay() + Int(span.inSeconds) }
    return sleep.handle(request, now: now)
  }

  /// Performs a request. Returns a message for the listener.
  mutating func handle(_ request: AlarmClock.Request) -> String { alarm.handle(request, now: timeOfDay()) }

  /// The commands that are due, once, with a sentence for the listener if there is something to say.
  mutating func takeDue(
    now: MonotonicTime, _ snapshot: PlaybackSnapshot, isMuted: Bool
  ) -> [(sentence: String?, commands: [Command])] {
    var due: [(String?, [Command])] = []
    let isPlaying = [.playing, .waiting].contains(snapshot.state)
    if sleep.takeDue(now: now) {
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
      alarm.time.map { "alarm " + AlarmClock.text(of: $0) },
    ]
    .compactMap(\.self)
  }

  var deadline: MonotonicTime? { sleep.end }

  /// The time of the alarm, in seconds since 1970.
  var alarmTime: Int? { alarm.time }
}
