internal import Cells
internal import Commands

extension Action {
  /// The effect of the action in one line, for the Help view.
  public var help: String {
    switch self {
    case .player(let command): command.help
    case .undoSeek: "undo seek (Files, Library: a level up)"
    case .mark(.a): "set loop start"
    case .mark(.b): "set loop end"
    case .mark(.clear): "clear loop"
    case .mark(.cycle): "set loop start, set loop end, clear loop"
    case .remove: "remove the marked or selected tracks, playlists or streams"
    case .moveTrack(let rows): "move the marked or selected tracks " + (rows < 0 ? "up" : "down")
    case .removeAlbum: "remove the album of the selected track from the queue"
    case .moveAlbum(let albums):
      "move the album of the selected track " + (albums < 0 ? "up" : "down") + " in the queue"
    case .sort(.shuffle): "shuffle the queue, or its marked rows, once"
    case .sort(let order): "sort the queue, or its marked rows, by \(order)"
    case .markRow(let rows): "mark or unmark the row, and move " + (rows < 0 ? "up" : "down")
    case .markRange: "begin a range of marked rows, or end it"
    case .markAll: "mark all rows that are shown"
    case .markAlbum: "mark the album of the selected track in the queue"
    case .unmark: "remove all marks"
    case .keepStream(let address, _): "save \(address ?? "the selected or current stream") in Streams"
    case .rename(let title): "rename the selected stream or playlist to \(title)"
    case .move(let motion): motion.help
    case .switchFocus: "switch focus between list and slider"
    case .playSelected: "play or open the selection; on the slider: seek there"
    case .selectPlaying: "select the current track"
    case .search: "search as you type"
    case .find(let text): "find \(text) in everything"
    case .jump(nil): "jump to the next row with a first letter: the next key"
    case .jump(let letters?): "jump to the next row that begins with \(letters)"
    case .filter: "show only what matches, as you type"
    case .searchNext: "next match"
    case .searchPrevious: "previous match"
    case .prompt(""): "command line: Tab completes, Up recalls"
    case .prompt(let text):
      "command line: \(text) " + (Self.synopsis(of: text) ?? "…")
    case .changeFolder(let path): "show the folder \(path)"
    case .parentFolder: "show the parent folder"
    case .toggleRemaining: "show elapsed or remaining time"
    case .cycleVisualizer: "show a spectrum, level meters, or neither"
    case .togglePanes: "show one list only, or more beside it on wide screens"
    case .show(let view): PaneTable.lines[PaneTable.index(of: view)].help
    case .help(let text): "help on \(text)"
    case .cancel: "remove the marks; leave the slider, the filter, the search or this view"
    case .redraw: "redraw"
    case .suspend: "suspend (fg returns)"
    case .showSetting(let setting): "show the value of \(setting.rawValue)"
    case .set, .bind, .unbind, .style: text
    }
  }
}

extension Action {
  /// The arguments after these words of a command line.
  private static func synopsis(of words: String) -> String? {
    ActionVerbs.all.first { $0.name == words && !$0.synopsis.isEmpty }?.synopsis
      ?? PlaylistVerbs.changes.first { "playlist " + $0.name == words }?.synopsis
  }
}

extension ListMotion {
  fileprivate var help: String {
    switch self {
    case .rows(let rows): rows < 0 ? "up in the list" : "down in the list"
    case .pages(let pages): pages < 0 ? "a page up" : "a page down"
    case .halfPages(let halves): halves < 0 ? "half a page up" : "half a page down"
    case .first: "first row"
    case .last: "last row"
    }
  }
}
