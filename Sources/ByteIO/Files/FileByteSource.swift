internal import Glibc

/// A file on disk. Reads do not move a shared position, so any thread may call.
public final class FileByteSource: ByteSource {
  let descriptor: Int32

  /// Opens a regular file for reading (`open(2)`).
  ///
  /// Throws `EISDIR` for a folder and `EINVAL` for anything else that cannot be read at any place (a FIFO, a terminal).
  public convenience init(path: BytePath) throws(ByteIOError) {
    var status = stat()
    // A writer that waits for a reader of its FIFO would start, and be killed by SIGPIPE when the FIFO is closed again.
    if path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFIFO {
      throw ByteIOError(operation: "open", errno: EINVAL)
    }
    try self.init(regularFile: path)
  }

  /// The same for a file that was a regular one a moment ago.
  package init(regularFile path: BytePath) throws(ByteIOError) {
    var status = stat()
    // O_NONBLOCK: should it be a FIFO by now, opening it without a writer must not hang.
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw ByteIOError(operation: "open", errno: errno) }
    let isKnown = fstat(descriptor, &status) == 0
    guard isKnown, status.st_mode & S_IFMT == S_IFREG else {
      let failure = !isKnown ? errno : status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
      close(descriptor)
      throw ByteIOError(operation: "open", errno: failure)
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Asked of the system each time, because a file may be played while it is written.
  public var byteCount: Int64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : nil
  }

  /// Reads with `pread(2)`, again when a signal interrupts it.
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard offset >= 0 else { throw ByteIOError(operation: "read", errno: EINVAL, byteOffset: offset) }
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw ByteIOError(operation: "read", errno: errno, byteOffset: offset) }
    }
  }
}
