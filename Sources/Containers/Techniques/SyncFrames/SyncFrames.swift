internal import AudioModel

/// Finds frames with sync words, one after the other, with tags and anything else between them.
///
/// A frame is believed if another that agrees with the first, a tag or the end follows it.
struct SyncFrames<Header: SyncFrameHeader> {
  /// The first frame's header: later ones must agree with it.
  let reference: Header
  private var tagReader = TagReader()
  private var state = State.locked

  private enum State {
    /// At the expected start of a frame or a tag.
    case locked
    /// Anywhere.
    case lost
    /// In a tag between frames.
    case tag
  }

  /// The finding at a place.
  enum Found {
    /// A whole frame.
    case frame(Header)
    /// Something else, or too few bytes to decide.
    case step(ParserStep)
    /// Nothing: the stream ends here.
    case end
  }

  /// Continues at a frame that was found with care.
  init(reference: Header) { self.reference = reference }

  /// The tags so far.
  var tags: TrackTags { tagReader.tags }

  /// Continues elsewhere: where a frame begins, or anywhere.
  mutating func resume(isFrameStart: Bool) { state = isFrameStart ? .locked : .lost }

  /// The finding at the beginning of `bytes`.
  @inline(__always)
  mutating func next(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> Found {
    switch state {
    case .locked: locked(bytes, at: offset, isLast: isLast)
    case .lost: search(bytes, at: offset, isLast: isLast)
    case .tag: tag(bytes, at: offset, isLast: isLast)
    }
  }

  // MARK: One frame after the other

  @inline(__always)
  private func header(in bytes: RawSpan, at index: Int) -> Header? {
    guard let header = Header.read(bytes, at: index, like: reference), header.agrees(with: reference) else {
      return nil
    }
    return header
  }

  private mutating func locked(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> Found {
    guard bytes.byteCount >= Header.lookahead else {
      if !isLast { return .step(.needsBytes(Header.lookahead)) }
      return bytes.byteCount == 0 ? .end : search(bytes, at: offset, isLast: isLast)
    }
    guard let header = header(in: bytes, at: 0) else {
      switch TagReader.start(in: bytes, isLast: isLast) {
      case .yes: state = .tag
      case .no: state = .lost
      case .needsBytes(let count): return .step(.needsBytes(count))
      }
      return state == .tag ? tag(bytes, at: offset, isLast: isLast) : search(bytes, at: offset, isLast: isLast)
    }
    let byteCount = header.byteCount
    switch continuation(of: bytes, at: byteCount, isLast: isLast) {
    case .yes: return .frame(header)
    case .needsBytes(let count): return .step(.needsBytes(byteCount + count))
    case .no: return doubtful(header, bytes, isLast: isLast)
    }
  }

  /// A frame with noise after it, or none: it may be the beginning of one, cut short by the next or by a tag.
  private func doubtful(_ header: Header, _ bytes: RawSpan, isLast: Bool) -> Found {
    let byteCount = header.byteCount
    let lookahead = byteCount + reference.maximumByteCount + ID3v1.byteCount + Header.lookahead
    guard bytes.byteCount >= lookahead || isLast else { return .step(.needsBytes(lookahead)) }
    for index in 1..<max(1, min(byteCount, bytes.byteCount))
    where beginning(in: bytes, at: index, isLast: isLast) == .yes {
      return .step(.found(.truncatedPacket, byteCount: Int64(index)))
    }
    guard bytes.byteCount >= byteCount else {
      return .step(.found(.truncatedPacket, byteCount: Int64(bytes.byteCount)))
    }
    return .frame(header)
  }

  private mutating func tag(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> Found {
    if let step = tagReader.step(bytes, at: offset, isLast: isLast) { return .step(step) }
    state = .locked
    return locked(bytes, at: offset, isLast: isLast)
  }

  // MARK: Finding frames again

  private mutating func search(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> Found {
    for index in 0..<bytes.byteCount {
      switch beginning(in: bytes, at: index, isLast: isLast) {
      case .no: continue
      case .needsBytes(let count) where index == 0: return .step(.needsBytes(count))
      case .yes:
        state = .locked
        if index == 0 { return locked(bytes, at: offset, isLast: isLast) }
      default: break
      }
      return .step(.found(.garbage, byteCount: Int64(index)))
    }
    if bytes.byteCount > 0 { return .step(.found(.garbage, byteCount: Int64(bytes.byteCount))) }
    return isLast ? .end : .step(.needsBytes(Header.lookahead))
  }

  /// True if a frame with something sensible after it, or a tag, begins at `index`.
  @inline(__always)
  private func beginning(in bytes: RawSpan, at index: Int, isLast: Bool) -> TagReader.Start {
    guard bytes[index] == Header.firstByte else {
      return TagReader.start(in: bytes, at: index, isLast: isLast, onlyAtEnd: true)
    }
    guard bytes.byteCount - index >= Header.lookahead else { return isLast ? .no : .needsBytes(Header.lookahead) }
    guard let header = header(in: bytes, at: index) else { return .no }
    switch continuation(of: bytes, at: index + header.byteCount, isLast: isLast) {
    case .needsBytes(let count): return .needsBytes(header.byteCount + count)
    case let answer: return answer
    }
  }

  /// True if what stands at `index`, where a frame ends, confirms it: a header that agrees, a tag, or the end.
  @inline(__always)
  private func continuation(of bytes: RawSpan, at index: Int, isLast: Bool) -> TagReader.Start {
    let rest = bytes.byteCount - index
    guard rest >= Header.lookahead else {
      if !isLast { return .needsBytes(Header.lookahead) }
      return rest == 0 || rest > 0 && bytes[index] == Header.firstByte ? .yes : .no
    }
    return header(in: bytes, at: index) != nil ? .yes : TagReader.start(in: bytes, at: index, isLast: isLast)
  }
}
