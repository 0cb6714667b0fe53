import Glibc
import Testing

@testable import Commands

/// The time of an alarm, in the local time of the machine.
struct AlarmClockTests {
  private static let now = time(nil)

  @Test(arguments: [0, 1, 59, 60, 450, 719, 1439], 0..<48)
  private func `it is the next time with that hour and minute`(minute: Int, halfHours: Int) throws {
    var alarm = AlarmClock()
    let now = Self.now / 60 * 60 + halfHours * 1800
    _ = alarm.handle(.at(minute: minute), now: now)
    var time = try #require(alarm.time), parts = tm()
    // Clocks that change make a day of 25 hours.
    #expect(now < time && time <= now + 25 * 3600)
    localtime_r(&time, &parts)
    // An hour that is skipped is the one after.
    let isSkipped = parts.tm_isdst > 0 && (Int(parts.tm_hour) - 1) * 60 + Int(parts.tm_min) == minute
    #expect(Int(parts.tm_hour) * 60 + Int(parts.tm_min) == minute || isSkipped)
    #expect(parts.tm_sec == 0)
    let early = [now, time - 1].map { alarm.takeDue(now: $0) }
    #expect(early == [false, false])
    let isDue = alarm.takeDue(now: time), again = alarm.takeDue(now: time + 60)
    #expect(isDue && !again && alarm.time == nil)
  }

  @Test(arguments: [("7:30", 450), ("07:30", 450), ("0:00", 0), ("23:59", 1439)])
  private func `a time of day is read, and written`(text: String, minute: Int) {
    #expect(AlarmClock.minute(text) == minute)
    #expect(AlarmClock.minute(AlarmClock.text(minute: minute)) == minute)
  }

  @Test(arguments: ["7", "24:00", "7:60", "7:3", "-1:00", "7:30:00", "", ":", "07:30 ", "999999999999999999999:00"])
  private func `anything else is not a time of day`(text: String) { #expect(AlarmClock.minute(text) == nil) }

  @Test func `it says when it plays, and how long that is`() {
    var alarm = AlarmClock()
    let now = Self.now / 60 * 60
    let inTen = { (parts: tm) in (Int(parts.tm_hour) * 60 + Int(parts.tm_min) + 10) % 1440 }
    var (time, parts) = (now, tm())
    localtime_r(&time, &parts)
    let minute = inTen(parts)
    #expect(alarm.handle(.at(minute: minute), now: now) == "alarm at \(AlarmClock.text(minute: minute)), in 10 min")
    #expect(alarm.handle(.show, now: now + 590) == "alarm at \(AlarmClock.text(minute: minute)), in 1 min")
    #expect(alarm.handle(.off, now: now) == "alarm off")
    #expect(alarm.handle(.show, now: now) == "alarm off; alarm 7:30 plays at that time")
    #expect(alarm.handle(.at(minute: (minute + 1430) % 1440), now: now).hasSuffix(", in 24 h 0 min"))
  }
}
