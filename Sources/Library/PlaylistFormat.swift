internal import ByteIO

/// The syntax of a playlist.
enum PlaylistFormat: Hashable {
  /// Lines of paths and addresses; RealAudio's `.ram` is that, too.
  case m3u
  /// `File1=…`, as in an INI file; also what Windows Media servers once sent (`Ref1=…`).
  case pls
  /// XML Shareable Playlist Format.
  case xspf
  /// Windows Media's, nearly XML.
  case asx
  /// A cue sheet: tracks of files, not files.
  case cue

  /// The format of files with this extension, in lower case; `nil` if it is no playlist.
  init?(fileExtension: String) {
    guard let format = Self.formats[fileExtension] else { return nil }
    self = format
  }

  /// A table: a playlist may ask for each of 100,000 entries whether it is one, too.
  private static let formats: [String: PlaylistFormat] = [
    "m3u": .m3u, "m3u8": .m3u, "ram": .m3u, "rpm": .m3u, "pls": .pls, "xspf": .xspf, "asx": .asx, "wax": .asx,
    "wvx": .asx, "cue": .cue,
  ]

  /// The format of these bytes, whatever their name; `nil` if they cannot be recognised as a playlist by their start.
  init?(content: [UInt8]) {
    let start = content.prefix(4096).drop { $0 <= 0x20 || [0xef, 0xbb, 0xbf].contains($0) }
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
    } else {
      return nil
    }
  }

  /// True if a document must be there whole to be read.
  var isXML: Bool { self == .xspf || self == .asx }

  /// True if this is a list of pieces of one stream (HLS, RFC 8216), not of things to play.
  static func isHLS(_ content: [UInt8]) -> Bool {
    let text = String(decoding: content.prefix(1 << 16), as: UTF8.self)
    return text.contains("#EXT-X-TARGETDURATION") || text.contains("#EXT-X-STREAM-INF")
  }
}
