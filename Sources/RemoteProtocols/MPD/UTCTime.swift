internal import Library

/// Times as MPD writes them.
enum UTCTime {
  /// `2026-11-22T23:18:04Z`.
  static func text(_ seconds: Int64) -> String { CalendarDate.text(max(0, min(seconds, 253_402_300_799))) }

  /// Seconds since 1970, from a time, a date, or the seconds themselves.
  static func seconds(_ text: String) -> Int64? {
    if let seconds = Int64(text) { return seconds }
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let date = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard date.count == 3, 1...9999 ~= date[0], 1...12 ~= date[1], 1...31 ~= date[2] else { return nil }
    var time: [Int64] = [0, 0, 0]
    if parts.count == 2 {
      guard parts[1].last == "Z" else { return nil }
      time = parts[1].dropLast().split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
      guard time.count == 3, 0...23 ~= time[0], 0...59 ~= time[1], 0...60 ~= time[2] else { return nil }
    }
    let days = CalendarDate.days(date[0], date[1], date[2])
    return Int64(days) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }
}
