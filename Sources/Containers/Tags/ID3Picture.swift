internal import AudioModel

/// The header of a picture in ID3v2 (`APIC`, in 2.2 `PIC`).
///
///     encoding u8   MIME type, zero (in 2.2 three characters)   kind u8   description, zero   picture
struct ID3Picture {
  let mimeType: String
  let kind: TrackTags.Artwork.Kind
  /// Index of the picture's first byte.
  let start: Int

  /// `nil` if the bytes end before the picture begins, or if it is a link to one.
  init?(_ content: ArraySlice<UInt8>, version: UInt8) {
    guard let encoding = content.first else { return nil }
    let name: ArraySlice<UInt8>
    var rest = content.dropFirst()
    if version == 2 {
      (name, rest) = (rest.prefix(3), rest.dropFirst(3))
    } else {
      guard let end = rest.firstIndex(of: 0) else { return nil }
      (name, rest) = (rest[..<end], rest[(end + 1)...])
    }
    kind = TrackTags.Artwork.Kind(pictureType: rest.popFirst().map(UInt32.init) ?? 0)
    let unit = encoding == 1 || encoding == 2 ? 2 : 1
    guard
      let end = stride(from: rest.startIndex, to: rest.endIndex - unit + 1, by: unit)
        .first(where: { rest[$0] == 0 && rest[$0 + unit - 1] == 0 })
    else { return nil }
    guard !name.elementsEqual("-->".utf8) else { return nil }
    start = end + unit
    mimeType = Self.mimeType(TagText.latin1(name), rest[start...])
  }

  private static func mimeType(_ name: String, _ bytes: ArraySlice<UInt8>) -> String {
    if name.contains("/") { return name.lowercased() }
    switch name.uppercased() {
    case "PNG": return "image/png"
    case "JPG", "JPEG": return "image/jpeg"
    default: return bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) ? "image/png" : "image/jpeg"
    }
  }
}
