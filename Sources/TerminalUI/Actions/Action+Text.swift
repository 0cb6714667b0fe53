internal import Cells
internal import Commands

extension Action {
  /// The line that `Action.parse` reads.
  public var text: String {
    switch self {
    case .player(let command): command.text
    case .undoSeek: "back"
    case .mark(let mark): "mark \(mark)"
    case .remove: "remove"
    case .moveTrack(let rows): "move-track " + (rows < 0 ? "up" : "down")
    case .removeAlbum: "remove-album"
    case .moveAlbum(let albums): "move-album " + (albums < 0 ? "up" : "down")
    case .sort(let order): "sort \(order)"
    case .markRow(let rows): rows < 0 ? "mark-row up" : "mark-row"
    case .markRange: "mark-range"
    case .markAll: "mark-all"
    case .markAlbum: "mark-album"
    case .unmark: "unmark"
    case .keepStream(let address, let title):
      (["keep"] + [address, title].compactMap(\.self).map(quoted)).joined(separator: " ")
    case .rename(let title): "rename " + quoted(title)
    case .move(let motion): "move " + motion.word
    case .switchFocus: "focus"
    case .playSelected: "enter"
    case .selectPlaying: "go-playing"
    case .search(let text): "search" + (text.map { " " + $0 } ?? "")
    case .filter(let text): "filter" + (text.map { " " + $0 } ?? "")
    case .jump(let letters): "jump" + (letters.map { " " + $0 } ?? "")
    case .find(let text): "find " + text
    case .searchNext: "search-next"
    case .searchPrevious: "search-previous"
    case .prompt(let text): text.isEmpty ? "command" : "command " + text
    case .changeFolder(let path): "cd " + quoted(path)
    case .parentFolder: "parent"
    case .toggleRemaining: "remaining"
    case .cycleVisualizer: "visualizer"
    case .togglePanes: "panes"
    case .show(let view): "view \(view.rawValue)"
    case .help(let text): "help " + text
    case .cancel: "cancel"
    case .redraw: "redraw"
    case .suspend: "suspend"
    case .set(let setting, let value): "set \(setting.rawValue)=" + quoted(value)
    case .showSetting(let setting): "set \(setting.rawValue)"
    case .bind(let keys, let action): "bind \(keys) \(action.text)"
    case .unbind(let keys): "unbind \(keys)"
    case .style(let style, let appearance): "style \(style.name) \(appearance)"
    }
  }
}

extension ListMotion {
  static let named: [(word: String, motion: ListMotion)] = [
    ("up", .rows(-1)), ("down", .rows(1)), ("page-up", .pages(-1)), ("page-down", .pages(1)),
    ("half-page-up", .halfPages(-1)), ("half-page-down", .halfPages(1)), ("first", .first), ("last", .last),
  ]

  fileprivate var word: String { Self.named.first { $0.motion == self }?.word ?? "" }
}
