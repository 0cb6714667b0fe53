internal import ByteIO
internal import CGlibcExtras
internal import Glibc

/// The bytes of one resource that have arrived, in a sparse file: in the cache folder, or in memory. Not safe to share
/// between threads but for `save`.
///
/// Safety: `save` and `deinit` touch only what does not change.
final class Spool: @unchecked Sendable {
  private let descriptor: Int32
  /// Where bytes and record of a spool in the folder are; `nil` in memory.
  private let bytesPath: BytePath?
  private let recordPath: BytePath?
  /// What is known of the resource, and which bytes are there.
  var record: SpoolRecord

  /// Takes over a file, locked if it lies in a folder.
  init(descriptor: Int32, paths: (bytes: BytePath, record: BytePath)?, record: SpoolRecord) {
    (self.descriptor, bytesPath, recordPath, self.record) = (descriptor, paths?.bytes, paths?.record, record)
  }

  /// In memory.
  convenience init(inMemoryFor address: WebAddress) throws(NetworkError) {
    let descriptor = memfd_create("segue-stream", SEGUE_MFD_CLOEXEC)
    guard descriptor >= 0 else { throw NetworkError(.unusable, "no memory for the stream: \(systemWords(errno))") }
    self.init(descriptor: descriptor, paths: nil, record: SpoolRecord(address: address.description))
  }

  deinit { close(descriptor) }

  /// Whether it is kept for another time.
  var isOnDisk: Bool { recordPath != nil }

  /// Reads bytes that are there; how many, 0 if the first is missing.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    let count = min(Int64(buffer.count), record.present.end(from: offset) - offset)
    guard count > 0 else { return 0 }
    let read = pread(descriptor, buffer.baseAddress, Int(count), off_t(offset))
    guard read > 0 else { throw ByteIOError(operation: "read", errno: read < 0 ? errno : EIO, byteOffset: offset) }
    return read
  }

  /// Puts bytes in their place; of those that are there it only looks whether they are the same. Returns how many are
  /// new, `nil` if some are others.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(NetworkError) -> Int64? {
    var place = offset
    let end = offset + Int64(bytes.count)
    var newCount: Int64 = 0
    while place < end {
      let known = min(end, record.present.end(from: place))
      if known > place {
        guard holds(.init(rebasing: bytes[Int(place - offset)..<Int(known - offset)]), at: place) else { return nil }
        place = known
      } else if let gap = record.present.gap(from: place, to: end) {
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
      guard count > 0 else { throw NetworkError(.unusable, "cannot keep what arrives: \(systemWords(errno))") }
      written += count
    }
    record.present.insert(contentsOf: offset..<(offset + Int64(bytes.count)))
  }

  private func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 16) { buffer in
      guard let known = buffer.baseAddress, let new = bytes.baseAddress else { return bytes.isEmpty }
      return pread(descriptor, known, bytes.count, off_t(offset)) == bytes.count && memcmp(known, new, bytes.count) == 0
    }
  }

  /// Lets bytes go.
  func evict(_ range: Range<Int64>) {
    record.present.remove(contentsOf: range)
    // Only whole pages are given back: those at the ends go when no byte of them is there any more.
    let before = record.present.ranges.last { $0.upperBound <= range.lowerBound }?.upperBound ?? 0
    let behind = record.present.ranges.first { $0.lowerBound >= range.upperBound }?.lowerBound ?? .max
    let start = max(before, range.lowerBound - Self.pageByteCount)
    let end = min(behind, max(range.upperBound, range.upperBound &+ Self.pageByteCount))
    _ = fallocate(descriptor, SEGUE_PUNCH_HOLE, start, end - start)
  }

  private static let pageByteCount: Int64 = 4096

  /// Forgets all: the resource is another one now. First the record goes, so that a crash leaves none that lies.
  func clear() {
    _ = recordPath?.withCString { unlink($0) }
    _ = ftruncate(descriptor, 0)
    record = SpoolRecord(address: record.address)
  }

  /// Leaves nothing behind in the folder.
  func remove() {
    guard let recordPath else { return }
    for path in [recordPath, bytesPath] { _ = path?.withCString { unlink($0) } }
  }

  /// Makes what `record` says last: bytes first, then, at once, the record. Any thread. What cannot be kept is not: it
  /// will be fetched again.
  func save(_ record: SpoolRecord) {
    guard let recordPath, fdatasync(descriptor) == 0 else { return }
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

/// What the system says of an error number.
func systemWords(_ number: Int32) -> String { ByteIOError(operation: "", errno: number).reason }
