internal import Glibc

/// Starts the player at a time of day. Pure; time is an argument, in seconds since 1970.
public struct AlarmClock: Sendable, Hashable {
  public enum Request: Sendable, Hashable {
    /// Plays when it is next this many minutes after midnight, local time.
    case at(minute: Int)
    case off
    case show
  }

  /// The time at which it plays; `nil` while the alarm is off.
  public private(set) var time: Int?

  public init() {}

  /// Performs a request. Returns a message for the listener.
  public mutating func handle(_ request: Request, now: Int) -> String {
    switch request {
    case .at(let minute): time = Self.next(minute, after: now)
    case .off:
      time = nil
      return "alarm off"
    case .show: break
    }
    guard let time else { return "alarm off; alarm 7:30 plays at that time" }
    let minutes = max(1, (time - now + 59) / 60)
    let rest = minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    return "alarm at \(Self.text(of: time)), in \(rest)"
  }

  /// Returns true once when the time has come, and switches the alarm off.
  public mutating func takeDue(now: Int) -> Bool {
    guard let time, now >= time else { return false }
    self.time = nil
    return true
  }

  /// `7:30`: minutes after midnight.
  static func minute(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 2, let hour = UInt8(parts[0]), let minute = UInt8(parts[1]),
      hour < 24, minute < 60
    else { return nil }
    return Int(hour) * 60 + Int(minute)
  }

  /// The form that `minute` reads.
  static func text(minute: Int) -> String { "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)" }

  /// The time of day, as `minute` reads it.
  package static func text(of time: Int) -> String {
    let parts = localTime(time)
    return text(minute: Int(parts.tm_hour) * 60 + Int(parts.tm_min))
  }

  /// The first time after `now` with this time of day. The clocks may change in between.
  private static func next(_ minute: Int, after now: Int) -> Int {
    var parts = localTime(now)
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (CInt(minute / 60), CInt(minute % 60), 0, -1)
    var (today, tomorrow) = (parts, parts)
    tomorrow.tm_mday += 1
    let first = mktime(&today)
    return first > now ? first : mktime(&tomorrow)
  }

  private static func localTime(_ time: Int) -> tm {
    var (time, parts) = (time, tm())
    localtime_r(&time, &parts)
    return parts
  }
}
