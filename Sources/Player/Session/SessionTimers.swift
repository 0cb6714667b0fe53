internal import AudioModel
internal import Glibc
internal import Playback

/// The sleep timer and the alarm.
struct SessionTimers {
  private var sleep = SleepTimer()
  private var alarm = AlarmClock()
  private let timeOfDay: () -> time_t

  /// - Parameter timeOfDay: The clock of the alarm, in seconds since 1970.
  init(timeOfDay: @escaping () -> time_t) { self.timeOfDay = timeOfDay }

  /// Performs a request. Returns a message for the listener.
  mutating func handle(_ request: SleepTimer.Request, now: MonotonicTime) -> String { sleep.handle(request, now: now) }

  /// Performs a request. Returns a message for the listener.
  mutating func handle(_ request: AlarmClock.Request) -> String { alarm.handle(request, now: timeOfDay()) }

  /// The commands that are due, once, with a sentence for the listener.
  mutating func takeDue(
    now: MonotonicTime, isPlaying: Bool, isMuted: Bool
  ) -> [(sentence: String, commands: [Command])] {
    var due: [(String, [Command])] = []
    if sleep.takeDue(now: now), isPlaying { due.append(("paused by the sleep timer", [.playback(.pause)])) }
    if alarm.time != nil, alarm.takeDue(now: timeOfDay()) {
      // An alarm must be heard.
      due.append(("alarm", (isMuted ? [.toggleMute] : []) + (isPlaying ? [] : [.resume])))
    }
    return due
  }

  /// The end of the sleep timer.
  var deadline: MonotonicTime? { sleep.end }

  /// The time of the alarm, in seconds since 1970.
  var alarmTime: time_t? { alarm.time }
}
