internal import ByteIO
internal import CGlibcExtras
internal import Glibc

/// The bytes of one resource that have arrived, in a sparse file: in the cache folder, or in memory. Once a disk is full,
/// further bytes lie in memory. Its owner keeps the list of all bytes (`SpoolRecord`). Only `save` may run on any thread.
///
/// Safety: all stored properties are constants; `save` and `deinit` use only these.
final class Spool: @unchecked Sendable {
  private let descriptor: Int32
  /// Paths of a spool in the folder; `nil` in memory.
  private let paths: (bytes: BytePath, record: BytePath)?
  /// True if the listener decides how long it stays (`SpoolFolder.isPinned`).
  let isPinned: Bool
  /// The bytes that another spool holds; it gets no more.
  private let earlier: (bytes: ByteRanges, spool: Spool)?

  /// Takes ownership of a file, locked if it lies in a folder.
  init(descriptor: Int32, paths: (bytes: BytePath, record: BytePath)? = nil, isPinned: Bool = false) {
    (self.descriptor, self.paths, self.isPinned, earlier) = (descriptor, paths, isPinned, nil)
  }

  /// A spool in memory. `bytes`: those that `spool` holds.
  init(after bytes: ByteRanges, in spool: Spool) throws(NetworkError) {
    (descriptor, paths, isPinned, earlier) = (try Self.memory(), nil, false, (bytes, spool))
  }

  convenience init() throws(NetworkError) { self.init(descriptor: try Self.memory()) }

  private static func memory() throws(NetworkError) -> Int32 {
    let descriptor = memfd_create("segue-stream", SEGUE_MFD_CLOEXEC)
    guard descriptor >= 0 else { throw NetworkError(.unusable, "no memory for the stream: \(systemWords(errno))") }
    return descriptor
  }

  deinit {
    // A child process may hold the descriptor, too, until it runs another program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Reads bytes that are present. Returns their number, 0 if the first one is missing.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, present: ByteRanges
  ) throws(ByteIOError) -> Int {
    let (descriptor, end) = place(of: offset)
    let count = min(Int64(buffer.count), min(end, present.end(from: offset)) - offset)
    guard count > 0 else { return 0 }
    let read = pread(descriptor, buffer.baseAddress, Int(count), off_t(offset))
    guard read > 0 else { throw ByteIOError(operation: "read", errno: read < 0 ? errno : EIO, byteOffset: offset) }
    return read
  }

  /// The file for the bytes from `offset` on, up to `end`.
  private func place(of offset: Int64) -> (descriptor: Int32, end: Int64) {
    guard let earlier else { return (descriptor, .max) }
    let end = earlier.bytes.end(from: offset)
    if end > offset { return (earlier.spool.descriptor, end) }
    return (descriptor, earlier.bytes.gap(from: offset, to: .max)?.upperBound ?? .max)
  }

  /// Stores missing bytes, and compares those that are present. Returns the number of new bytes, `nil` if some differ.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, present: ByteRanges) throws(NetworkError) -> Int64? {
    var place = offset
    let end = offset + Int64(bytes.count)
    var newCount: Int64 = 0
    while place < end {
      let known = min(end, present.end(from: place), self.place(of: place).end)
      if known > place {
        guard holds(.init(rebasing: bytes[Int(place - offset)..<Int(known - offset)]), at: place) else { return nil }
        place = known
      } else if let gap = present.gap(from: place, to: end) {
        try put(.init(rebasing: bytes[Int(gap.lowerBound - offset)..<Int(gap.upperBound - offset)]), at: place)
        newCount += gap.upperBound - gap.lowerBound
        place = gap.upperBound
      }
    }
    return newCount
  }

  private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(NetworkError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw NetworkError(.unusable, "cannot store the stream: \(systemWords(errno))") }
      written += count
    }
  }

  private func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 16) { buffer in
      guard let known = buffer.baseAddress, let new = bytes.baseAddress else { return bytes.isEmpty }
      let count = pread(place(of: offset).descriptor, known, bytes.count, off_t(offset))
      return count == bytes.count && memcmp(known, new, bytes.count) == 0
    }
  }

  /// Releases the space of bytes, which `present` does not contain any more.
  func evict(_ range: Range<Int64>, present: ByteRanges) {
    // Only whole pages are released: the pages at the ends if none of their bytes is present.
    let before = present.ranges.last { $0.upperBound <= range.lowerBound }?.upperBound ?? 0
    let behind = present.ranges.first { $0.lowerBound >= range.upperBound }?.lowerBound ?? .max
    let start = max(before, range.lowerBound - Self.pageByteCount)
    let end = min(behind, max(range.upperBound, range.upperBound &+ Self.pageByteCount))
    _ = fallocate(descriptor, SEGUE_PUNCH_HOLE, start, end - start)
  }

  private static let pageByteCount: Int64 = 4096

  /// Deletes all bytes, which lie in one file. The record goes first, so that a crash leaves none that is wrong.
  func clear() {
    paths?.record.removeFile()
    _ = ftruncate(descriptor, 0)
  }

  /// Deletes the files in the folder.
  func remove() {
    earlier?.spool.remove()
    guard let paths, !isPinned else { return }
    for path in [paths.record, paths.bytes] { path.removeFile() }
  }

  /// Writes the bytes to the disk, then replaces the record atomically. Any thread. A failure is not reported: the
  /// bytes will be fetched again. `record`: of the bytes in the cache folder.
  func save(_ record: SpoolRecord) {
    if let earlier { return earlier.spool.save(record) }
    guard let recordPath = paths?.record, fdatasync(descriptor) == 0 else { return }
    let temporary = BytePath(recordPath.bytes + Array(".new".utf8))
    let file = temporary.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
    guard file >= 0 else { return }
    let text = Array(record.text.utf8)
    let isWritten = Glibc.write(file, text, text.count) == text.count && fsync(file) == 0
    close(file)
    _ = temporary.withCString { temporary in
      isWritten ? recordPath.withCString { rename(temporary, $0) } : unlink(temporary)
    }
  }
}

/// The system's description of an error number.
func systemWords(_ number: Int32) -> String { ByteIOError(operation: "", errno: number).reason }
