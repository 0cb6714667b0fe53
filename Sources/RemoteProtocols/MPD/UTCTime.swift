/// Times as MPD writes them.
enum UTCTime {
  /// `2026-11-22T23:18:04Z` (days from the civil calendar: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  static func text(_ seconds: Int64) -> String {
    let seconds = max(0, min(seconds, 253_402_300_799))
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400)
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let two = { (number: Int64) in (number < 10 ? "0" : "") + String(number) }
    let time = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    return "\(year)-\(two(month))-\(two(day))T\(time)Z"
  }

  /// Seconds since 1970, from a time, a date, or the seconds themselves.
  static func seconds(_ text: String) -> Int64? {
    if let seconds = Int64(text) { return seconds }
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let date = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
    guard date.count == 3, 1...9999 ~= date[0], 1...12 ~= date[1], 1...31 ~= date[2] else { return nil }
    var time: [Int64] = [0, 0, 0]
    if parts.count == 2 {
      guard parts[1].last == "Z" else { return nil }
      time = parts[1].dropLast().split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
      guard time.count == 3, 0...23 ~= time[0], 0...59 ~= time[1], 0...60 ~= time[2] else { return nil }
    }
    let shifted = date[1] > 2 ? date[1] - 3 : date[1] + 9
    let year = date[1] > 2 ? date[0] : date[0] - 1
    let (era, yearOfEra) = (year / 400, year % 400)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * shifted + 2) / 5 + date[2] - 1
    return (era * 146_097 + dayOfEra - 719_468) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }
}
