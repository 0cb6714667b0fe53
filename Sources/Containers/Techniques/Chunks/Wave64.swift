internal import AudioModel

/// The chunk names and the header of Wave64 (Sony Pictures Digital, "Sony Wave64"): GUIDs in place of four characters.
enum Wave64 {
  /// A GUID, a size of 64 bits, a GUID.
  static let headerByteCount = 40

  /// The name of a chunk of tags, whose GUID has no characters in it.
  static let summaryList = FourCharCode("sumy")

  /// The characters in a GUID; `nil` if it is none of this format.
  static func name(in bytes: RawSpan, at index: Int) -> FourCharCode? {
    let name = FourCharCode(rawValue: bytes.bigEndian32(at: index))
    return switch (bytes.bigEndian32(at: index + 4), bytes.unsigned64(at: index + 8, .big)) {
    case (0xf3ac_d311, 0x8cd1_00c0_4f8e_db8a), (0x2e91_cf11, 0xa5d6_28db_04c1_0000): name
    case (0x5a52_d211, 0x86dc_00c0_4f8e_db8a) where name.rawValue == 0xbc94_5f92: summaryList
    default: nil
    }
  }

  /// The end of the file as its header claims; `nil` if that means nothing. Throws 'typ?' for another format.
  static func end(claimedBy header: RawSpan, at offset: Int64) throws(ContainerError) -> Int64? {
    guard name(in: header, at: 0) == FourCharCode("riff"), name(in: header, at: 24) == FourCharCode("wave") else {
      throw ContainerError(.unsupportedFileType, at: offset, "a file that begins like Wave64, but is not of that type")
    }
    let byteCount = Int64(clamping: header.unsigned64(at: 16, .little))
    return 1..<Chunk.maximumByteCount ~= byteCount ? offset + byteCount : nil
  }
}
