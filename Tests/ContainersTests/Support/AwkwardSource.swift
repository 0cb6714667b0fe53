import ByteIO
import Synchronization

/// Bytes in memory that can be awkward: not know their number, give few at a time, and have faults (those of
/// ExoPlayer's `FakeExtractorInput`).
final class AwkwardSource: ByteSource {
  struct Faults: OptionSet, Sendable {
    let rawValue: Int
    /// The first read of a range, known by its end, gives one byte.
    static let short = Faults(rawValue: 1)
    /// The first read at each place fails.
    static let failing = Faults(rawValue: 2)
  }

  private let bytes: [UInt8]
  private let mostBytesAtATime: Int
  private let knowsLength: Bool
  private let faults: Faults
  private let seen = Mutex((starts: Set<Int64>(), ends: Set<Int64>()))

  init(_ bytes: [UInt8], mostBytesAtATime: Int = .max, knowsLength: Bool = true, faults: Faults = []) {
    self.bytes = bytes
    self.mostBytesAtATime = mostBytesAtATime
    self.knowsLength = knowsLength
    self.faults = faults
  }

  var byteCount: Int64? { knowsLength ? Int64(bytes.count) : nil }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ByteIOError) -> Int {
    if faults.contains(.failing), seen.withLock({ $0.starts.insert(offset).inserted }) {
      throw ByteIOError(operation: "read", errno: 5, byteOffset: offset)
    }
    guard offset >= 0, offset < bytes.count else { return 0 }
    var count = min(buffer.count, mostBytesAtATime, bytes.count - Int(offset))
    if faults.contains(.short), seen.withLock({ $0.ends.insert(offset + Int64(buffer.count)).inserted }) {
      count = min(1, count)
    }
    buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
    return count
  }
}
