/// Tells whether bytes are frames of a kind, and where the first begins.
enum SyncProbe<Header: SyncFrameHeader> {
  /// Looks for frames: one at the very start needs one more behind it, one behind noise needs three; fewer do where the
  /// stream ends. `refuse` is shown every place where a frame might begin and none does; it may say how many bytes it needs.
  static func probe(
    _ bytes: RawSpan, isLast: Bool, refuse: (RawSpan, Int, Bool) throws(ContainerError) -> Int? = { _, _, _ in nil }
  ) throws(ContainerError) -> ContainerFormat.Match {
    for index in 0..<min(bytes.byteCount, ContainerFormat.probeByteCount) where bytes[index] == Header.firstByte {
      switch chain(bytes, from: index, frameCount: index == 0 ? 2 : 4, isLast: isLast) {
      case .yes: return .packets(from: index)
      case .no: if let count = try refuse(bytes, index, isLast) { return .needsBytes(count) }
      case .needsBytes(let count): return .needsBytes(count)
      }
    }
    if isLast || bytes.byteCount >= ContainerFormat.probeByteCount { return .no }
    return .needsBytes(min(max(Header.lookahead, bytes.byteCount * 2), ContainerFormat.probeByteCount))
  }

  private static func chain(_ bytes: RawSpan, from start: Int, frameCount: Int, isLast: Bool) -> TagReader.Start {
    var (index, first) = (start, nil as Header?)
    for number in 0..<frameCount {
      let rest = bytes.byteCount - index
      if rest < Header.lookahead {
        if !isLast { return .needsBytes(index + Header.lookahead) }
        // The end confirms two headers that agree, and a whole frame that is all there is but for a part of a header.
        let isBeginning = rest == 0 || rest > 0 && bytes[index] == Header.firstByte
        return number > 1 || number == 1 && start == 0 && isBeginning ? .yes : .no
      }
      guard let header = Header(bytes, at: index), first.map(header.agrees) ?? true else {
        guard number > 0 else { return .no }
        let tag = TagReader.start(in: bytes, at: index, isLast: isLast)
        if case .needsBytes(let count) = tag { return .needsBytes(index + count) }
        return tag
      }
      guard start == 0 || header.isRareInNoise else { return .no }
      first = first ?? header
      index += header.byteCount
    }
    return .yes
  }
}
