internal import ByteIO
internal import Database
internal import Glibc

/// A new index, or another derived file, that has not replaced the old one yet.
struct IndexDraft {
  /// Gives the bytes in pieces, until one is not taken. Returns true if all are.
  let forEachPiece: ((UnsafeRawBufferPointer) -> Bool) -> Bool
  /// The number of changes of the catalogue that it includes at least.
  let revision: String
  let path: BytePath
  /// The tracks that are to be joined before it is installed.
  let twins: Twins.Outcome
  private let temporary: BytePath

  init(
    revision: String = "0", path: BytePath, twins: Twins.Outcome = .init(),
    forEachPiece: @escaping ((UnsafeRawBufferPointer) -> Bool) -> Bool
  ) {
    (self.forEachPiece, self.revision, self.path, self.twins) = (forEachPiece, revision, path, twins)
    temporary = path.makeTemporaryName()
  }

  /// All bytes, for an index in memory.
  var bytes: [UInt8] { joinedPieces(forEachPiece) }

  /// Writes a temporary file, calls `install`, and removes the file if it was not moved.
  func write(_ install: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    defer { temporary.removeFile() }
    let descriptor = temporary.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
    // Not synced: a file that a power cut damaged is detected and written again.
    var code = errno
    let isWritten =
      descriptor >= 0
      && forEachPiece { piece in
        let isWritten = writeAll(piece, to: descriptor)
        code = errno
        return isWritten
      }
    if descriptor >= 0 { close(descriptor) }
    guard isWritten else { throw failure(code) }
    try install()
  }

  /// Replaces the old index.
  func moveIntoPlace() throws(DatabaseError) {
    if !temporary.move(to: path) { throw failure(errno) }
  }

  private func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(
      code == ENOSPC ? .full : .notWritable, operation: "write", path: path,
      reason: ByteIOError(operation: "write", errno: code).reason)
  }
}

private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
  var rest = bytes
  while !rest.isEmpty {
    let count = write(descriptor, rest.baseAddress, rest.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
  }
  return true
}

/// The bytes that a function gives in pieces.
func joinedPieces(_ forEachPiece: ((UnsafeRawBufferPointer) -> Bool) -> Bool) -> [UInt8] {
  var bytes: [UInt8] = []
  _ = forEachPiece {
    bytes += $0
    return true
  }
  return bytes
}

extension DatabaseError {
  /// True for a failure to write: reading needs no room on the disk.
  var allowsReading: Bool { [.full, .notWritable, .inputOutput, .busy].contains(code) }
}
