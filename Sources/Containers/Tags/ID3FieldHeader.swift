extension ID3v2Reader {
  /// The header of each field of a tag: name, size, and from 2.3 on two bytes of flags.
  struct FieldHeader {
    /// Three characters in 2.2, else four.
    let id: String
    /// Bytes that follow.
    let byteCount: Int
    /// In 2.4, the size if it was written with eight bits per byte, if that differs.
    let plainByteCount: Int?
    private let version: UInt8
    private let flags: UInt8

    static func byteCount(_ version: UInt8) -> Int { version == 2 ? 6 : 10 }

    /// `nil` for padding and malformed fields.
    init?(_ bytes: RawSpan, version: UInt8) {
      let idByteCount = version == 2 ? 3 : 4
      guard (0..<idByteCount).allSatisfy({ Self.isIDCharacter(bytes[$0]) }) else { return nil }
      id = String(decoding: bytes.copy(0..<idByteCount), as: UTF8.self)
      let plain = version == 2 ? Int(bytes.bigEndian24(at: 3)) : Int(bytes.bigEndian32(at: 4))
      byteCount = version == 4 ? bytes.synchsafe32(at: 4) ?? plain : plain
      plainByteCount = byteCount == plain ? nil : plain
      flags = version == 2 ? 0 : bytes[9]
      self.version = version
    }

    /// True if a field, padding or the end can be at `index`.
    static func canBegin(_ bytes: RawSpan, at index: Int) -> Bool {
      guard bytes.byteCount - index >= 4 else { return true }
      return bytes.bigEndian32(at: index) == 0 || (index..<index + 4).allSatisfy { isIDCharacter(bytes[$0]) }
    }

    private static func isIDCharacter(_ byte: UInt8) -> Bool {
      UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// Neither compressed nor encrypted.
    var isReadable: Bool { flags & (version == 4 ? 0x0c : 0xc0) == 0 }

    /// True if it is unsynchronised by itself, as the tag says of all fields, or the field of itself.
    func isUnsynchronised(in header: Header) -> Bool { version == 4 && (header.isUnsynchronised || flags & 0x02 != 0) }

    /// The field's content, without the additions that the flags announce.
    func payload(of content: [UInt8], in header: Header) -> ArraySlice<UInt8> {
      guard version == 4 else { return content.dropFirst(flags & 0x20 != 0 ? 1 : 0) }
      let plain = isUnsynchronised(in: header) ? Unsynchronisation.undone(content) : content
      return plain.dropFirst((flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0))
    }
  }
}
