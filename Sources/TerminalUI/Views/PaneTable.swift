/// The views of the screen, in the order of the header. A new view is a file with its pane, and a line here.
struct PaneTable {
  /// A view: its name in commands, its title, its state.
  struct Line: Sendable {
    let view: ScreenView
    let title: String
    /// True if the side pane may stand beside it. Long texts take the whole width.
    let hasSide: Bool
    let makePane: @Sendable () -> any Pane

    init(_ view: ScreenView, _ title: String, hasSide: Bool = true, _ makePane: @escaping @Sendable () -> any Pane) {
      (self.view, self.title, self.hasSide, self.makePane) = (view, title, hasSide, makePane)
    }
  }

  static let lines: [Line] = [
    Line(.queue, "Queue") { QueueView() },
    Line(.library, "Library") { LibraryPane() },
    Line(.files, "Files") { FilesView() },
    Line(.streams, "Streams") { StreamsView() },
    Line(.log, "Log", hasSide: false) { LogView() },
    Line(.info, "Info", hasSide: false) { InfoView() },
    Line(.lyrics, "Lyrics") { LyricsView() },
    Line(.cover, "Cover", hasSide: false) { CoverView() },
    Line(.help, "Help", hasSide: false) { HelpView() },
  ]

  /// The line of a view; the first one for an unknown view.
  static func index(of view: ScreenView) -> Int { lines.firstIndex { $0.view == view } ?? 0 }
}
