extension ScreenView {
  /// Its empty contents.
  func makePane() -> any Pane {
    switch self {
    case .home: HomeView()
    case .queue: QueueView()
    case .library: LibraryPane()
    case .files: FilesView()
    case .streams: StreamsView()
    case .log: LogView()
    case .info: InfoView()
    case .lyrics: LyricsView()
    case .cover: CoverView()
    case .finder: FinderView()
    case .outputs: OutputsView()
    case .setup: SetupView()
    case .web: WebView()
    case .help: HelpView()
    }
  }
}
