extension PaneTable {
  /// The contents of a view of `lines`.
  static func makePane(_ view: ScreenView) -> any Pane {
    switch view {
    case .queue: return QueueView()
    case .library: return LibraryPane()
    case .files: return FilesView()
    case .streams: return StreamsView()
    case .log: return LogView()
    case .info: return InfoView()
    case .lyrics: return LyricsView()
    case .cover: return CoverView()
    case .finder: return FinderView()
    case .outputs: return OutputsView()
    case .help: return HelpView()
    default: preconditionFailure("the view \(view.rawValue) has no pane")
    }
  }
}
