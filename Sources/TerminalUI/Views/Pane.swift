internal import AudioModel
internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// One view of the upper part of the screen. A pane owns its rows and its selection, handles its messages, and draws
/// itself. `ScreenView` lists all of them. The requirements after the first three have defaults.
protocol Pane: Sendable {
  /// The selection and the filter of its rows.
  var list: ListView { get set }
  /// True if a row contains the words of a search or a filter.
  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool
  /// Draws the rows in the whole area.
  ///
  /// - Parameter selection: The style of the selected row.
  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel)

  /// Draws the column heads in an area of one row, if `traits` has them.
  func drawHeads(on painter: inout Painter, _ model: ScreenModel)
  /// The text by which a row is found by its first letter; empty for none.
  func name(ofRow row: Int, _ model: ScreenModel) -> String
  /// The main keys of the view and short words for them, the most important first.
  func hints(_ model: ScreenModel) -> [(key: String, word: String)]
  var traits: PaneTraits { get }

  /// Stores the contents of a message. `model` has stored its part already.
  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect]
  /// Handles an action; `nil` if it is for another pane. The shown pane is asked first.
  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]?
  /// Handles input of the shown pane before it gets its usual meaning; `nil` if it keeps that.
  mutating func handle(_ input: PaneInput, _ model: ScreenModel) -> [ScreenEffect]?
  /// The user has switched to this view.
  mutating func open(_ model: ScreenModel) -> [ScreenEffect]
  /// The user has left this view.
  mutating func close()
  /// Brings the rows up to date, after each message while the pane is shown.
  mutating func refresh(_ model: ScreenModel)
  /// Requests for the visible rows, after each message while the pane is shown.
  mutating func requestVisible(_ model: ScreenModel) -> [Command]

  // The places of rows that do not stand one below another.
  /// The place at a row and a column of the area; `nil` if nothing is there.
  func place(atRow row: Int, column: Int) -> Int?
  func spot(ofPlace place: Int) -> (row: Int, column: Int)
  mutating func scroll(by rows: Int)
}

/// A pane with rows that are music: the listener can mark them.
protocol MusicPane: Pane {
  /// The chosen tracks, to be added to a playlist; `nil` if there are none.
  var selectedTracks: PlaylistRequest.Source? { get }
}

extension MusicPane {
  /// The actions that add the chosen rows to the queue, and words for them.
  static var adding: [(action: Action, word: String)] {
    [(.player(.find([], .turn(.end), in: nil)), "add"), (.player(.find([], .turn(.next), in: nil)), "play next")]
  }
}

extension PlaylistRequest.Source? {
  /// The request to rate, love or pin these tracks.
  func rating(_ change: RatingChange) -> ScreenEffect {
    switch self {
    case .lists(let lists)?:
      if case .pin = change { return .send(.library(.rateLists(change, lists))) }
      let albums = lists.compactMap(\.ratedAlbum)
      return albums.count < lists.count
        ? .say("Only tracks and albums can be rated and loved") : .send(.library(.rateLists(change, albums)))
    case .parts?: return .say("Tracks and albums cannot be rated together: mark one kind")
    case let tracks:
      let entries = if case .entries(let entries)? = tracks { entries } else { [CollectedEntry]() }
      let paths = entries.compactMap(\.location.libraryPath)
      return paths.isEmpty ? .say(RatingChange.refusal) : .send(.library(.rate(change, paths)))
    }
  }

  /// The request to replace the queue with these tracks.
  var replacingQueue: ScreenEffect {
    switch self {
    case .lists(let lists)?: .send(.library(.collect(lists, .whole)))
    case .entries(let entries)?: .send(.collect(entries.map(\.location.written), .whole))
    case .parts?: .say("Tracks and lists cannot replace the queue together: mark one kind")
    default: .say("Nothing playable selected")
    }
  }
}

/// The ways in which a pane differs from a plain list.
struct PaneTraits {
  var hasHeads = false
  /// Rows of the area above the rows of the list.
  var headRows = 0
  /// True if the mouse can drag rows to other places: `PaneInput.drop`.
  var movesRows = false
  /// True while rows that were asked for are missing: keys for them wait.
  var awaitsRows = false
  /// True while the selection moves with the music.
  var followsMusic = false
  /// A short text about the whole view; empty for none.
  var remark = ""
  /// The part of the header about the queue.
  var queue: QueueSummary?
  /// A search that looks beyond the rows: `PaneInput.search`.
  var search: PaneSearch?
  /// The columns of the rows, if the pane shows something beside them: `PaneInput.press`.
  var rowColumns: Range<Int>?
  /// The time of the next change of the rows without a message, while the pane is shown.
  var deadline: MonotonicTime?
}

struct PaneSearch {
  var text = ""
  /// The keys that work while it is typed, and short words for them; the last one leaves it.
  let keys: [(key: String, word: String)]
  var error: String?
  /// True if the listener chooses a row while it is typed: the arrows select, and Enter plays or opens.
  var choosesRows = false
}

enum PaneInput {
  case key(Key)
  /// The text of a search, as it is typed; `nil` ends the search.
  case search(String?)
  /// A press of the mouse in one of the visible rows beside the list.
  case press(row: Int, rowCount: Int)
  /// Rows that were dragged by a number of rows.
  case drop([Int], by: Int)
}

extension Pane {
  func drawHeads(on painter: inout Painter, _ model: ScreenModel) {}
  func name(ofRow row: Int, _ model: ScreenModel) -> String { "" }
  func hints(_ model: ScreenModel) -> [(key: String, word: String)] { [] }
  var traits: PaneTraits { PaneTraits() }

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] { [] }
  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? { nil }
  mutating func handle(_ input: PaneInput, _ model: ScreenModel) -> [ScreenEffect]? { nil }
  mutating func open(_ model: ScreenModel) -> [ScreenEffect] { [] }
  mutating func close() {}
  mutating func refresh(_ model: ScreenModel) {}
  mutating func requestVisible(_ model: ScreenModel) -> [Command] { [] }

  func place(atRow row: Int, column: Int) -> Int? {
    row < traits.headRows ? nil : list.place(atLine: row - traits.headRows)
  }
  func spot(ofPlace place: Int) -> (row: Int, column: Int) { (traits.headRows + list.line(ofPlace: place), 0) }
  mutating func scroll(by rows: Int) { list.scroll(by: rows) }

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

  // MARK: Marks

  mutating func mark(_ action: Action) -> [ScreenEffect] {
    guard self is any MusicPane else { return [.say("Rows of this view cannot be marked")] }
    switch action {
    case .markRow(let rows): list.toggleMark(movingBy: rows)
    case .markRange: list.toggleRange()
    case .markAll: list.markAll()
    case .markAlbum: return [.say("Albums can be marked in the queue")]
    case .unmark: list.clearMarks()
    default: break
    }
    return []
  }

  // MARK: Drawing

  /// The remark, and the numbers of rows that match the filter and that are marked.
  var noteText: String { (traits.remark.isEmpty ? "" : " \(traits.remark) ") + list.countText }

  /// Draws the visible rows, each with its index, in an area of its lines.
  ///
  /// - Parameters:
  ///   - hintRows: The rows that the hint may take.
  ///   - drawHeading: Draws the heading before a row, in an area of its lines.
  func drawRows(
    on painter: inout Painter, selection: Style, ifEmpty hint: String, hintRows: Int = .max,
    drawHeading: (inout Painter, _ index: Int) -> Void = { _, _ in },
    draw: (inout Painter, _ index: Int, Style) -> Void
  ) {
    if list.shownCount == 0 {
      let text = list.filterText.isEmpty ? hint : "No matches."
      let lineLimit = min(painter.rowCount, hintRows)
      let lines = wrapped(text, columns: painter.columns - 3, lineLimit: lineLimit, painter.typography)
      for (row, line) in lines.enumerated() { painter.write(line.text, row: row, column: 3, style: .faint) }
    }
    var (row, place) = (0, list.firstPlace)
    while row < painter.rowCount, let index = list.row(at: place) {
      if list.hasHeading(place: place) {
        painter.draw(inRows: row..<(row + list.headingLines)) { drawHeading(&$0, index) }
        row += list.headingLines
      }
      let isDrop = place == list.dropPlace
      let style = isDrop ? .selectedIdle : index == list.selected ? selection : .plain
      painter.draw(inRows: row..<(row + list.rowLines)) { draw(&$0, index, style) }
      let isMarked = list.hasMarks && list.isMarked(place: place)
      if isDrop || isMarked {
        let sign = isDrop ? painter.typography.drop : painter.typography.marked
        let column = painter.columns >= 20 ? 0 : 1
        painter.write(sign, row: row, column: column, style: style == .plain ? .state : style)
      }
      (row, place) = (row + list.rowLines, place + 1)
    }
  }
}
