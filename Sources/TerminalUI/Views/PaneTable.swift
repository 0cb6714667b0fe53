/// The views of the screen, in the order of the header. A new view is a file with its pane, and a line here.
struct PaneTable {
  /// A view: its name in commands, its title, its state.
  struct Line: Sendable {
    let view: ScreenView
    let title: String
    let makePane: @Sendable () -> any Pane

    init(_ view: ScreenView, _ title: String, _ makePane: @escaping @Sendable () -> any Pane) {
      (self.view, self.title, self.makePane) = (view, title, makePane)
    }
  }

  static let lines: [Line] = [
    Line(.queue, "Queue") { QueueView() },
    Line(.library, "Library") { LibraryPane() },
    Line(.files, "Files") { FilesView() },
    Line(.streams, "Streams") { StreamsView() },
    Line(.log, "Log") { LogView() },
    Line(.info, "Info") { InfoView() },
    Line(.lyrics, "Lyrics") { LyricsView() },
    Line(.cover, "Cover") { CoverView() },
    Line(.help, "Help") { HelpView() },
  ]

  /// The line of a view; the first one for an unknown view.
  static func index(of view: ScreenView) -> Int { lines.firstIndex { $0.view == view } ?? 0 }
}
