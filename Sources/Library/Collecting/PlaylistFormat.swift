internal import ByteIO

enum PlaylistFormat: Hashable {
  /// Lines of paths and addresses; also RealAudio's `.ram`.
  case m3u
  /// `File1=…`, as in an INI file; also `Ref1=…` of old Windows Media servers.
  case pls
  /// XML Shareable Playlist Format.
  case xspf
  /// The format of Windows Media, similar to XML.
  case asx
  /// The format of Windows Media Player and Zune: SMIL.
  case wpl
  /// A cue sheet: tracks of files, not files.
  case cue

  /// The format of files with this extension, in lower case; `nil` if they are not playlists.
  init?(fileExtension: String) {
    guard let format = Self.formats[fileExtension] else { return nil }
    self = format
  }

  /// A table, because it is searched for each of up to 100,000 entries of a playlist.
  private static let formats: [String: PlaylistFormat] = [
    "m3u": .m3u, "m3u8": .m3u, "ram": .m3u, "rpm": .m3u, "pls": .pls, "xspf": .xspf, "asx": .asx, "wax": .asx,
    "wvx": .asx, "wpl": .wpl, "zpl": .wpl, "cue": .cue,
  ]

  /// The format of these bytes, by their beginning; `nil` if that is not of a playlist.
  init?(content: [UInt8]) {
    let start = Array(content.prefix(4096)).withoutUTF16.drop { $0 <= 0x20 || [0xef, 0xbb, 0xbf].contains($0) }
    let text = String(decoding: start, as: UTF8.self).lowercased()
    let addresses = ["http://", "https://", "rtsp://", "mms://"]
    if text.hasPrefix("#extm3u") || addresses.contains(where: { text.hasPrefix($0) }) {
      self = .m3u
    } else if text.hasPrefix("[playlist]") || text.hasPrefix("[reference]") {
      self = .pls
    } else if text.hasPrefix("<"), text.contains("<playlist") {
      self = .xspf
    } else if text.hasPrefix("<"), text.contains("<asx") {
      self = .asx
    } else if text.hasPrefix("<"), text.contains("<smil") {
      self = .wpl
    } else {
      return nil
    }
  }

  /// True if a document can only be read as a whole.
  var isXML: Bool { self == .xspf || self == .asx || self == .wpl }

  /// True if this is a list of segments of one stream (HLS, RFC 8216), not of entries to play.
  static func isHLS(_ content: [UInt8]) -> Bool {
    let text = String(decoding: content.prefix(1 << 16), as: UTF8.self)
    return text.contains("#EXT-X-TARGETDURATION") || text.contains("#EXT-X-STREAM-INF")
  }
}
