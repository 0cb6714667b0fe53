internal import Glibc

/// The way to the terminal of every byte. Waits for nothing: what is not taken (the terminal was stopped, a line stands
/// still) is kept until it is, and nothing more is to be drawn meanwhile. Main thread only.
final class TerminalOutput {
  /// What to poll for POLLOUT while `isWaiting`.
  let descriptor: CInt
  private let isOwn: Bool
  private var rest: [UInt8] = []

  init(_ output: CInt) {
    // Opened anew, as whoever else writes on the terminal does not expect not to wait. What is not ours to open, waits.
    let own = open("/proc/self/fd/\(output)", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    isOwn = own >= 0
    descriptor = isOwn ? own : output
  }

  deinit { if isOwn { close(descriptor) } }

  /// Whether there is something that the terminal has not taken.
  var isWaiting: Bool { !rest.isEmpty }

  /// Writes, behind all that was written before.
  func write(_ bytes: UnsafeRawBufferPointer) {
    let count = isWaiting ? 0 : send(bytes)
    rest += bytes[count...]
  }

  func write(_ sequence: StaticString) {
    write(UnsafeRawBufferPointer(start: sequence.utf8Start, count: sequence.utf8CodeUnitCount))
  }

  /// Writes what has waited; whether nothing does any more.
  func flush() -> Bool {
    if isWaiting { rest.removeFirst(rest.withUnsafeBytes { send($0) }) }
    return !isWaiting
  }

  /// Waits for a fifth of a second until all is written. A terminal that does not take it by then gets `farewell` in its
  /// stead, or as much of that as it takes.
  func finish(_ farewell: StaticString) {
    var request = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
    while !flush(), poll(&request, 1, 200) > 0 {}
    guard isWaiting else { return }
    // What is on its way holds up what comes behind it.
    tcflush(descriptor, TCOFLUSH)
    rest = []
    write(farewell)
    rest = []
  }

  /// How many bytes the terminal takes now; all, where it is gone.
  private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    while count < bytes.count {
      let written = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count)
      if written > 0 {
        count += written
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        return bytes.count
      }
    }
    return count
  }
}
