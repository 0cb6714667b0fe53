internal import CGnu
internal import Glibc

/// Collects what ncurses writes of a screen, which comes in hundreds of pieces, and sends it as one: fewer calls, and no
/// terminal shows half of it. Main thread only.
final class WholeFrame {
  private static let start = Array("\u{1b}[?2026h".utf8)
  private static let end = Array("\u{1b}[?2026l".utf8)

  private let file, output: CInt
  private var memory: CInt = -1

  /// - Parameter file: Where ncurses writes; a duplicate of `output`.
  init(of file: CInt, output: CInt) { (self.file, self.output) = (file, output) }

  deinit { if memory >= 0 { close(memory) } }

  /// Draws, and shows what was drawn: at once, if the terminal has said that it can (mode 2026).
  func show(synchronized: Bool, _ draw: () -> Void) {
    guard begin() else { return draw() }
    if synchronized { note(Self.start) }
    draw()
    if synchronized { note(Self.end) }
    let count = Int(lseek(memory, 0, SEEK_CUR))
    if count > 0, let bytes = mmap(nil, count, PROT_READ, MAP_SHARED, memory, 0), bytes != MAP_FAILED {
      send(UnsafeRawBufferPointer(start: bytes, count: count))
      munmap(bytes, count)
    }
    end()
  }

  /// Shows a screen that ncurses has not drawn.
  func show(synchronized: Bool, _ bytes: [UInt8]) {
    let bytes = synchronized ? Self.start + bytes + Self.end : bytes
    bytes.withUnsafeBytes(send)
  }

  /// Has ncurses draw what is on the screen already, so that it knows.
  func learn(_ draw: () -> Void) {
    guard begin() else { return draw() }
    draw()
    end()
  }

  /// ncurses writes into memory from now on.
  private func begin() -> Bool {
    if memory < 0 { memory = memfd_create("segue-frame", SEGUE_MFD_CLOEXEC) }
    return memory >= 0 && dup2(memory, file) >= 0
  }

  private func end() {
    dup2(output, file)
    lseek(memory, 0, SEEK_SET)
    ftruncate(memory, 0)
  }

  private func note(_ sequence: [UInt8]) { _ = write(memory, sequence, sequence.count) }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      let count = write(output, rest.baseAddress, rest.count)
      if count > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN {
        var request = pollfd(fd: output, events: CShort(POLLOUT), revents: 0)
        guard poll(&request, 1, -1) >= 0 || errno == EINTR else { return }
      } else if errno != EINTR {
        return
      }
    }
  }
}
