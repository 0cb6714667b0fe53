/// Tells whether bytes are MPEG audio, and where the first packet begins.
enum MPEGAudioProbe {
  /// Looks for packets: one at the very start needs one more behind it, one behind noise needs two; fewer do where the
  /// stream ends.
  static func probe(_ bytes: RawSpan, isLast: Bool) throws(ContainerError) -> ContainerFormat.Match {
    for index in 0..<min(bytes.byteCount, ContainerFormat.probeByteCount) where bytes[index] == 0xff {
      switch chain(bytes, from: index, packetCount: index == 0 ? 2 : 3, isLast: isLast) {
      case .yes: return .packets(from: index)
      case .no: try refuseFreeFormat(bytes, at: index)
      case .needsBytes(let count): return .needsBytes(count)
      }
    }
    if isLast || bytes.byteCount >= ContainerFormat.probeByteCount { return .no }
    return .needsBytes(min(max(4, bytes.byteCount * 2), ContainerFormat.probeByteCount))
  }

  private static func chain(_ bytes: RawSpan, from start: Int, packetCount: Int, isLast: Bool) -> TagReader.Start {
    var (index, first) = (start, nil as MPEGFrameHeader?)
    for number in 0..<packetCount {
      let rest = bytes.byteCount - index
      if rest < 4 {
        if !isLast { return .needsBytes(index + 4) }
        // The end confirms two headers that agree, and a whole packet that is all there is.
        return number > 1 || number == 1 && start == 0 && rest == 0 ? .yes : .no
      }
      guard let header = MPEGFrameHeader(bits: bytes.bigEndian32(at: index)), first?.agrees(with: header) ?? true else {
        guard number > 0 else { return .no }
        let tag = TagReader.start(in: bytes, at: index, isLast: isLast)
        if case .needsBytes(let count) = tag { return .needsBytes(index + count) }
        return tag
      }
      first = first ?? header
      index += header.byteCount
    }
    return .yes
  }

  /// Three headers of free format at equal distances are no accident.
  private static func refuseFreeFormat(_ bytes: RawSpan, at index: Int) throws(ContainerError) {
    func header(_ index: Int) -> UInt32? { bytes.byteCount - index >= 4 ? bytes.bigEndian32(at: index) : nil }
    guard let first = header(index), MPEGFrameHeader.isFreeFormat(first) else { return }
    let longest = 0x2000
    for size in 24..<longest {
      guard let second = header(index + size) else { return }
      guard MPEGFrameHeader.areFreeFormat(first, second) else { continue }
      let isThird = [size - 1, size, size + 1].contains { distance in
        header(index + size + distance).map { MPEGFrameHeader.areFreeFormat(first, $0) } ?? false
      }
      guard isThird else { continue }
      throw ContainerError(
        .unsupportedDataFormat, at: Int64(index),
        "MPEG audio of free format (bit rate index 0) is not supported; encode it anew with a named bit rate")
    }
  }
}
