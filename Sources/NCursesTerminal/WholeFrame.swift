internal import CGnu
internal import Glibc

/// Collects what ncurses writes of a screen, which comes in hundreds of pieces, and sends it as one: fewer calls, and no
/// terminal shows half of it. Main thread only.
final class WholeFrame {
  private static let start: StaticString = "\u{1b}[?2026h"
  private static let end: StaticString = "\u{1b}[?2026l"

  private let file, output: CInt
  private var memory: CInt = -1

  /// - Parameter file: Where ncurses writes; a duplicate of `output`.
  init(of file: CInt, output: CInt) { (self.file, self.output) = (file, output) }

  deinit { if memory >= 0 { close(memory) } }

  /// Draws, and shows what was drawn: at once, if the terminal has said that it can (mode 2026).
  func show(synchronized: Bool, _ draw: () -> Void) {
    if memory < 0 { memory = memfd_create("segue-frame", SEGUE_MFD_CLOEXEC) }
    guard memory >= 0, dup2(memory, file) >= 0 else { return draw() }
    if synchronized { note(Self.start) }
    draw()
    if synchronized { note(Self.end) }
    dup2(output, file)
    let count = Int(lseek(memory, 0, SEEK_CUR))
    if count > 0, let bytes = mmap(nil, count, PROT_READ, MAP_SHARED, memory, 0), bytes != MAP_FAILED {
      send(UnsafeRawBufferPointer(start: bytes, count: count))
      munmap(bytes, count)
    }
    lseek(memory, 0, SEEK_SET)
    ftruncate(memory, 0)
  }

  private func note(_ sequence: StaticString) { _ = write(memory, sequence.utf8Start, sequence.utf8CodeUnitCount) }

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
