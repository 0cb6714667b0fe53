internal import AudioModel
internal import ByteIO
internal import CGlibcExtras
internal import Glibc
internal import Threads

/// Standard input, or a FIFO, as a server that sends its bytes once and without ranges. Its thread sleeps until bytes
/// arrive, or until there is room for them, without a time limit.
///
/// Safety: `state` and `receiver` are touched under `monitor`, the rest never changes.
final class PipeTransfer: Transfers, @unchecked Sendable {
  private enum State { case idle, running, paused, over }

  private let descriptor: Int32
  /// Wakes the thread that waits for the pipe.
  private let bell = eventfd(0, SEGUE_EFD_FLAGS)
  private let monitor = Monitor()
  private var state = State.idle
  private weak var receiver: (any TransferReceiver)?
  private static let windowByteCount = 64 << 10

  /// Takes ownership of a readable descriptor.
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    close(descriptor)
    close(bell)
  }

  /// The first transfer gets the bytes. Further ones fail: the bytes of a pipe arrive once.
  func start(_ request: TransferRequest, for receiver: any TransferReceiver, at time: MonotonicTime) -> Int {
    let isFirst = monitor.locked {
      guard state == .idle else { return false }
      (state, self.receiver) = (.running, receiver)
      return true
    }
    // On another thread: the receiver may be locked by the caller.
    _ = WorkerThread(named: "pipe") { [self, weak receiver] in
      if isFirst { return run() }
      receiver?.transfer(2, didEnd: NetworkError(.unusable, "piped input can be read only once"))
    }
    return isFirst ? 1 : 2
  }

  func cancel(_ id: Int) { if id == 1 { change(to: .over) } }
  func resume(_ id: Int) { if id == 1 { change(to: .running) } }
  func hurry() {}
  func perform(_ body: @escaping @Sendable () -> Void) { body() }

  private func change(to new: State) {
    monitor.locked { if state != .over { state = new } }
    monitor.signal()
    var one: UInt64 = 1
    _ = write(bell, &one, 8)
  }

  // MARK: On its thread

  private func run() {
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.windowByteCount, alignment: 16)
    defer { window.deallocate() }
    var hasHead = false
    while waitForBytes() {
      let count = read(descriptor, window.baseAddress, window.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      let failure = count < 0 ? NetworkError(.unusable, "cannot read the pipe: \(systemWords(errno))") : nil
      guard let receiver = monitor.locked({ receiver }) else { return }
      if !hasHead, failure == nil, let head = HTTPResponseHead(statusLine: "HTTP/1.1 200 OK") {
        hasHead = true
        guard receiver.transfer(1, didReceive: head) else { return }
      }
      guard count > 0 else {
        change(to: .over)
        return receiver.transfer(1, didEnd: failure)
      }
      guard deliver(UnsafeRawBufferPointer(rebasing: window[..<count])) else { return }
    }
  }

  /// Sleeps until bytes arrive, or the end. Returns false if they are wanted no longer.
  private func waitForBytes() -> Bool {
    while monitor.locked({ state != .over }) {
      var watched = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&watched, 2, -1)
      if watched[1].revents != 0 {
        var count: UInt64 = 0
        _ = read(bell, &count, 8)
      } else if watched[0].revents != 0 {
        return true
      }
    }
    return false
  }

  /// Delivers bytes as soon as there is room for them. Returns false if they are not wanted.
  private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
    while true {
      // Set before the call, so that a resumption right after it is not lost.
      monitor.locked { if state == .running { state = .paused } }
      guard let receiver = monitor.locked({ receiver }) else { return false }
      switch receiver.transfer(1, didReceive: bytes) {
      case .take:
        monitor.locked { if state == .paused { state = .running } }
        return true
      case .stop: return false
      case .pause:
        monitor.locked { monitor.wait { state != .paused } }
        if monitor.locked({ state == .over }) { return false }
      }
    }
  }
}
