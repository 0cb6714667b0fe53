internal import AudioModel
internal import ByteIO
internal import Glibc
internal import Threads

/// Reads a file on a thread of its own, ahead of a reader that must not wait long, and watches a file that grows. The
/// thread keeps the file open until a read that hangs has ended.
///
/// Safety: everything that changes is touched under `monitor`.
final class FileReads: @unchecked Sendable {
  private struct Block {
    let number: Int64
    let bytes: [UInt8]
    /// True until the reader was told of the end behind these bytes: later the file may have grown.
    var showsEnd: Bool
  }

  private struct GrowthWait {
    var byteCount: Int64
    var deadline: MonotonicTime
    var nextLook: MonotonicTime
  }

  private let file: FileByteSource
  private let arrival: @Sendable () -> Void
  private let monitor = Monitor()
  /// The one that was used last at the end.
  private var blocks: [Block] = []
  /// The block that the reader asked for and did not get.
  private var wanted: Int64?
  private var failure: (number: Int64, error: ByteIOError)?
  /// The block that the reader read last: those after it are read ahead.
  private var position: Int64 = 0
  private var growth: GrowthWait?
  /// True if the reader has to be told that `wanted` is there.
  private var isTold = false
  /// True if a read takes longer than its reader waits.
  private var isLate = false
  private var isClosed = false

  private static let blockByteCount = 1 << 17
  /// Enough for the places between which a parser goes back and forth while it reads headers.
  private static let blockLimit = 16
  private static let blocksAhead: Int64 = 4
  private static let growthInterval = TimeSpan.milliseconds(250)

  /// `arrival` is called on the thread when it is worth repeating a read that threw EAGAIN.
  init(_ file: FileByteSource, arrival: @escaping @Sendable () -> Void) {
    (self.file, self.arrival) = (file, arrival)
    _ = WorkerThread(named: "file") { self.run() }
  }

  /// Ends the thread, which may be reading, without waiting for it.
  func close() {
    monitor.locked { isClosed = true }
    monitor.signal()
  }

  // MARK: For the reader

  /// True if something is awaited that has not come yet.
  var isAwaited: Bool { monitor.locked { wanted != nil || growth != nil } }

  /// Reads, and waits so long at most for the disk; then throws EAGAIN.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, patience: TimeSpan
  ) throws(ByteIOError) -> Int {
    let number = offset / Int64(Self.blockByteCount)
    return try monitor.locked { () throws(ByteIOError) in
      if let count = copy(into: buffer, at: offset) { return count }
      want(number)
      // A disk that was late once is not waited for again until it has answered.
      if !isLate { monitor.wait(until: .now + patience) { wanted == nil } }
      if let failure, failure.number == number {
        self.failure = nil
        throw failure.error
      }
      guard let count = copy(into: buffer, at: offset) else {
        (isLate, isTold) = (true, true)
        throw ByteIOError(operation: "read", errno: EAGAIN, byteOffset: offset)
      }
      return count
    }
  }

  private func want(_ number: Int64) {
    guard failure?.number != number else { return }
    failure = nil
    blocks.removeAll { $0.number == number }
    wanted = number
    monitor.signal()
  }

  /// Copies bytes that were read before; returns 0 at the end, `nil` if there are none.
  private func copy(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
    let (number, start) = offset.quotientAndRemainder(dividingBy: Int64(Self.blockByteCount))
    guard let index = blocks.firstIndex(where: { $0.number == number }) else { return nil }
    var block = blocks.remove(at: index)
    defer { blocks.append(block) }
    let count = min(buffer.count, block.bytes.count - Int(start))
    guard count > 0 else {
      defer { block.showsEnd = false }
      return block.showsEnd ? 0 : nil
    }
    block.bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(start)..<Int(start) + count]))
    }
    position = number
    if next != nil { monitor.signal() }
    return count
  }

  /// Waits until the file has so many bytes, at most until the deadline.
  func awaitGrowth(to byteCount: Int64, until deadline: MonotonicTime) {
    monitor.locked { growth = GrowthWait(byteCount: byteCount, deadline: deadline, nextLook: .now) }
    monitor.signal()
  }

  // MARK: On the thread

  private func run() {
    monitor.locked {
      while !isClosed {
        let look = growth?.nextLook
        if let next {
          let outcome = monitor.unlocked { fetch(next) }
          store(outcome, number: next)
        } else if let look, look <= .now {
          let byteCount = monitor.unlocked { file.byteCount ?? 0 }
          noteGrowth(to: byteCount)
        } else {
          monitor.wait(until: look) { isClosed || next != nil || growth?.nextLook != look }
        }
      }
    }
  }

  private var next: Int64? {
    if let wanted { return wanted }
    for number in position..<position + Self.blocksAhead {
      guard let block = blocks.first(where: { $0.number == number }), block.bytes.count == Self.blockByteCount else {
        return nil
      }
      if !blocks.contains(where: { $0.number == number + 1 }) { return number + 1 }
    }
    return nil
  }

  private func fetch(_ number: Int64) -> Result<[UInt8], ByteIOError> {
    Result { () throws(ByteIOError) in
      try file.bytes(from: number * Int64(Self.blockByteCount), byteCount: Self.blockByteCount)
    }
  }

  private func store(_ outcome: Result<[UInt8], ByteIOError>, number: Int64) {
    isLate = false
    switch outcome {
    case .success(let bytes):
      blocks.removeAll { $0.number == number }
      blocks.append(Block(number: number, bytes: bytes, showsEnd: true))
      if blocks.count > Self.blockLimit { blocks.removeFirst() }
    case .failure(let error):
      // Bytes that nobody has asked for are read again when somebody does.
      if number == wanted { failure = (number, error) } else { position = .min }
    }
    guard number == wanted else { return }
    wanted = nil
    if isTold { arrival() }
    isTold = false
    monitor.signal()
  }

  private func noteGrowth(to byteCount: Int64) {
    guard let growth else { return }
    if byteCount >= growth.byteCount || growth.deadline <= .now {
      self.growth = nil
      arrival()
    } else {
      self.growth?.nextLook = min(.now + Self.growthInterval, growth.deadline)
    }
  }
}
