import AudioModel
import Testing

@testable import Playback

/// The rule that tells a growing file from a complete one, without files or clocks.
@Suite("File growth")
struct FileGrowthTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  @Test func `a file of the size that it had when it was opened is complete, however new it is`() {
    let growth = FileGrowth(byteCount: 100, age: 0, at: start)
    #expect(growth.deadline(at: start) == nil)
  }

  @Test func `a file that has grown may grow for five seconds after its last change`() {
    var growth = FileGrowth(byteCount: 100, age: 60, at: start)
    growth.note(byteCount: 200, age: 1, at: start + .seconds(10))
    #expect(growth.deadline(at: start + .seconds(10)) == start + .seconds(14))
    growth.note(byteCount: 200, age: 3, at: start + .seconds(12))
    #expect(growth.deadline(at: start + .seconds(12)) == start + .seconds(14))
    growth.note(byteCount: 300, age: 0, at: start + .seconds(13))
    #expect(growth.deadline(at: start + .seconds(17)) == start + .seconds(18))
    #expect(growth.deadline(at: start + .seconds(18)) == nil)
  }

  @Test func `a download that was complete long before its end is played is complete at once`() {
    var growth = FileGrowth(byteCount: 100, age: 0, at: start)
    growth.note(byteCount: 200, age: 30, at: start + .seconds(60))
    #expect(growth.deadline(at: start + .seconds(60)) == nil)
  }

  @Test func `a change in the future of another clock counts as one of now`() {
    var growth = FileGrowth(byteCount: 100, age: -3600, at: start)
    growth.note(byteCount: 200, age: -3600, at: start + .seconds(1))
    #expect(growth.deadline(at: start + .seconds(1)) == start + .seconds(6))
  }

  @Test func `headers that promise more are believed while the file is new`() {
    var growth = FileGrowth(byteCount: 100, age: 2, at: start)
    growth.isPromised = true
    #expect(growth.deadline(at: start) == start + .seconds(3))
    #expect(growth.deadline(at: start + .seconds(3)) == nil)
  }

  @Test func `a new file whose headers do not say where it ends may grow for a moment`() {
    var growth = FileGrowth(byteCount: 100, age: 1, at: start)
    growth.isOpenEnded = true
    #expect(growth.deadline(at: start) == start + .seconds(0.5))
    #expect(growth.deadline(at: start + .seconds(0.5)) == nil)
    growth.note(byteCount: 200, age: 0, at: start + .seconds(1))
    #expect(growth.deadline(at: start + .seconds(1)) == start + .seconds(6))
  }

  @Test func `a file that was cut does not grow`() {
    var growth = FileGrowth(byteCount: 100, age: 60, at: start)
    growth.note(byteCount: 50, age: 0, at: start)
    #expect(growth.deadline(at: start) == nil)
  }
}
