internal import AudioModel

/// The `pakt` chunk: the frames to play, and the size of each packet, its frames, or both, whichever
/// `desc` leaves open. Kept as it is in the file, 1 to 3 bytes for each.
///
///     0 packets, i64   8 valid frames, i64   16 priming frames, i32   20 remainder frames, i32   24 numbers
///
/// A number is seven bits per byte, highest first; a byte with the high bit set has more after it.
struct CAFPacketTable {
  private static let headerByteCount = 24
  /// 50 hours of AAC.
  private static let maximumByteCount = 1 << 24

  private var bytes: [UInt8] = []
  /// True if all of the chunk was read.
  private(set) var isComplete = false

  mutating func read(_ content: RawSpan, of chunk: Chunk, isLast: Bool) throws(ContainerError) {
    guard bytes.count + content.byteCount <= Self.maximumByteCount else {
      throw ContainerError(.invalidFile, at: chunk.contentOffset, "a table of packets of more than 16 MiB")
    }
    content.withUnsafeBytes { bytes.append(contentsOf: $0) }
    guard isLast else { return }
    guard bytes.count >= Self.headerByteCount else {
      throw ContainerError(.invalidFile, at: chunk.contentOffset, "24 bytes or more of 'pakt', not \(bytes.count)")
    }
    isComplete = true
  }

  private func field(_ index: Int) -> Int64 {
    isComplete ? Int64(bitPattern: bytes.span.bytes.unsigned64(at: index, .big)) : 0
  }

  /// Packets, as claimed.
  var packetCount: Int64 { field(0) }
  var validFrames: Int64 { field(8) }
  var primingFrames: Int { Int(Int32(truncatingIfNeeded: field(16) >> 32)) }

  /// The trim of `frameCount` frames, as far as the numbers make sense; `nil` if they do not.
  /// `scale` is how many of those make one of the table's; `defaultPriming` of those count where the table has none.
  func trim(_ frameCount: Int64, scale: Int, defaultPriming: Int = 0) -> AudioFilePacketTableInfo? {
    let priming = primingFrames == 0 ? Int64(defaultPriming) : Int64(primingFrames) * Int64(scale)
    guard isComplete, validFrames > 0, 0...frameCount ~= priming else { return nil }
    let valid = min(validFrames.multipliedReportingOverflow(by: Int64(scale)).partialValue, frameCount - priming)
    guard valid > 0 else { return nil }
    return AudioFilePacketTableInfo(
      validFrames: valid, primingFrames: Int(priming), remainderFrames: Int(frameCount - priming - valid))
  }

  /// Goes through the numbers.
  struct Position: Equatable {
    /// Index in `bytes`.
    fileprivate(set) var index = CAFPacketTable.headerByteCount

    init(state: Int32 = 0) { index = max(index, Int(state)) }

    /// The state to remember.
    var state: Int32 { Int32(truncatingIfNeeded: index) }
  }

  /// The next number; `nil` after the last one, or if it is malformed.
  @inline(__always)
  func next(_ position: inout Position) -> Int? {
    var value = 0
    for _ in 0..<4 {
      guard position.index < bytes.count else { return nil }
      let byte = bytes[position.index]
      position.index += 1
      value = value << 7 | Int(byte & 0x7f)
      if byte < 0x80 { return value }
    }
    return nil
  }
}
