internal import AudioModel

/// A picture of FLAC (RFC 9639 8.8): u32 kind, MIME type and description with u32 sizes before them, width, height,
/// depth and colours u32, u32 size, the picture.
struct FLACPicture {
  private static let maximumMIMETypeByteCount = 255

  /// The bytes of the picture block that are read: the part up to the size of the description.
  static func headByteCount(_ head: [UInt8]) -> Int {
    head.count < 8 ? 8 : 8 + min(maximumMIMETypeByteCount, Int(head.span.bytes.bigEndian32(at: 4))) + 4
  }

  let mimeType: String
  let kind: TrackTags.Artwork.Kind
  /// The picture's place in the block.
  let range: Range<Int>

  /// Reads the beginning of a block; `nil` if it is malformed.
  init?(head: RawSpan, blockByteCount: Int = .max) {
    guard head.byteCount >= 8, case let size = head.bigEndian32(at: 4), size <= Self.maximumMIMETypeByteCount,
      head.byteCount >= 8 + Int(size)
    else { return nil }
    kind = TrackTags.Artwork.Kind(pictureType: head.bigEndian32(at: 0))
    mimeType = String(decoding: head.copy(8..<8 + Int(size)), as: UTF8.self)
    guard blockByteCount < .max else {
      range = 0..<0
      return
    }
    let descriptionStart = 8 + Int(size) + 4
    guard head.byteCount >= descriptionStart else { return nil }
    let start = descriptionStart + Int(head.bigEndian32(at: descriptionStart - 4)) + 20
    guard start < blockByteCount else { return nil }
    range = start..<blockByteCount
  }
}
