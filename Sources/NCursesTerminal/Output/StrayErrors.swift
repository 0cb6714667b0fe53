internal import CGlibcExtras
internal import Glibc

/// Keeps messages of libraries to standard error off the screen: a pipe in place of standard error.
final class StrayErrors {
  /// The real standard error.
  let destination: CInt
  /// The reading end of the pipe, without blocking.
  let source: CInt
  private let sink: CInt

  /// `nil` if standard error is no terminal and needs no redirection.
  init?() {
    var ends: [CInt] = [-1, -1]
    let real = isatty(STDERR_FILENO) == 1 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1
    guard real >= 0, pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { return nil }
    (destination, source, sink) = (real, ends[0], ends[1])
    begin()
  }

  deinit {
    end()
    for descriptor in [destination, source, sink] { close(descriptor) }
  }

  /// Redirects standard error into the pipe.
  func begin() { dup2(sink, STDERR_FILENO) }

  func end() { dup2(destination, STDERR_FILENO) }

  /// The lines since the last call.
  func take() -> [String] {
    var lines: [String] = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      while case let count = read(source, buffer.baseAddress, buffer.count), count > 0 {
        lines += buffer[..<count].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
      }
    }
    return lines
  }
}
