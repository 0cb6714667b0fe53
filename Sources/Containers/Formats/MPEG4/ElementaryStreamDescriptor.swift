/// The content of `esds` (ISO/IEC 14496-14 5.6, 14496-1 7.2.6): the type of the stream, and its decoder's
/// configuration.
struct ElementaryStreamDescriptor {
  /// objectTypeIndication: 0x40 is MPEG-4 audio.
  private(set) var objectType: UInt8 = 0
  /// Bits per second; 0 if they vary.
  private(set) var bitRate = 0
  /// Empty if it is missing.
  private(set) var specificConfig: [UInt8] = []

  /// Descriptors lie in each other: a tag, a size in seven bits per byte, content.
  init?(_ bytes: RawSpan) {
    var position = 0
    while bytes.byteCount - position >= 2 {
      let tag = bytes[position]
      position += 1
      var size = 0
      repeat {
        guard position < bytes.byteCount else { return nil }
        size = (size << 7 | Int(bytes[position] & 0x7f)) & 0xfff_ffff
        position += 1
      } while bytes[position - 1] & 0x80 != 0
      let rest = bytes.byteCount - position
      switch tag {
      case 3:
        // ES_ID, then flags for what else stands here: dependsOn_ES_ID, a URL, OCR_ES_ID.
        guard rest >= 4 else { return nil }
        let flags = bytes[position + 2]
        position += 3 + (flags & 0x80 != 0 ? 2 : 0)
        if flags & 0x40 != 0, position < bytes.byteCount { position += 1 + Int(bytes[position]) }
        position += flags & 0x20 != 0 ? 2 : 0
      case 4:
        guard rest >= 13 else { return nil }
        objectType = bytes[position]
        bitRate = Int(bytes.bigEndian32(at: position + 9))
        position += 13
      case 5:
        specificConfig = bytes.copy(position..<position + min(size, rest))
        return
      default:
        position += min(size, rest)
      }
    }
    if objectType == 0 { return nil }
  }
}
