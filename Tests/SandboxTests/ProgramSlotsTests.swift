import AudioModel
import Testing

@testable import Sandbox

@Suite struct `Programs outside the sandbox` {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private func after(_ seconds: Double) -> MonotonicTime { start + .seconds(seconds) }

  @Test func `run four at a time, in order`() {
    var slots = ProgramSlots(patience: .seconds(10))
    #expect(slots.deadline == nil)
    #expect((1...4).flatMap { slots.add($0, at: start) } == (1...4).map { .start($0) })
    #expect(slots.add(5, at: start) == [] && slots.add(6, at: start) == [])
    #expect(slots.remove(2, at: start) == [.start(5)])
    #expect(slots.remove(5, at: start) == [.start(6)], "one that could not be started makes room at once")
    for id in [1, 3, 4, 6] { #expect(slots.remove(id, at: start) == []) }
    #expect(slots.deadline == nil)
  }

  @Test func `are asked to end after their time, and then killed`() {
    var slots = ProgramSlots(patience: .seconds(10))
    _ = slots.add(1, at: start) + slots.add(2, at: after(3))
    #expect(slots.deadline == after(10) && slots.end(at: after(9)) == [])
    #expect(slots.end(at: after(10)) == [.terminate(1)] && slots.deadline == after(12))
    #expect(slots.end(at: after(12)) == [.kill(1)] && slots.deadline == after(13))
    #expect(slots.end(at: after(13)) == [.terminate(2)])
    #expect(slots.remove(1, at: after(13)) == [] && slots.remove(2, at: after(13)) == [] && slots.deadline == nil)
  }

  @Test func `wait in a limited number: the oldest are left out`() {
    var slots = ProgramSlots(patience: .seconds(10))
    let count = ProgramSlots.limit + ProgramSlots.waitingLimit
    for id in 1...count { _ = slots.add(id, at: start) }
    #expect(slots.add(count + 1, at: start) == [.drop(5)])
  }
}
