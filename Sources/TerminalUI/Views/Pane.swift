internal import AudioModel
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// One view of the upper part of the screen. A pane owns its rows and its selection, handles its messages, and draws
/// itself. `ScreenView` lists all of them.
protocol Pane: Sendable {
  init()

  /// The selection and the filter of its rows.
  var list: ListView { get set }
  var hasHeads: Bool { get }
  /// Words about the queue for the header, the longest first; empty for a pane that has none.
  var headerTexts: [String] { get }

  /// True if the listener can mark rows.
  var marksRows: Bool { get }
  /// The main actions of the view and short words for them, the most important first.
  var hints: [(action: Action, word: String)] { get }

  /// Keys with a meaning of their own in this view, and short words for them.
  func keyHints(_ model: ScreenModel) -> [(key: String, word: String)]
  /// A short text about the whole view; empty for none.
  var remark: String { get }

  /// True while the selection moves with the music.
  var followsMusic: Bool { get }

  /// True if the mouse can drag rows to other places.
  var movesRows: Bool { get }
  func move(_ rows: [Int], by step: Int) -> [ScreenEffect]

  /// The chosen tracks, to be added to a playlist; `nil` if there are none.
  var selectedTracks: PlaylistRequest.Source? { get }

  /// True if a row contains the words of a search or a filter.
  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool

  /// The text by which a row is found by its first letter; empty for none.
  func name(ofRow row: Int, _ model: ScreenModel) -> String

  /// True while rows that were asked for are missing: keys for them wait.
  var awaitsRows: Bool { get }

  /// True if a search looks beyond the rows: `search` is called while it is typed.
  var searchesItself: Bool { get }
  /// True if the listener chooses a row while such a search is typed: the arrows select, and Enter plays or opens.
  var choosesWhileSearching: Bool { get }
  /// The text with which such a search begins.
  var searchText: String { get }
  /// The keys of such a search.
  var searchHint: String { get }
  /// An error in the text of such a search.
  var searchError: String? { get }
  /// Searches for a text, or ends the search if it is `nil`; `nil` if there is no search to begin or to end.
  mutating func search(_ text: String?) -> [ScreenEffect]?

  /// Stores the contents of a message. `model` has stored its part already.
  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect]
  /// Handles an action; `nil` if it is for another pane. The shown pane is asked first.
  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]?
  /// Handles a key before its action; `nil` if the key keeps its meaning.
  mutating func handle(_ key: Key, _ model: ScreenModel) -> [ScreenEffect]?
  /// The user has switched to this view.
  mutating func open(_ model: ScreenModel) -> [ScreenEffect]
  /// The user has left this view.
  mutating func close()
  /// Brings the rows up to date, after each message while the pane is shown.
  mutating func refresh(_ model: ScreenModel)
  /// Requests for the visible rows, after each message while the pane is shown.
  mutating func requestVisible(_ model: ScreenModel) -> [Command]

  /// The columns of the list in an area of so many: others show something beside it.
  func mainColumns(_ columns: Int, _ model: ScreenModel) -> Range<Int>
  /// A press of the mouse in one of the visible rows beside the list.
  mutating func press(besideAt row: Int, rowCount: Int, _ model: ScreenModel) -> [ScreenEffect]

  /// The time of the next change of the rows without a message, while the pane is shown.
  func deadline(_ model: ScreenModel) -> MonotonicTime?

  /// Draws the column heads in an area of one row.
  func drawHeads(on painter: inout Painter, _ model: ScreenModel)
  /// Draws the rows in the whole area.
  ///
  /// - Parameter selection: The style of the selected row.
  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel)
}

extension Pane {
  var hasHeads: Bool { false }
  var headerTexts: [String] { [] }
  var marksRows: Bool { false }
  var hints: [(action: Action, word: String)] { [] }
  func keyHints(_ model: ScreenModel) -> [(key: String, word: String)] { [] }
  var remark: String { "" }
  var followsMusic: Bool { false }
  var movesRows: Bool { false }
  func move(_ rows: [Int], by step: Int) -> [ScreenEffect] { [] }
  var selectedTracks: PlaylistRequest.Source? { nil }

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] { [] }
  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? { nil }
  func name(ofRow row: Int, _ model: ScreenModel) -> String { "" }
  var awaitsRows: Bool { false }
  var searchesItself: Bool { false }
  var choosesWhileSearching: Bool { false }
  var searchText: String { "" }
  var searchHint: String { "" }
  var searchError: String? { nil }
  mutating func search(_ text: String?) -> [ScreenEffect]? { nil }
  mutating func handle(_ key: Key, _ model: ScreenModel) -> [ScreenEffect]? { nil }
  mutating func open(_ model: ScreenModel) -> [ScreenEffect] { [] }
  mutating func close() {}
  mutating func refresh(_ model: ScreenModel) {}
  mutating func requestVisible(_ model: ScreenModel) -> [Command] { [] }
  func mainColumns(_ columns: Int, _ model: ScreenModel) -> Range<Int> { 0..<columns }
  mutating func press(besideAt row: Int, rowCount: Int, _ model: ScreenModel) -> [ScreenEffect] { [] }
  func deadline(_ model: ScreenModel) -> MonotonicTime? { nil }
  func drawHeads(on painter: inout Painter, _ model: ScreenModel) {}

  // MARK: Searching

  /// The rows have changed. The filter stays.
  mutating func setCount(_ count: Int, _ model: ScreenModel) {
    let pane = self
    list.setCount(count) { pane.matches($0, $1, model) }
  }

  mutating func setFilter(_ text: String, _ model: ScreenModel) {
    let pane = self
    list.setFilter(text) { pane.matches($0, $1, model) }
  }

  /// Selects the nearest match from a row on, or before it, wrapping around the ends. Returns false if there is none.
  mutating func select(_ pattern: SearchPattern, from row: Int, isForward: Bool, _ model: ScreenModel) -> Bool {
    let match = list.find(from: row, isForward: isForward) { matches(pattern, $0, model) }
    if let match { list.select(match) }
    return match != nil
  }

  /// Selects the next row whose name begins with these letters, wrapping around the end. Returns false if there is none.
  mutating func jump(to letters: String, _ model: ScreenModel) -> Bool {
    let key = SortKey(letters)
    guard list.shownCount > 0, let next = list.row(at: (list.selectedPlace + 1) % list.shownCount) else { return false }
    let match = list.find(from: next, isForward: true) { row in
      // More characters than the letters, since marks and other signs without a place in the order are left out.
      SortKey(String(name(ofRow: row, model).prefix(letters.count + 8))).begins(with: key)
    }
    if let match { list.select(match) }
    return match != nil
  }

  /// True if the selected row can be found by its first letter, and so probably the others.
  func hasNames(_ model: ScreenModel) -> Bool { list.selected.map { !name(ofRow: $0, model).isEmpty } ?? false }

  // MARK: Drawing

  /// The remark, and the numbers of rows that match the filter and that are marked.
  var noteText: String { (remark.isEmpty ? "" : " \(remark) ") + list.countText }

  /// Draws the visible rows, each with its index, in an area of one row.
  func drawRows(
    on painter: inout Painter, selection: Style, ifEmpty hint: String,
    draw: (inout Painter, _ index: Int, Style) -> Void
  ) {
    if list.shownCount == 0 {
      painter.write(list.filterText.isEmpty ? hint : "No matches.", row: 0, column: 3, style: .faint)
    }
    for row in 0..<painter.rowCount {
      guard let index = list.row(at: list.firstPlace + row) else { break }
      let isDrop = list.firstPlace + row == list.dropPlace
      let style = isDrop ? .selectedIdle : index == list.selected ? selection : .plain
      painter.draw(inRows: row..<(row + 1)) { draw(&$0, index, style) }
      let isMarked = list.hasMarks && list.isMarked(place: list.firstPlace + row)
      if isDrop || isMarked {
        let sign = isDrop ? painter.typography.drop : painter.typography.marked
        let column = painter.columns >= 20 ? 0 : 1
        painter.write(sign, row: row, column: column, style: style == .plain ? .state : style)
      }
    }
  }
}
