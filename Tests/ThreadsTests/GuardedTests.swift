import AudioModel
import Glibc
import Testing
import Threads

@Suite struct `Guarded values` {
  @Test func `threads change a value one at a time`() {
    let count = Guarded(0)
    let threads = (0..<4).map { _ in
      WorkerThread(named: "counter") {
        for _ in 0..<1000 { count.withLock { $0 += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(count.withLock { $0 } == 4000)
  }

  @Test func `an error leaves the value free`() {
    struct Failure: Error {}
    let value = Guarded(1)
    #expect(throws: Failure.self) {
      try value.withLock { value throws(Failure) in
        value = 2
        throw Failure()
      }
    }
    #expect(value.withLock { $0 } == 2)
  }

  @Test func `a thread that asks for a value while it has it ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let value = Guarded(1)
      value.withLock { _ in _ = value.withLock { _ in 2 } }
    }
  }
}

@Suite struct `Monitors` {
  @Test func `a thread that holds a monitor may take it again`() {
    let monitor = Monitor()
    #expect(monitor.locked { monitor.locked { 1 } } == 1)
  }

  @Test func `a waiting thread lets others have the monitor, and wakes for a signal`() {
    let monitor = Monitor()
    nonisolated(unsafe) var isDone = false
    let thread = WorkerThread(named: "signaller") {
      monitor.locked {
        isDone = true
        monitor.signal()
      }
    }
    monitor.locked { monitor.wait { isDone } }
    thread.join()
    #expect(monitor.locked { monitor.unlocked { monitor.locked { isDone } } })
  }

  @Test func `a thread that takes a monitor again and again gives way to one that waits`() {
    let monitor = Monitor()
    let isOver = Guarded(false)
    let other = WorkerThread(named: "other") {
      for _ in 0..<20 { monitor.locked {} }
      isOver.withLock { $0 = true }
    }
    var turnCount = 0
    while turnCount < 10_000, !isOver.withLock({ $0 }) {
      turnCount += 1
      monitor.giveWay()
      monitor.locked { _ = usleep(1000) }
    }
    other.join()
    #expect(turnCount < 10_000)
  }

  @Test func `a monitor that is held twice cannot be waited for`() async {
    await #expect(processExitsWith: .failure) {
      let monitor = Monitor()
      monitor.locked { monitor.locked { monitor.wait(until: .now) { false } } }
    }
  }
}
