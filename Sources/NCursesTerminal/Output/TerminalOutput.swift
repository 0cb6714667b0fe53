internal import Glibc

/// Writes every byte to the terminal without blocking. Bytes that the terminal does not take (it was stopped, or a line
/// is slow) are kept, and nothing more is drawn meanwhile. Main thread only.
final class TerminalOutput {
  /// The descriptor to poll for POLLOUT while `isWaiting`.
  let descriptor: CInt
  private let isOwn: Bool
  private var rest: [UInt8] = []

  /// - Parameter writer: A descriptor of the same terminal whose writes never block, if there is one.
  init(_ output: CInt, writer: CInt?) {
    // Without permission to open it, writes block.
    let own = writer == nil ? openForWriting(output) : -1
    isOwn = own >= 0
    descriptor = writer ?? (isOwn ? own : output)
  }

  deinit { if isOwn { close(descriptor) } }

  /// True if the terminal has not taken all bytes.
  var isWaiting: Bool { !rest.isEmpty }

  /// Writes these bytes after all pending ones.
  func write(_ bytes: UnsafeRawBufferPointer) {
    let count = isWaiting ? 0 : send(bytes)
    rest += bytes[count...]
  }

  func write(_ sequence: StaticString) {
    write(UnsafeRawBufferPointer(start: sequence.utf8Start, count: sequence.utf8CodeUnitCount))
  }

  /// Writes pending bytes. Returns whether none are left.
  func flush() -> Bool {
    if isWaiting { rest.removeFirst(rest.withUnsafeBytes { send($0) }) }
    return !isWaiting
  }

  /// Waits up to 200 ms until all bytes are written. A terminal that has not taken them by then gets `farewell`
  /// instead, or as much of it as it takes.
  func finish(_ farewell: StaticString) {
    var request = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
    while !flush(), poll(&request, 1, 200) > 0 {}
    guard isWaiting else { return }
    // Bytes in the terminal's queue would hold up the farewell.
    tcflush(descriptor, TCOFLUSH)
    rest = []
    write(farewell)
    rest = []
  }

  /// Writes as many bytes as the terminal takes now. Returns their number; all of them if the terminal is gone.
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
