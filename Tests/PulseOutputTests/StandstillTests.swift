import AudioModel
import Testing

@testable import PulseOutput

/// Reports of a device at 1000 frames a second, and what they tell.
struct StandstillTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Milliseconds and frames of the reports. The clock agrees with each report, until the next one.
    var reports: [(Int64, Int64)]
    var isCertain: Bool
    /// In milliseconds.
    var recheckDelay: Int64?
  }

  static let rows = [
    Row(testDescription: "in time", reports: [(0, 0), (10_000, 10_001), (20_000, 19_998)], isCertain: false),
    Row(testDescription: "a distant device's estimate", reports: [(0, 0), (1000, 910)], isCertain: false),
    Row(testDescription: "a clock ahead", reports: [(0, 0), (1000, 3000)], isCertain: false),
    Row(
      testDescription: "behind, it is asked again", reports: [(0, 0), (1250, 1000)], isCertain: false,
      recheckDelay: 750),
    Row(
      testDescription: "soon if it is far behind", reports: [(0, 0), (20_000, 100)], isCertain: false,
      recheckDelay: 250),
    Row(
      testDescription: "far behind, and playing", reports: [(0, 0), (20_000, 100), (20_250, 340)], isCertain: false),
    Row(testDescription: "a lost moment", reports: [(0, 0), (1250, 1000), (2000, 1740)], isCertain: false),
    Row(
      testDescription: "a second of it", reports: [(0, 0), (1250, 1000), (2000, 1000)], isCertain: true,
      recheckDelay: 1000),
    Row(
      testDescription: "less than a second", reports: [(0, 0), (1250, 1000), (1700, 1020)], isCertain: false,
      recheckDelay: 320),
    Row(
      testDescription: "two questions at once show no movement", reports: [(0, 0), (1250, 1000), (1252, 1000)],
      isCertain: false, recheckDelay: 750),
    Row(
      testDescription: "it plays again", reports: [(0, 0), (1250, 1000), (2000, 1000), (3000, 1700), (13_000, 11_700)],
      isCertain: false),
  ]

  @Test(arguments: rows) func `reports tell`(row: Row) {
    var standstill = Standstill(sampleRate: 1000)
    var last: (time: Int64, frame: Int64)?
    for (time, frame) in row.reports {
      let expected = standstill.isCertain ? nil : last.map { $0.frame + time - $0.time }
      standstill.note(frame, at: .zero + .milliseconds(time), expected: expected)
      last = (time, frame)
    }
    #expect(standstill.isCertain == row.isCertain)
    #expect(standstill.recheckDelay == row.recheckDelay.map { .milliseconds($0) })
  }
}
