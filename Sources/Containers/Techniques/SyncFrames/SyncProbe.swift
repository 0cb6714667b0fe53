/// Recognizes frames of a format, and finds the first one.
enum SyncProbe<Header: SyncFrameHeader> {
  /// Looks for frames: one at the very start needs one more after it, one after noise, looked for if `isSearching`,
  /// needs three; fewer do where the stream ends.
  static func probe(_ bytes: RawSpan, isLast: Bool, isSearching: Bool) -> ContainerFormat.Match {
    guard isSearching else {
      switch chain(bytes, from: 0, frameCount: 2, isLast: isLast) {
      case .yes: return .packets(from: 0)
      case .no: return .no
      case .needsBytes(let count): return .needsBytes(count)
      }
    }
    for index in 0..<min(bytes.byteCount, ContainerFormat.probeByteCount) where bytes[index] == Header.firstByte {
      switch chain(bytes, from: index, frameCount: 4, isLast: isLast) {
      case .yes: return .packets(from: index)
      case .no: continue
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
        return endConfirms(number, rest: rest, of: bytes, from: start) ? .yes : .no
      }
      guard let header = Header(bytes, at: index), first.map(header.agrees) ?? true else {
        guard number > 0, !(frameCount > 2 && number == 1) else { return .no }
        let tag = TagReader.start(in: bytes, at: index, isLast: isLast, onlyAtEnd: number == 1)
        if case .needsBytes(let count) = tag { return .needsBytes(index + count) }
        return tag
      }
      guard start == 0 || header.isRareInNoise else { return .no }
      first = first ?? header
      index += header.byteCount
    }
    return .yes
  }

  /// True if the end of the stream, `rest` bytes after `number` frames, confirms those. At the very start it does two
  /// headers that agree, and a whole frame that is all there is but for a part of a header; after noise it does three
  /// headers, and two frames that end there.
  private static func endConfirms(_ number: Int, rest: Int, of bytes: RawSpan, from start: Int) -> Bool {
    guard start == 0 else { return number > 2 || number == 2 && rest == 0 }
    let isBeginning = rest == 0 || rest > 0 && bytes[bytes.byteCount - rest] == Header.firstByte
    return number > 1 || number == 1 && isBeginning
  }
}
