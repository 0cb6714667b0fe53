/// The characters that a terminal can show, and their widths.
public struct Typography: Sendable {
  /// True if it shows more than ASCII.
  public var isUnicode: Bool
  /// Columns of one scalar, as the C library counts them if it knows it: 0 for marks that join the scalar before them,
  /// negative for scalars that cannot be shown.
  public var scalarWidth: @Sendable (Unicode.Scalar) -> Int
  /// True for a scalar that is newer than the C library.
  var isNew: @Sendable (Unicode.Scalar) -> Bool = { _ in false }

  /// True if it has characters for eighths of a cell and other rare signs. The fonts of the Linux console have neither:
  /// the kernel's own (code page 437) and those of distributions (Latin 1, 2, 7 and 9) share light lines, `░`, `█`, `•`
  /// and `→`, and show heavy lines as light ones.
  public var hasEighths = true
  /// True if it has colours and characters for pictures.
  public var hasPictures = false
  /// True if pictures are shown by their pixels, not as characters.
  public var hasPixels = false
  /// True if it has 256 colours or more.
  public var hasPalette = false
  /// True if it shows any RGB colour.
  public var hasTrueColor = false
  /// Puts scalars, each for a cell or more, into visual order from left to right (UAX 9). The result gives the index of
  /// each scalar and its shape, `nil` for an invisible one. `nil` if no library can do it.
  public var visualOrder: (@Sendable ([Unicode.Scalar]) -> [(index: Int, scalar: Unicode.Scalar?)]?)?

  /// A terminal that shows Unicode.
  ///
  /// - Parameter scalarWidth: The C library's number of columns.
  public static func unicode(scalarWidth: @escaping @Sendable (Unicode.Scalar) -> Int) -> Typography {
    let width: @Sendable (Unicode.Scalar) -> Int = { scalar in
      let known = scalarWidth(scalar)
      return known >= 0 ? known : newerWidth(of: scalar) ?? known
    }
    return Typography(isUnicode: true, scalarWidth: width, isNew: { scalarWidth($0) < 0 })
  }

  /// A terminal that shows nothing but ASCII.
  public static let ascii = Typography(isUnicode: false) { 0x20..<0x7f ~= $0.value ? 1 : -1 }

  /// Marks the end of text that was cut.
  package var ellipsis: String { hasSigns ? "…" : ".." }
  /// True for signs that not even all fonts of the Linux console have.
  package var hasSigns: Bool { isUnicode && hasEighths }
  /// A line across the screen.
  package var rule: Character { isUnicode ? "─" : "-" }
  /// A line between two parts of the screen, and its ends on the lines above and below.
  package var verticalLine: (top: Character, middle: Character, bottom: Character) {
    isUnicode ? ("┬", "│", "┴") : ("+", "|", "+")
  }
  /// The corners of a frame, from the top left one on in the order of reading.
  package var corners: [Character] { Array(hasSigns ? "╭╮╰╯" : "++++") }
  /// A cell of the slider that is played, half played, not played.
  package var bar: (played: Character, half: Character, rest: Character) {
    hasSigns ? ("━", "╾", "─") : isUnicode ? ("=", "─", "─") : ("=", "-", "-")
  }
  /// A cell of the slider for bytes that have not arrived.
  package var missing: Character { isUnicode ? "░" : "." }
  /// From soft to loud, for the played part and for the rest, so that both differ even without colours; empty without
  /// suitable characters.
  package var wave: (played: [Character], rest: [Character]) {
    guard isUnicode else { return (Array(".:-=+*#@"), Array("_,'~^ilI")) }
    return hasEighths ? (Array("▁▂▃▄▅▆▇█"), Array("⡀⣀⣄⣤⣦⣶⣷⣿")) : ([], [])
  }
  /// Parts of a cell that is filled from below, the whole cell last.
  package var column: [Character] {
    guard isUnicode else { return ["#"] }
    return hasEighths ? Array("▁▂▃▄▅▆▇█") : ["█"]
  }
  /// The sign of a track that the listener loves.
  package var love: Character { hasSigns ? "♥" : "*" }
  /// A rating and love beside a track: `10♥`, `7 `.
  package func mark(of rating: Int?, isLoved: Bool) -> String {
    (rating.map(String.init) ?? "") + (isLoved ? String(love) : " ")
  }
  /// A rating from 0 to 10 as stars, of which each counts two.
  package func stars(_ rating: Int) -> String {
    let (full, half) = hasSigns ? ("★", "½") : ("*", "+")
    let signs = String(repeating: full, count: rating / 2) + (rating.isMultiple(of: 2) ? "" : half)
    return signs + String(repeating: hasSigns ? "☆" : ".", count: max(0, 5 - (rating + 1) / 2))
  }
  package var peak: Character { isUnicode ? "│" : "|" }
  /// The player's position in a waveform: in the left half of a cell, in the right half.
  package var waveHead: (left: Character, right: Character) { hasSigns ? ("▌", "▐") : (peak, peak) }
  /// The start of a chapter, on the played part of the line and on the rest.
  package var chapter: (played: Character, rest: Character) {
    hasSigns ? ("┷", "┴") : isUnicode ? ("┴", "┴") : ("|", "|")
  }
  /// The sign of a row that the listener has marked.
  package var marked: String { isUnicode ? "•" : "+" }
  /// The sign of the place to which the mouse drags a row.
  package var drop: String { isUnicode ? "→" : "~" }
  /// The marks of a file that can be played, and of a playlist.
  package var sign: (playable: String, playlist: String) { hasSigns ? ("♪", "≡") : ("*", "=") }
  /// The thumb of the slider: at the player's position, and at a seek target.
  package var thumb: (held: Character, ghost: Character) { hasSigns ? ("●", "○") : ("O", "o") }
}
