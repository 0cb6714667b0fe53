import Testing

@testable import Library

/// The identity of a recording.
@Suite struct AudioKeyTests {
  @Test(arguments: [(2.0009, 2000), (0, 0), (9e15, 9_000_000_000_000_000_000)] as [(Double, Int64)])
  func `milliseconds are cut off`(seconds: Double, count: Int64) { #expect(AudioKey.milliseconds(seconds) == count) }

  @Test(arguments: [9.3e15, 1.1e18, -1.1e18, .infinity, .nan])
  func `a header may state any duration`(seconds: Double) { #expect(AudioKey.milliseconds(seconds) == 0) }
}
