internal import Pictures

/// A picture in kitty's graphics protocol, placed by placeholders.
struct KittyPicture {
  let number: UInt8
  let picture: Picture
  /// The size of the picture in cells.
  let columns, rows: Int

  /// Bytes of base64 in one sequence.
  private static let chunkByteCount = 4096

  /// Sends the picture to the terminal, which answers nothing (`q=2`).
  var transmission: [UInt8] {
    let text = base64(picture.bytes)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count + text.count / 200 + 100)
    var keys = "a=T,U=1,f=24,i=\(number),s=\(picture.width),v=\(picture.height),c=\(columns),r=\(rows),"
    for start in stride(from: 0, to: text.count, by: Self.chunkByteCount) {
      let end = min(start + Self.chunkByteCount, text.count)
      bytes += "\u{1b}_G\(keys)q=2,m=\(end < text.count ? 1 : 0);".utf8
      bytes += text[start..<end]
      bytes += "\u{1b}\\".utf8
      keys = ""
    }
    return bytes
  }

  /// Makes the terminal forget the picture.
  var deletion: [UInt8] { Array("\u{1b}_Ga=d,d=I,i=\(number),q=2\u{1b}\\".utf8) }
}

/// RFC 4648, section 4.
private func base64(_ bytes: [UInt8]) -> [UInt8] {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var text: [UInt8] = []
  text.reserveCapacity((bytes.count + 2) / 3 * 4)
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(group[start + $1]) : 0) }
    for index in 0..<4 {
      text.append(index <= group.count ? letters[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
    }
  }
  return text
}
