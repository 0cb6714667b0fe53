/// Days of the Gregorian calendar, in UTC (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
package enum CalendarDate {
  /// The first and the last moment of a year, a month or a day: `2025`, `2025-06`, `2025-06-15`.
  package static func moments(in text: String) -> ClosedRange<Double>? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard 1...3 ~= parts.count, let year = parts[0], 1...9999 ~= year else { return nil }
    guard parts.count > 1 else { return span(days(year, 1, 1), days(year + 1, 1, 1)) }
    guard let month = parts[1], 1...12 ~= month else { return nil }
    let next = month == 12 ? days(year + 1, 1, 1) : days(year, month + 1, 1)
    guard parts.count > 2 else { return span(days(year, month, 1), next) }
    guard let day = parts[2], day >= 1, days(year, month, 1) + day <= next else { return nil }
    return span(days(year, month, day), days(year, month, day) + 1)
  }

  private static func span(_ first: Int, _ next: Int) -> ClosedRange<Double> {
    Double(first * 86_400)...Double(next * 86_400 - 1)
  }

  /// Days since 1970-01-01.
  package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Years begin in March here, so that the leap day is the last day.
    let y = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return y * 365 + y / 4 - y / 100 + y / 400 + dayOfYear - 719_468
  }

  /// `2026-11-22T22:25:06Z`.
  package static func text(_ seconds: Int64) -> String {
    let (day, second) = (Int(seconds) / 86_400, Int(seconds) % 86_400)
    // The inverse of `days`: eras of 400 years.
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = "\(year)-\(two(month))-\(two(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))"
    return "\(date)T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
  }
}
