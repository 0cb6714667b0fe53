// Looks ahead for the end and for places to seek to.
extension LibavAudioFile {
  /// Finds out more than `other` knows, for about so many bytes of the source: where frames are numbered, what the last
  /// one is; else where packets lie and which frames they decode to, by decoding them.
  public func lookAhead(of other: LibavAudioFile, byteBudget: Int64) throws(LibavError) {
    adopt(other)
    if isNumbered, let promised = promisedFrameCount, index.packetCount == 0 || nextFrame < promised - 1 {
      try seek(toFrame: promised - 1)
    } else if !isNumbered, knownFrameCount > nextFrame {
      try seek(toFrame: knownFrameCount)
    }
    let start = byteOffset
    var chunk = Chunk()
    while frameCount == nil, byteOffset - start < byteBudget {
      guard try next(into: &chunk) else { break }
    }
  }
}
