internal import AudioModel

/// Cookies as they stand in `kuki` chunks, turned into what decoders take (`AudioDecoders`).
enum CAFCookie {
  static func normalised(_ cookie: [UInt8]?, _ format: AudioStreamBasicDescription, priming: Int) -> [UInt8]? {
    switch format.formatID {
    case .aac, .aacHE, .aacHEv2: return cookie.flatMap(audioSpecificConfig)
    case .appleLossless: return cookie.flatMap(alac)
    case .flac: return cookie.flatMap(flac)
    case .opus: return opus(cookie, format, priming: priming)
    default: return cookie
    }
  }

  /// The AudioSpecificConfig in an ES descriptor (ISO/IEC 14496-1 7.2.6), or one that stands alone.
  private static func audioSpecificConfig(_ cookie: [UInt8]) -> [UInt8]? {
    guard cookie.first == 0x03 else { return cookie.isEmpty ? nil : cookie }
    var rest = cookie[...]
    // A descriptor's tag and size, and what stands before the one inside it. Returns its size.
    func enter(_ tag: UInt8, passing byteCount: Int) -> Int? {
      guard rest.popFirst() == tag else { return nil }
      var size = 0
      while let byte = rest.popFirst() {
        size = size &<< 7 | Int(byte & 0x7f)
        if byte < 0x80 { break }
      }
      rest = rest.dropFirst(byteCount)
      return size
    }
    // Identifier and flags; object type, buffer size and bit rates; the config.
    guard enter(3, passing: 3) != nil, enter(4, passing: 13) != nil, let size = enter(5, passing: 0) else { return nil }
    return Array(rest.prefix(max(0, size)))
  }

  /// Without the atoms around it: `frma`, then `alac` with four bytes of version.
  private static func alac(_ cookie: [UInt8]) -> [UInt8]? {
    var rest = cookie[...]
    for (name, byteCount) in [("frma", 12), ("alac", 12)] where rest.dropFirst(4).starts(with: name.utf8) {
      rest = rest.dropFirst(byteCount)
    }
    return rest.count >= 24 ? Array(rest.prefix(rest.count >= 48 ? 48 : 24)) : nil
  }

  /// STREAMINFO with its header behind `fLaC`: it may come in a `dfLa` atom, alone, or without its header.
  private static func flac(_ cookie: [UInt8]) -> [UInt8]? {
    var rest = cookie[...]
    if rest.dropFirst(4).starts(with: "dfLa".utf8) { rest = rest.dropFirst(12) }
    if rest.starts(with: "fLaC".utf8) { rest = rest.dropFirst(4) }
    if rest.count >= 38, rest.first.map({ $0 & 0x7f }) == 0, rest.dropFirst().starts(with: [0, 0, 34]) {
      rest = rest.dropFirst(4)
    }
    return rest.count >= 34 ? Array("fLaC".utf8) + [0x80, 0, 0, 34] + rest.prefix(34) : nil
  }

  /// Apple's own cookie is not documented; what a head says follows from the rest of the file (RFC 7845 5.1).
  private static func opus(
    _ cookie: [UInt8]?, _ format: AudioStreamBasicDescription, priming: Int
  ) -> [UInt8]? {
    if let cookie, cookie.starts(with: "OpusHead".utf8) { return cookie }
    guard format.channelsPerFrame <= 2 else { return nil }
    let delay = UInt16(clamping: priming)
    return Array("OpusHead".utf8)
      + [1, UInt8(format.channelsPerFrame), UInt8(delay & 0xff), UInt8(delay >> 8), 0x80, 0xbb, 0, 0, 0, 0, 0]
  }
}
