/// MPEG audio whose headers do not state the bit rate. All frames have the same size except for padding: it is the
/// distance between the first two headers (ISO/IEC 11172-3 2.4.2.3).
enum MPEGFreeFormat {
  /// The result for the start of some bytes.
  enum Detection {
    /// A frame of such a stream.
    case frame(MPEGFrameHeader)
    case no
    /// More bytes are needed to decide.
    case needsBytes(Int)
  }

  /// Longer frames are not detected: 640 kbit/s at 32 kHz takes 2,880 bytes.
  private static let maximumByteCount = 0x1000
  private static let minimumByteCount = 24

  /// Examines the start of `bytes`. Three headers at equal distances are not a coincidence.
  static func detect(_ bytes: RawSpan, isLast: Bool) -> Detection {
    guard bytes.byteCount >= 4 else { return isLast ? .no : .needsBytes(4) }
    let first = bytes.bigEndian32(at: 0)
    guard MPEGFrameHeader.isFreeFormat(first) else { return .no }
    let enough = 2 * maximumByteCount + 8
    guard isLast || bytes.byteCount >= enough else { return .needsBytes(enough) }
    for byteCount in minimumByteCount..<maximumByteCount {
      guard let header = MPEGFrameHeader(free: first, byteCount: byteCount) else { return .no }
      guard let second = follower(of: header, in: bytes, at: byteCount) else { continue }
      if follower(of: header, in: bytes, at: byteCount + second.byteCount) != nil { return .frame(header) }
    }
    return .no
  }

  private static func follower(of header: MPEGFrameHeader, in bytes: RawSpan, at index: Int) -> MPEGFrameHeader? {
    guard bytes.byteCount - index >= 4, let found = MPEGFrameHeader.read(bytes, at: index, like: header) else {
      return nil
    }
    return found.agrees(with: header) ? found : nil
  }
}
