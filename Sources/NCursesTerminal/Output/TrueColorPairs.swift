internal import CNCurses

/// Shows any RGB colour where terminfo has a palette of 256: for ncurses, two numbers of that palette are the name of a
/// pair, and in the bytes that it writes the colours take the place of their name. So no terminfo entry for true colour
/// is needed, of which most systems have none.
struct TrueColorPairs {
  /// Each of as many pairs has two names: one with new colours changes its name, and ncurses paints its cells again.
  static let limit = count * count / 2
  /// The numbers of the palette in names: none that terminals write in another form.
  private static let numbers = 16...255
  private static let count = numbers.count

  /// The name of each pair.
  private var names: [CShort: Int] = [:]
  /// The two colours of each name.
  private var colors: [Int: SIMD2<CInt>] = [:]

  /// True if the terminal's sequences can be replaced. ncurses must have set up the terminal.
  static var isPossible: Bool {
    func isUsual(_ capability: String) -> Bool {
      let sequence = terminalString(capability) ?? ""
      return ["8;5;%p1%d", "8:5:%p1%d"].contains { sequence.contains($0) }
    }
    // ncurses swaps the colours of a pair where terminals cannot show it in reverse (ncv).
    return nc_colors() == 256 && isUsual("setaf") && isUsual("setab") && max(0, tigetnum("ncv")) & 4 == 0
  }

  /// Defines a pair. A colour is one of the first eight of the palette, another RGB colour, or -1 for the terminal's own.
  mutating func define(_ pair: CShort, _ foreground: CInt, _ background: CInt) {
    let new = SIMD2(foreground, background)
    guard foreground >= 8 || background >= 8, 0..<Self.limit ~= Int(pair) else {
      names[pair] = nil
      init_extended_pair(CInt(pair), min(foreground, 7), min(background, 7))
      return
    }
    let old = names[pair]
    if let old, colors[old] == new { return }
    let name = old == Int(pair) ? Int(pair) + Self.limit : Int(pair)
    (names[pair], colors[name]) = (name, new)
    let (first, second) = name.quotientAndRemainder(dividingBy: Self.count)
    init_extended_pair(
      CInt(pair), CInt(Self.numbers.lowerBound + first), CInt(Self.numbers.lowerBound + second))
  }

  /// The bytes with colours in place of names.
  func written(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    guard !colors.isEmpty else { return Array(bytes) }
    var written: [UInt8] = []
    written.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      let escape = bytes[place...].firstIndex(of: 0x1b) ?? bytes.count
      written += bytes[place..<escape]
      place = escape
      if place == bytes.count { break }
      if let first = paletteNumber("3", in: bytes, at: place),
        let second = paletteNumber("4", in: bytes, at: first.end),
        let pair = colors[first.index * Self.count + second.index]
      {
        written += "\u{1b}[\(parameters("3", pair.x));\(parameters("4", pair.y))m".utf8
        place = second.end
      } else {
        written.append(bytes[place])
        place += 1
      }
    }
    return written
  }

  /// The number in ESC [ 38 ; 5 ; number m, in some terminals with colons, from 0, and the place after it.
  private func paletteNumber(
    _ layer: Unicode.Scalar, in bytes: UnsafeRawBufferPointer, at place: Int
  ) -> (index: Int, end: Int)? {
    let (semicolon, colon) = (UInt8(ascii: ";"), UInt8(ascii: ":"))
    guard bytes.count - place > 8, bytes[place] == 0x1b, bytes[place + 1] == UInt8(ascii: "["),
      bytes[place + 2] == UInt8(ascii: layer), bytes[place + 3] == UInt8(ascii: "8"),
      bytes[place + 4] == semicolon || bytes[place + 4] == colon, bytes[place + 5] == UInt8(ascii: "5"),
      bytes[place + 6] == semicolon || bytes[place + 6] == colon,
      let end = bytes[(place + 7)...].prefix(4).firstIndex(of: UInt8(ascii: "m")),
      let number = Int(String(decoding: bytes[(place + 7)..<end], as: UTF8.self)), Self.numbers ~= number
    else { return nil }
    return (number - Self.numbers.lowerBound, end + 1)
  }

  private func parameters(_ layer: String, _ color: CInt) -> String {
    guard color >= 8 else { return color < 0 ? layer + "9" : "\(layer)\(color)" }
    return "\(layer)8;2;\(color >> 16);\(color >> 8 & 255);\(color & 255)"
  }
}

// Safety: used on the main thread only, like all of ncurses.
/// The colours of the pairs of ncurses, which has one table of them.
nonisolated(unsafe) var trueColorPairs = TrueColorPairs()

/// True if the terminal announces true colour by its environment. screen passes on what another terminal has announced.
func announcesTrueColor() -> Bool {
  ["truecolor", "24bit"].contains(environment("COLORTERM")) && !environment("TERM").hasPrefix("screen")
}

/// True if the terminal announces true colour, by its environment or by terminfo, which ncurses must have loaded.
/// Others are known by their answer to XTVERSION (`InputDecoder.hasTrueColor`).
func hasTrueColorByTerminfo() -> Bool {
  announcesTrueColor() || tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || terminalString("RGB") != nil
    || tigetflag("Tc") > 0
}
