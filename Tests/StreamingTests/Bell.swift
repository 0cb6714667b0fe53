import Glibc
import Streaming
import Threads

/// Something to wait for.
final class Bell: Sendable {
  private let mailbox = Mailbox<Void>()
  func ring() { mailbox.post(()) }
  func wait() { _ = mailbox.take(until: nil) }
}

/// Cancels a source from another thread, a little later.
final class Canceller: Sendable {
  private let thread: WorkerThread

  init(_ source: NetworkByteSource) {
    thread = WorkerThread(named: "canceller") {
      usleep(50_000)
      source.cancel()
    }
  }

  deinit { thread.join() }
}
