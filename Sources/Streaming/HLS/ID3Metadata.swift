internal import AudioModel
internal import ByteIO

/// The title and the time in an ID3 tag within a stream: segments of packed audio begin with a tag (RFC 8216 3.4), and
/// transport streams contain tags between audio packets. Pure.
struct ID3Metadata: Hashable {
  /// `Artist - Title`, or the title alone.
  var title: String?
  /// The time of the first frame after the tag: 90,000 units per second, 33 bits.
  var time: UInt64?
  /// Size of the whole tag.
  var byteCount: Int

  private static let clockOwner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]

  /// Bytes of a tag past this limit, mostly pictures, are ignored.
  private static let byteLimit = 1 << 16

  // ID3v2.3 and 2.4: "ID3" version u8 u8  flags u8  size 4 x 7 bits; frames: id 4 letters, size u32 (2.4: 4 x 7 bits),
  // flags u16, content.

  /// Reads the tag at the start of `bytes`; `nil` if there is none. Incomplete and malformed frames are ignored.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 10, bytes.starts(with: "ID3".utf8) else { return nil }
    let bytes = Array(bytes.prefix(Self.byteLimit))
    byteCount = 10 + Self.number(bytes[6..<10], bits: 7) + (bytes[5] & 0x10 != 0 ? 10 : 0)
    guard 3...4 ~= bytes[3], bytes[5] & 0x40 == 0 else { return }
    var rest = bytes[10..<min(byteCount, bytes.count)]
    var (name, artist) = (nil as String?, nil as String?)
    while rest.count > 10 {
      let start = rest.startIndex
      let size = Self.number(rest[(start + 4)..<(start + 8)], bits: bytes[3] == 4 ? 7 : 8)
      let content = rest.dropFirst(10).prefix(size)
      guard rest[start] != 0, content.count == size else { break }
      switch String(decoding: rest.prefix(4), as: UTF8.self) {
      case "TIT2": name = Self.text(content)
      case "TPE1": artist = Self.text(content)
      case "PRIV" where content.starts(with: Self.clockOwner) && size == Self.clockOwner.count + 8:
        time = content.suffix(8).reduce(0) { $0 << 8 | UInt64($1) } & (1 << 33 - 1)
      default: break
      }
      rest = rest.dropFirst(10 + size)
    }
    title = name.map { name in artist.map { "\($0) - \(name)" } ?? name }
  }

  private static func number(_ bytes: ArraySlice<UInt8>, bits: Int) -> Int {
    bytes.reduce(0) { $0 << bits | Int($1) & (1 << bits - 1) }
  }

  // Encoding u8: 0 ISO 8859-1, 1 UTF-16 with a mark, 2 UTF-16 big-endian, 3 UTF-8. Only the first of several texts is
  // used.
  private static func text(_ content: ArraySlice<UInt8>) -> String? {
    guard let encoding = content.first else { return nil }
    var bytes = Array(content.dropFirst())
    let text: String
    if encoding == 1 || encoding == 2 {
      let isLittle = encoding == 1 && bytes.starts(with: [0xff, 0xfe])
      if isLittle || bytes.starts(with: [0xfe, 0xff]) { bytes.removeFirst(2) }
      let units = stride(from: 0, to: bytes.count - 1, by: 2).map { place in
        UInt16(bytes[place + (isLittle ? 1 : 0)]) << 8 | UInt16(bytes[place + (isLittle ? 0 : 1)])
      }
      text = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
    } else {
      text = String(guessing: bytes.prefix { $0 != 0 })
    }
    return text.visible
  }
}
