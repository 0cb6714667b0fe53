@_spi(_Unicode) internal import Swift

/// Text that is safe for a terminal: clusters of known width, without control, format or broken characters. No tag and
/// no file name can send a command to the terminal, turn the writing direction, or break a column.
package struct DisplayText {
  /// One grapheme cluster, which is never split.
  package struct Cluster: Hashable {
    package var character: Character
    package var width: Int
    /// True if terminals disagree on the width.
    var isUnsure = false
    /// The index of the character of the text that it shows; the ellipsis comes last.
    var source = Int.max
  }

  package private(set) var clusters: [Cluster] = []
  package private(set) var width = 0

  /// The beginning of `text` that fits into `columns`; an ellipsis takes the place of the rest.
  package init(_ text: String, columns: Int, typography: Typography) {
    guard columns > 0 else { return }
    // Most text is ASCII that fits. Finding its clusters one by one takes ten times as long.
    if text.utf8.count <= columns, text.utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) {
      clusters = text.utf8.enumerated().map {
        Cluster(character: Character(Unicode.Scalar($0.element)), width: 1, source: $0.offset)
      }
      width = clusters.count
      return
    }
    // Limits the work for a name of a hundred thousand invisible characters.
    for (index, character) in text.prefix(columns * 4 + 64).enumerated() {
      append(character, at: index, typography)
      if width > columns { break }
    }
    if width > columns { cut(to: columns, typography) }
    if let visualOrder = typography.visualOrder, clusters.contains(where: { $0.isRightToLeft }) {
      reorder(by: visualOrder)
    }
  }

  /// The characters that are shown.
  package var string: String { String(clusters.map(\.character)) }

  private mutating func append(_ character: Character, at index: Int, _ typography: Typography) {
    if let byte = character.asciiValue, 0x20..<0x7f ~= byte {
      append(Cluster(character: character, width: 1, source: index))
    } else if typography.isUnicode, typography.hasEighths || character != "…" {
      for shown in presentable(character, scalarWidth: typography.scalarWidth) {
        let columns = shown.unicodeScalars.reduce(0) { $0 + typography.scalarWidth($1) }
        append(
          Cluster(character: shown, width: columns, isUnsure: typography.isUnsure(widthOf: shown), source: index))
      }
    } else {
      for letter in asciiSubstitute(for: character) {
        append(Cluster(character: letter, width: 1, source: index))
      }
    }
  }

  private mutating func append(_ cluster: Cluster) {
    clusters.append(cluster)
    width += cluster.width
  }

  /// Moves each cluster as a whole to the place of its first scalar. The text was cut in logical order.
  private mutating func reorder(by visualOrder: ([Unicode.Scalar]) -> [(index: Int, scalar: Unicode.Scalar?)]?) {
    let scalars = clusters.map { $0.character.unicodeScalars.first ?? " " }
    guard let order = visualOrder(scalars), order.allSatisfy({ clusters.indices.contains($0.index) }) else { return }
    clusters = order.compactMap { place in
      var cluster = clusters[place.index]
      guard let scalar = place.scalar else { return nil }
      cluster.character = cluster.character.replacingFirst(by: scalar)
      return cluster
    }
    width = clusters.reduce(0) { $0 + $1.width }
  }

  private mutating func cut(to columns: Int, _ typography: Typography) {
    let ellipsis = typography.ellipsis.count <= columns ? typography.ellipsis : ""
    while width + ellipsis.count > columns, let last = clusters.popLast() { width -= last.width }
    for character in ellipsis { append(Cluster(character: character, width: 1)) }
  }
}

extension DisplayText.Cluster {
  /// True if the cluster may belong to a right-to-left script.
  fileprivate var isRightToLeft: Bool {
    switch character.unicodeScalars.first?.value ?? 0 {
    case 0x590...0x8ff, 0xfb1d...0xfdff, 0xfe70...0xfeff, 0x10800...0x10fff, 0x1e800...0x1efff: true
    default: false
    }
  }
}

extension Character {
  fileprivate func replacingFirst(by scalar: Unicode.Scalar) -> Character {
    guard unicodeScalars.first != scalar else { return self }
    var scalars = String.UnicodeScalarView([scalar])
    scalars.append(contentsOf: unicodeScalars.dropFirst())
    // Marks that do not join the new scalar make more than one character.
    let text = String(scalars)
    return text.count == 1 ? Character(text) : Character(scalar)
  }
}

/// The part of a cluster that a terminal shows; may be empty. All terminals agree on the width of every scalar left:
/// emoji sequences are reduced to their first picture, flags become their two letters.
private func presentable(_ character: Character, scalarWidth: (Unicode.Scalar) -> Int) -> String {
  // ncurses keeps a base and four marks in a cell. A cluster of more than a few of them is an attack.
  let scalarLimit = 12
  let markLimit = 4
  var kept = String.UnicodeScalarView()
  var markCount = 0
  for scalar in character.unicodeScalars where kept.count < scalarLimit {
    guard let shown = substitute(for: scalar, hasBase: !kept.isEmpty) else { continue }
    switch scalarWidth(shown) {
    case 0:
      if kept.isEmpty { kept.append(" ") }  // A mark needs a base character.
      if markCount < markLimit { kept.append(shown) }
      markCount += 1
    case 1...2:
      kept.append(shown)
      markCount = 0
    default:
      kept.append("\u{FFFD}")
      markCount = 0
    }
  }
  return String(kept)
}

/// The scalar that the screen shows for another one; `nil` if it shows none.
private func substitute(for scalar: Unicode.Scalar, hasBase: Bool) -> Unicode.Scalar? {
  switch scalar.value {
  case 0x09...0x0d, 0x85, 0x2028, 0x2029: return hasBase ? nil : " "
  case 0xfe00...0xfe0f, 0xe0100...0xe01ef: return nil  // Variation selectors: terminals disagree on their width.
  case 0x1f1e6...0x1f1ff: return Unicode.Scalar(scalar.value - 0x1f1e6 + 0x41)
  default: break
  }
  let properties = scalar.properties
  switch properties.generalCategory {
  case .format: return nil  // Directions, joiners, tags, byte order marks.
  case .unassigned where scalar.isReservedForEmoji: return hasBase ? nil : scalar
  case .control, .surrogate, .unassigned: return "\u{FFFD}"
  default: return hasBase && properties.isEmoji && !scalar.isASCII ? nil : scalar
  }
}

/// A cluster in ASCII: its letters without accents, its punctuation without finesse, or a question mark.
private func asciiSubstitute(for character: Character) -> String {
  switch character {
  case "\u{2018}", "\u{2019}", "\u{201a}": return "'"
  case "\u{201c}", "\u{201d}", "\u{201e}", "\u{ab}", "\u{bb}": return "\""
  case "\u{2010}"..."\u{2015}", "\u{2212}": return "-"
  case "\u{2026}": return "..."
  case "ß": return "ss"
  case "æ": return "ae"
  case "Æ": return "AE"
  case "ø": return "o"
  case "Ø": return "O"
  default: break
  }
  if character.isWhitespace { return " " }
  if character.unicodeScalars.allSatisfy({ $0.properties.generalCategory == .format }) { return "" }
  let letters = String(character)._nfd.filter { 0x20..<0x7f ~= $0.value }.prefix(4)
  return letters.isEmpty ? "?" : String(String.UnicodeScalarView(letters))
}
