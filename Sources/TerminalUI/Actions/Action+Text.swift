internal import Cells
internal import Commands

extension Action {
  /// The line that `Action.parse` reads.
  public var text: String { row.text }
  /// The effect in one line, for the view Help.
  public var help: String { row.help }

  /// One row for each action. `ActionVerbs` reads the texts again.
  private var row: (text: String, help: String) {
    switch self {
    case .player(let command): (command.text, command.help)
    case .undoSeek: ("back", "undo seek (Files, Library: a level up)")
    case .mark(let mark): ("mark \(mark)", mark.help)
    case .remove: ("remove", "remove the marked or selected tracks, playlists or streams")
    case .moveTrack(let rows): ("move-track \(way(rows))", "move the marked or selected tracks \(way(rows))")
    case .removeAlbum: ("remove album", "remove the album of the selected track from the queue")
    case .moveAlbum(let albums):
      ("move-track album \(way(albums))", "move the album of the selected track \(way(albums)) in the queue")
    case .sort(.shuffle): ("sort shuffle", "shuffle the queue, or its marked rows, once")
    case .sort(let order): ("sort \(order)", "sort the queue, or its marked rows, by \(order)")
    case .keepStream(let address, let title):
      (
        (["keep"] + [address, title].compactMap(\.self).map(quoted)).joined(separator: " "),
        "save \(address ?? "the selected or current stream") in Streams"
      )
    case .rename(let title): ("rename " + quoted(title), "rename the selected stream or playlist to \(title)")
    case .markRow(let rows):
      (rows < 0 ? "mark-row up" : "mark-row", "mark or unmark the row, and move \(way(rows))")
    case .markRange: ("mark-row range", "begin a range of marked rows, or end it")
    case .markAll: ("mark-row all", "mark all rows that are shown")
    case .markAlbum: ("mark-row album", "mark the album of the selected track in the queue")
    case .unmark: ("mark-row none", "remove all marks")
    case .move(let motion): ("move \(motion.row.word)", motion.row.help)
    case .switchFocus: ("focus", "switch focus between list and slider")
    case .playSelected:
      ("enter", "play the list from the selection, or open it; on the slider: seek there")
    case .selectPlaying: ("go-playing", "select the current track")
    case .search(let text): ("search" + after(text), "search as you type")
    case .searchNext: ("search-next", "next match")
    case .searchPrevious: ("search-previous", "previous match")
    case .filter(let text): ("filter" + after(text), "show only what matches, as you type")
    case .jump(nil): ("jump", "jump to the next row with a first letter: the next key")
    case .jump(let letters?): ("jump " + letters, "jump to the next row that begins with \(letters)")
    case .find(let text): ("find " + text, "find \(text) in everything")
    case .prompt(""): ("command", "command line: Tab completes, Up recalls")
    case .prompt(let text): ("command " + text, "command line: \(text) \(Self.synopsis(of: text) ?? "…")")
    case .changeFolder(let path): ("cd " + quoted(path), "show the folder \(path)")
    case .parentFolder: ("cd ..", "show the parent folder; in Library, a level up")
    case .toggleAllFiles: ("toggle all-files", "in Files, show all files, or only what can be played")
    case .toggleRemaining: ("toggle remaining", "show elapsed or remaining time")
    case .cycleVisualizer: ("toggle visualizer", "show a spectrum, level meters, or neither")
    case .togglePanes: ("toggle panes", "show one list only, or more beside it on wide screens")
    case .show(let view): ("view \(view.rawValue)", view.row.help)
    case .help(let text): ("help " + text, "help on \(text)")
    case .cancel: ("cancel", "remove the marks; leave the slider, the filter, the search or this view")
    case .redraw: ("redraw", "redraw")
    case .suspend: ("suspend", "suspend (fg returns)")
    case .choose(.theme): ("theme", "choose a theme; the screen shows each one")
    case .choose(let setting): (setting.rawValue, "choose the \(setting.rawValue); the screen shows them")
    case .showSetting(let setting): ("set \(setting.rawValue)", "show the value of \(setting.rawValue)")
    case .set(let setting, let value): Self.same("set \(setting.rawValue)=" + quoted(value))
    case .bind(let keys, let action): Self.same("bind \(keys) \(action.text)")
    case .unbind(let keys): Self.same("unbind \(keys)")
    case .style(let style, let appearance): Self.same("style \(style.name) \(appearance)")
    }
  }

  private static func same(_ text: String) -> (text: String, help: String) { (text, text) }

  /// The arguments after these words of a command line.
  static func synopsis(of words: String) -> String? {
    ActionVerbs.all.first { $0.name == words && !$0.synopsis.isEmpty }?.synopsis
      ?? PlaylistVerbs.changes.first { "playlist " + $0.name == words }?.synopsis
  }
}

private func way(_ step: Int) -> String { step < 0 ? "up" : "down" }

private func after(_ argument: String?) -> String { argument.map { " " + $0 } ?? "" }

extension LoopMark {
  fileprivate var help: String {
    switch self {
    case .a: "set loop start"
    case .b: "set loop end"
    case .clear: "clear loop"
    case .cycle: "set loop start, set loop end, clear loop"
    }
  }
}

extension ListMotion {
  static let named: [(word: String, value: ListMotion)] =
    [.rows(-1), .rows(1), .pages(-1), .pages(1), .halfPages(-1), .halfPages(1), .first, .last].map { ($0.row.word, $0) }

  fileprivate var row: (word: String, help: String) {
    switch self {
    case .rows(let rows): (way(rows), "\(way(rows)) in the list")
    case .pages(let pages): ("page-" + way(pages), "a page \(way(pages))")
    case .halfPages(let halves): ("half-page-" + way(halves), "half a page \(way(halves))")
    case .first: ("first", "first row")
    case .last: ("last", "last row")
    }
  }
}
