internal import AudioModel
internal import ByteIO
internal import Glibc
internal import Threads

/// A file on disk as a reader that plays it needs it. Reads block until `doNotBlock`; from then on the bytes that are in
/// memory are read at once, others on a thread that the first of them starts. The bytes behind the end of a file that
/// grows have not arrived yet.
///
/// Safety: one owner at a time, as its reader.
final class PlayedFile: ByteSource, @unchecked Sendable {
  /// The reason for which a read threw EAGAIN.
  enum Wait {
    /// The disk does not answer.
    case disk
    /// The file ends there, and grows.
    case growth
  }

  private let file: FileByteSource
  private var growth: FileGrowth
  /// True after `expectGrowth`.
  private var hasExpectedGrowth = false
  private var patience = TimeSpan.zero
  private var arrival: (@Sendable () -> Void)?
  private var reads: FileReads?
  /// True while the end of a file that grows counts as its end, as for the index.
  var endsNow = false
  /// The reason for the last wait, until it is over.
  private(set) var wait: Wait?

  /// Opens a file; blocks.
  init(path: BytePath) throws(ByteIOError) {
    file = try FileByteSource(path: path)
    let age = file.knownFacts?.age ?? .infinity
    growth = FileGrowth(byteCount: file.byteCount ?? 0, age: age, at: .now)
  }

  deinit { reads?.close() }

  /// Makes all further reads return within `patience`. Reads of missing bytes throw EAGAIN, and `arrival` is called on
  /// another thread when it is worth repeating them.
  func doNotBlock(patience: TimeSpan, arrival: @escaping @Sendable () -> Void) {
    (self.patience, self.arrival) = (patience, arrival)
  }

  /// True if a read threw EAGAIN, and there is nothing new.
  var isAwaited: Bool { wait != nil && reads?.isAwaited == true }

  var byteCount: Int64? { arrival == nil ? file.byteCount : file.knownFacts?.byteCount }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    guard let arrival, offset >= 0, !buffer.isEmpty else { return try file.read(into: buffer, at: offset) }
    let count = try read(into: buffer, at: offset, arrival)
    if count > 0 || endsNow { return count }
    wait = mayGrow(to: offset + 1) ? .growth : nil
    if wait == nil { return 0 }
    throw ByteIOError(operation: "read", errno: EAGAIN, byteOffset: offset)
  }

  private func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, _ arrival: @escaping @Sendable () -> Void
  ) throws(ByteIOError) -> Int {
    if let count = file.readNow(into: buffer, at: offset) {
      if let reads, !reads.isAwaited {
        reads.close()
        self.reads = nil
      }
      if count > 0, wait == .disk { wait = nil }
      return count
    }
    let reads = self.reads ?? FileReads(file, arrival: arrival)
    self.reads = reads
    do throws(ByteIOError) {
      let count = try reads.read(into: buffer, at: offset, patience: patience)
      if wait == .disk { wait = nil }
      return count
    } catch {
      if error.isWait { wait = .disk }
      throw error
    }
  }

  /// True if so many bytes, or all that ever will be, can be read from `offset` on. If not, `arrival` is called when
  /// they can.
  func isReady(_ byteCount: Int64, from offset: Int64) -> Bool {
    guard wait == .growth else { return true }
    let (end, overflows) = offset.addingReportingOverflow(max(1, byteCount))
    guard !overflows, (self.byteCount ?? 0) < end, mayGrow(to: end) else {
      wait = nil
      return true
    }
    return false
  }

  /// True if reads do not block, and the file was changed so lately that it may still be written.
  var isNew: Bool { arrival != nil && growth.isNew(at: .now) }

  /// Tells, before a read, what the headers promise: more than a moment of audio that has not been read, or nothing.
  func note(isPromised: Bool, isOpenEnded: Bool) {
    growth.isPromised = isPromised || hasExpectedGrowth
    growth.isOpenEnded = isOpenEnded
  }

  /// Called at the end of a file with fewer bytes than its headers promise. Returns true, once, if it may still be
  /// written: then reads behind the end wait.
  func expectGrowth() -> Bool {
    guard arrival != nil, !hasExpectedGrowth else { return false }
    (hasExpectedGrowth, growth.isPromised) = (true, true)
    return growth.deadline(at: .now) != nil
  }

  /// The error at the end of a file that was longer when it was opened; `nil` if it was not, or if all of its audio,
  /// which ends at `end`, is still there.
  func loss(before end: Int64?) -> ByteIOError? {
    guard let byteCount, byteCount < min(end ?? .max, growth.openedByteCount) else { return nil }
    return ByteIOError(
      operation: "read", errno: EIO, byteOffset: byteCount, detail: "the file was cut while it was being read")
  }

  /// True if the file has fewer bytes and grows: then `arrival` is called when it has so many, or has not grown for
  /// some time.
  private func mayGrow(to byteCount: Int64) -> Bool {
    guard let arrival, let facts = file.knownFacts else { return false }
    growth.note(byteCount: facts.byteCount, age: facts.age, at: .now)
    guard let deadline = growth.deadline(at: .now) else { return false }
    let reads = self.reads ?? FileReads(file, arrival: arrival)
    self.reads = reads
    reads.awaitGrowth(to: byteCount, until: deadline)
    return true
  }
}
