internal import AudioModel
internal import ByteIO

/// The tags in the header of ASF, which holds WMA (Advanced Systems Format Specification 01.20.03, 3 and 4).
///
/// libavformat returns one of several values of a name, not all names, and nothing of encrypted files.
struct ASFTags {
  private var tags = TrackTags()

  /// The tags of a source; empty for other formats.
  static func read(from source: any ByteSource) throws(ContainerError) -> TrackTags {
    let header = try source.bytes(at: 0, byteCount: headerByteCount)
    guard header.count == headerByteCount, header.span.bytes.littleEndian64(at: 0) == Object.header else {
      return TrackTags()
    }
    let byteCount = Int(clamping: header.span.bytes.littleEndian64(at: 16)) - headerByteCount
    let content = try source.bytes(at: Int64(headerByteCount), byteCount: max(0, min(byteCount, maximumByteCount)))
    var reader = ASFTags()
    reader.readObjects(content[...], isInside: false)
    return reader.tags
  }

  /// The header object: GUID of 16 bytes, size u64, number of objects u32, two bytes.
  private static let headerByteCount = 30
  /// More of the header is not read; pictures are in it.
  private static let maximumByteCount = 1 << 22

  /// The first halves of GUIDs as numbers, little-endian.
  private enum Object {
    static let header: UInt64 = 0x11cf_668e_75b2_2630
    static let contentDescription: UInt64 = 0x11cf_668e_75b2_2633
    static let extendedContentDescription: UInt64 = 0x11d2_e307_d2d0_a440
    static let headerExtension: UInt64 = 0x11cf_a92e_5fbf_03b5
    static let metadata: UInt64 = 0x4877_5baf_c5f8_cbea
    static let metadataLibrary: UInt64 = 0x49d1_9498_4423_1c94
  }

  /// Objects: GUID of 16 bytes, size u64 that counts both, content.
  private mutating func readObjects(_ bytes: ArraySlice<UInt8>, isInside: Bool) {
    var (rest, inner) = (bytes, [] as ArraySlice<UInt8>)
    while let id = number(8, &rest), take(8, &rest) != nil, let size = number(8, &rest), size >= 24 {
      guard var content = take(Int(clamping: size) - 24, &rest) else { break }
      switch id {
      case Object.contentDescription: readDescription(&content)
      case Object.extendedContentDescription: readAttributes(&content, isLibrary: false)
      case Object.metadata, Object.metadataLibrary: readAttributes(&content, isLibrary: true)
      // GUID of 16 bytes, u16, size u32, objects.
      case Object.headerExtension: inner = content.dropFirst(22)
      default: break
      }
    }
    // Further values of names that are elsewhere in the header.
    if !isInside { readObjects(inner, isInside: true) }
  }

  /// 3.10: five sizes u16; title, author, copyright, description, rating.
  private mutating func readDescription(_ content: inout ArraySlice<UInt8>) {
    let sizes = (0..<5).map { _ in Int(number(2, &content) ?? 0) }
    for (name, size) in zip(["Title", "Author", "Copyright", "Description"], sizes) {
      guard let value = take(size, &content) else { return }
      add(text(value), named: name)
    }
  }

  /// Attributes, their number u16 before them. 3.11: size of the name u16, name, type u16, size of the value u16, value.
  /// 4.7, 4.8 (`isLibrary`): language u16, stream u16, size of the name u16, type u16, size of the value u32, name, value.
  private mutating func readAttributes(_ content: inout ArraySlice<UInt8>, isLibrary: Bool) {
    for _ in 0..<(number(2, &content) ?? 0) {
      if isLibrary, take(4, &content) == nil { return }
      guard let nameByteCount = number(2, &content) else { return }
      var name = isLibrary ? nil : take(Int(nameByteCount), &content)
      guard let type = number(2, &content), let byteCount = number(isLibrary ? 4 : 2, &content) else { return }
      if isLibrary { name = take(Int(nameByteCount), &content) }
      guard let name, let value = take(Int(byteCount), &content) else { return }
      add(text(value, type: type), named: text(name))
    }
  }

  /// The two kinds of attributes repeat some of what the description says.
  private mutating func add(_ value: String, named name: String) {
    let plain = name.hasPrefix("WM/") ? String(name.dropFirst(3)) : name
    switch plain {
    case "Author" where tags.artist == value, "Description" where tags.comment == value: break
    // Counted from 0.
    case "Track": if let index = Int(value), index < 1 << 16 { tags.add(String(index + 1), named: "TRACK") }
    default: tags.add(value, named: Self.names[plain] ?? plain)
    }
  }

  /// The names that differ from those of Vorbis comments by more than "WM/".
  private static let names = [
    "Author": "ARTIST", "AlbumTitle": "ALBUM", "PartOfSet": "DISC",
  ].merging(TrackTags.Fields.Name.rows(by: \.asf).mapValues { $0.common[0] }) { first, _ in first }

  // MARK: Values

  /// Types: 0 text, 1 bytes, 2 to 5 truth and numbers.
  private func text(_ value: ArraySlice<UInt8>, type: UInt64) -> String {
    switch type {
    case 0: return text(value)
    case 2...5:
      var rest = value
      return number(min(8, value.count), &rest).map(String.init) ?? ""
    default: return ""
    }
  }

  /// UTF-16, little-endian.
  private func text(_ bytes: ArraySlice<UInt8>) -> String { TagText.utf16(bytes, isBigEndian: false).first ?? "" }

  private func take(_ byteCount: Int, _ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard 0...rest.count ~= byteCount else { return nil }
    defer { rest = rest.dropFirst(byteCount) }
    return rest.prefix(byteCount)
  }

  /// A number of up to 8 bytes, little-endian.
  private func number(_ byteCount: Int, _ rest: inout ArraySlice<UInt8>) -> UInt64? {
    take(byteCount, &rest)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
