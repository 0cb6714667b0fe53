internal import CGlibcExtras
internal import Glibc

/// Collects the hundreds of writes of ncurses for a frame and sends them as one: fewer calls, no half frames, and no
/// blocking in ncurses. Main thread only.
final class WholeFrame {
  private static let start = Array("\u{1b}[?2026h".utf8)
  private static let end = Array("\u{1b}[?2026l".utf8)

  private let file, terminal: CInt
  private let output: TerminalOutput
  private var memory: CInt = -1

  /// - Parameters:
  ///   - file: The descriptor that ncurses writes to; a duplicate of `terminal`.
  ///   - output: The output to `terminal`.
  init(of file: CInt, terminal: CInt, output: TerminalOutput) {
    (self.file, self.terminal, self.output) = (file, terminal, output)
  }

  deinit { if memory >= 0 { close(memory) } }

  /// Draws a frame and shows it.
  ///
  /// - Parameter synchronized: True if the terminal supports synchronized output (mode 2026).
  func show(synchronized: Bool = false, _ draw: () -> Void) {
    guard begin() else { return draw() }
    if synchronized { add(Self.start) }
    draw()
    if synchronized { add(Self.end) }
    let count = Int(lseek(memory, 0, SEEK_CUR))
    if count > 0 {
      withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { bytes in
        let byteCount = pread(memory, bytes.baseAddress, count, 0)
        guard byteCount > 0 else { return }
        let frame = trueColorPairs.written(UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
        frame.withUnsafeBytes(output.write)
      }
    }
    end()
  }

  /// Adds bytes to the frame that is being drawn.
  func add(_ bytes: [UInt8]) { _ = write(memory, bytes, bytes.count) }

  /// Shows a frame that ncurses has not drawn.
  func show(synchronized: Bool, _ bytes: [UInt8]) {
    (synchronized ? Self.start + bytes + Self.end : bytes).withUnsafeBytes(output.write)
  }

  /// Lets ncurses draw a frame that is on the screen already, and drops its bytes.
  func learn(_ draw: () -> Void) {
    guard begin() else { return draw() }
    draw()
    end()
  }

  /// Redirects ncurses into memory.
  private func begin() -> Bool {
    if memory < 0 { memory = memfd_create("segue-frame", SEGUE_MFD_CLOEXEC) }
    return memory >= 0 && dup2(memory, file) >= 0
  }

  private func end() {
    dup2(terminal, file)
    // The page of small frames is kept: the spectrum draws 30 of them a second.
    if lseek(memory, 0, SEEK_CUR) > 4096 { ftruncate(memory, 0) }
    lseek(memory, 0, SEEK_SET)
  }
}
