internal import Cells

/// Rows of a name and a text, as in Help, Info and Log. A long text is wrapped into several lines.
struct TextTable: Sendable {
  struct Row: Sendable, Hashable {
    var name: String
    var text: String
    /// A position in the track, in seconds, to which Enter seeks.
    var seconds: Double?
    /// Words that find the row, and are not shown.
    var synonyms: [String] = []

    init(_ name: String, _ text: String, seconds: Double? = nil, synonyms: [String] = []) {
      (self.name, self.text, self.seconds, self.synonyms) = (name, text, seconds, synonyms)
    }
  }

  /// One line of the screen: the beginning of a row, or a continuation.
  struct Line: Sendable {
    /// Index in `rows`.
    var row: Int
    var name: String
    var text: String
    /// The number of characters of the row's text before this line.
    var offset: Int
  }

  /// Lines of one text; the last one is cut.
  private static let lineLimit = 100

  private(set) var rows: [Row] = []
  private(set) var lines: [Line] = []
  private var columns = 0
  private let nameColumns: Int
  let nameStyle: Style
  private let followsEnd: Bool
  var list = ListView()

  /// - Parameters:
  ///   - nameColumns: Columns of names, margins included, where there is room.
  ///   - followsEnd: True to keep the selection on the last row when rows are added.
  init(nameColumns: Int = 18, nameStyle: Style = .state, followsEnd: Bool = false) {
    (self.nameColumns, self.nameStyle, self.followsEnd) = (nameColumns, nameStyle, followsEnd)
  }

  /// The column of texts on a screen of that width.
  func textColumn(ofColumns columns: Int) -> Int { min(nameColumns, columns / 3) }

  /// Shows these rows on a screen of that width.
  mutating func show(_ rows: [Row], columns: Int, typography: Typography) {
    guard rows != self.rows || columns != self.columns else { return }
    let row = list.selected.map { lines[$0].row }
    let wasAtEnd = list.selectedPlace >= list.shownCount - 1
    (self.rows, self.columns) = (rows, columns)
    let room = columns - textColumn(ofColumns: columns) - 1
    lines = rows.enumerated().flatMap { index, row in
      wrapped(row.text, columns: room, lineLimit: Self.lineLimit, typography).map { offset, text in
        Line(row: index, name: offset == 0 ? row.name : "", text: text, offset: offset)
      }
    }
    list.setCount(lines.count, matching: matches)
    if followsEnd, wasAtEnd {
      list.move(.last)
    } else if let row, let line = lines.firstIndex(where: { $0.row == row }) {
      list.select(line)
    }
  }

  var selectedRow: Row? { list.selected.map { rows[lines[$0].row] } }

  /// A row matches with all its lines.
  func matches(_ pattern: SearchPattern, _ line: Int) -> Bool {
    let row = rows[lines[line].row]
    return pattern.matches([row.name, row.text] + row.synonyms, name: [])
  }
}

/// A text in lines of that width, broken between words, and within words that are longer than a line. `offset`
/// counts the characters before a line.
func wrapped(
  _ text: String, columns: Int, lineLimit: Int, _ typography: Typography
) -> [(offset: Int, text: String)] {
  guard columns > 0, text.utf8.count > columns else { return [(0, text)] }
  var rest = text[...]
  var offset = 0
  var lines: [(offset: Int, text: String)] = []
  while lines.count + 1 < lineLimit, !rest.isEmpty {
    var end = rest.startIndex
    var used = 0
    while end < rest.endIndex {
      used += DisplayText(String(rest[end]), columns: 4, typography: typography).width
      guard used <= columns else { break }
      end = rest.index(after: end)
    }
    guard end < rest.endIndex else { break }
    // The first character that does not fit may be a space.
    let blank = rest[...end].lastIndex { $0.isWhitespace }
    let cut = blank.flatMap { $0 > rest.startIndex ? $0 : nil } ?? max(end, rest.index(after: rest.startIndex))
    lines.append((offset, String(rest[..<cut])))
    let next = rest[cut...].drop { $0.isWhitespace }
    offset += rest[..<next.startIndex].count
    rest = next
  }
  return rest.isEmpty && !lines.isEmpty ? lines : lines + [(offset, String(rest))]
}
