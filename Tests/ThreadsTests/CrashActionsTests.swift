import Glibc
import Testing
import Threads

/// Overflows the stack of its thread, page by page.
private func dive(_ depth: Int) -> Int {
  withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 16) { buffer in
    buffer.storeBytes(of: depth, as: Int.self)
    return depth == .max ? 0 : dive(depth + 1) &+ buffer.load(as: Int.self)
  }
}

@Suite struct `Actions at a crash` {
  @Test func `a thread runs them when its stack has overflowed`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      CrashActions.set({ _exit(42) }, of: .fileReading)
      WorkerThread(named: "deep") { _ = dive(0) }.join()
    }
  }

  @Test func `a thread that sets one of them runs them then, too`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      WorkerThread(named: "first") { CrashActions.set({ _exit(1) }, of: .terminal) }.join()
      // The program's first thread is no `WorkerThread`, either.
      var thread = pthread_t()
      let failure = pthread_create(
        &thread, nil,
        { _ in
          CrashActions.set({ _exit(42) }, of: .terminal)
          _ = dive(0)
          return nil
        }, nil)
      if failure == 0 { pthread_join(thread, nil) }
    }
  }
}
