/// Words with times in ID3v2 (`SYLT`, in 2.2 `SLT`; ID3v2.4.0 frames 4.9), turned into LRC.
///
///     encoding u8   language 3   unit of times u8 (1: MPEG frames, 2: ms)   kind u8 (1: lyrics, 2: transcription)
///     description, zero   then often: text, zero, time u32
enum SynchronisedLyrics {
  private struct Piece {
    var text: String
    var milliseconds: UInt32
  }

  /// Lines of the form `[mm:ss.mmm]line`. If the syllables of a line have times, `<mm:ss.mmm>` precedes each of them.
  /// `nil` if there are no lyrics, or lyrics of another kind or unit.
  static func lrc(_ content: ArraySlice<UInt8>) -> String? {
    let head = Array(content.prefix(6))
    guard head.count == 6, head[4] == 2, head[5] <= 2 else { return nil }
    let isWide = head[0] == 1 || head[0] == 2
    guard let (_, start) = text(content.dropFirst(6), encoding: head[0], isWide) else { return nil }
    var rest = content[start...]
    var pieces: [Piece] = []
    while let (text, end) = text(rest, encoding: head[0], isWide), rest.endIndex - end >= 4 {
      let time = rest[end..<(end + 4)].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      pieces.append(Piece(text: text, milliseconds: time))
      rest = rest[(end + 4)...]
    }
    return pieces.isEmpty ? nil : lines(pieces).map(line).joined(separator: "\n")
  }

  /// The text up to the next zero, and where the bytes after that begin.
  private static func text(
    _ bytes: ArraySlice<UInt8>, encoding: UInt8, _ isWide: Bool
  ) -> (text: String, end: Int)? {
    let unit = isWide ? 2 : 1
    guard
      let end = stride(from: bytes.startIndex, to: bytes.endIndex - unit + 1, by: unit)
        .first(where: { bytes[$0] == 0 && bytes[$0 + unit - 1] == 0 })
    else { return nil }
    return (TagText.id3(bytes[..<end], encoding: encoding).first ?? "", end + unit)
  }

  /// A line feed begins or ends a line. Without line feeds, each piece is a line.
  private static func lines(_ pieces: [Piece]) -> [[Piece]] {
    guard pieces.contains(where: { $0.text.contains(where: \.isNewline) }) else { return pieces.map { [$0] } }
    var lines: [[Piece]] = []
    var isAtStart = true
    for piece in pieces {
      if isAtStart || piece.text.first?.isNewline == true { lines.append([]) }
      lines[lines.count - 1].append(piece)
      isAtStart = piece.text.last?.isNewline == true && piece.text.count > 1
    }
    return lines
  }

  private static func line(_ pieces: [Piece]) -> String {
    let start = "[\(time(pieces[0]))]"
    guard pieces.count > 1 else { return start + plain(pieces[0]) }
    return pieces.reduce(start) { $0 + "<\(time($1))>" + plain($1) }
  }

  private static func plain(_ piece: Piece) -> String { piece.text.filter { !$0.isNewline } }

  private static func time(_ piece: Piece) -> String {
    func padded(_ number: UInt32, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let (seconds, rest) = piece.milliseconds.quotientAndRemainder(dividingBy: 1000)
    return "\(padded(seconds / 60, 2)):\(padded(seconds % 60, 2)).\(padded(rest, 3))"
  }
}
