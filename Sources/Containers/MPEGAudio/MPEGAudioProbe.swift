/// Tells whether bytes are MPEG audio, and where the first packet begins.
enum MPEGAudioProbe {
  /// Looks for packets, at the very start or, if `isSearching`, behind it.
  static func probe(_ bytes: RawSpan, isLast: Bool, isSearching: Bool) throws(ContainerError) -> ContainerFormat.Match {
    let match = SyncProbe<MPEGFrameHeader>.probe(bytes, isLast: isLast, isSearching: isSearching)
    // Behind noise such headers are found by chance.
    if match == .no, !isSearching, let count = try refuseFreeFormat(bytes, at: 0, isLast: isLast) {
      return .needsBytes(count)
    }
    return match
  }

  /// Three headers of free format at equal distances are no accident. Returns the bytes that it takes to tell, if there are
  /// fewer and more to come.
  private static func refuseFreeFormat(
    _ bytes: RawSpan, at index: Int, isLast: Bool
  ) throws(ContainerError) -> Int? {
    func header(_ index: Int) -> UInt32? { bytes.byteCount - index >= 4 ? bytes.bigEndian32(at: index) : nil }
    guard let first = header(index), MPEGFrameHeader.isFreeFormat(first) else { return nil }
    let longest = 0x1000
    guard isLast || bytes.byteCount >= index + 2 * longest + 4 else { return index + 2 * longest + 4 }
    for size in 24..<longest {
      guard let second = header(index + size) else { return nil }
      guard MPEGFrameHeader.areFreeFormat(first, second) else { continue }
      let isThird = [size - 1, size, size + 1].contains { distance in
        header(index + size + distance).map { MPEGFrameHeader.areFreeFormat(first, $0) } ?? false
      }
      guard isThird else { continue }
      throw ContainerError(
        .unsupportedDataFormat, at: Int64(index),
        "MPEG audio of free format (bit rate index 0) is not supported; encode it anew with a named bit rate")
    }
    return nil
  }
}
