enum MPDLines {
  /// The limit of a line in bytes, with its end. libmpdclient ends the connection at more than 4,096 bytes, and some
  /// clients need one of them for a zero.
  static let byteLimit = 4095

  /// The limit of names of songs, folders and playlists, so that each fits into a line behind its key. A name that was
  /// cut would be that of something else.
  static let nameByteLimit = 4000

  /// Appends the lines of a text. Longer ones than the limit are cut, between characters.
  static func append(_ text: String, to output: inout [UInt8]) {
    var text = text
    text.withUTF8 { bytes in
      var (lineStart, copied) = (0, 0)
      while lineStart < bytes.count {
        let lineEnd = bytes[lineStart...].firstIndex(of: 0x0a) ?? bytes.count
        if lineEnd - lineStart >= byteLimit {
          var end = lineStart + byteLimit - 1
          while bytes[end] & 0xc0 == 0x80 { end -= 1 }
          output += bytes[copied..<end]
          copied = lineEnd
        }
        lineStart = lineEnd + 1
      }
      output += bytes[copied...]
    }
  }
}
