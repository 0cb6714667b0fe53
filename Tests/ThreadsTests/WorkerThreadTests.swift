import AudioModel
import Glibc
import Testing
import Threads

@Suite struct `Threads with one function` {
  @Test func `joining waits for the end of the function`() {
    let (start, log) = (Mailbox<Void>(), Mailbox<Int>())
    let thread = WorkerThread(named: "worker") {
      _ = start.take(until: nil)
      for number in 0..<1000 { log.post(number) }
    }
    #expect(log.isEmpty)
    start.post(())
    thread.join()
    #expect(log.take(until: .zero) == Array(0..<1000))
  }

  @Test func `a thread has its name, cut to 15 bytes, and receives no signals but those of a crash`() {
    let log = Mailbox<(name: String, blocksSignals: Bool)>()
    let thread = WorkerThread(named: "a name of twenty bytes") {
      var name = [UInt8](repeating: 0, count: 64)
      let file = open("/proc/thread-self/comm", O_RDONLY)
      let count = read(file, &name, name.count)
      close(file)
      var blocked = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &blocked)
      let isBlocked =
        [SIGINT, SIGTERM, SIGWINCH].allSatisfy { sigismember(&blocked, $0) == 1 }
        && CrashActions.signals.allSatisfy { sigismember(&blocked, $0) == 0 }
      log.post((String(decoding: name.prefix(max(0, count - 1)), as: UTF8.self), isBlocked))
    }
    thread.join()
    let seen = log.take(until: .zero)
    #expect(seen.map(\.name) == ["a name of twent"])
    #expect(seen.map(\.blocksSignals) == [true])
  }

  @Test func `a thread that nobody joins runs to its end`() {
    let log = Mailbox<Int>()
    _ = WorkerThread(named: "worker") { log.post(1) }
    #expect(log.take(until: nil) == [1])
  }
}
