internal import Cells

/// The views of the screen, in the order of the header. A new view is a file with its pane, a line here, and one in
/// `makePane`.
struct PaneTable {
  struct Line: Sendable {
    let view: ScreenView
    let title: String
    /// The default keys.
    let keys: [Key]
    /// Its contents, for the view Help.
    let help: String
    /// True if the side pane may stand beside it. Long texts take the whole width.
    let hasSide: Bool
    /// False if the header lists it only while it is shown, which leaves room for the modes of the queue.
    let isAlwaysInHeader: Bool

    init(
      _ name: String, _ title: String, keys: [Key], help: String, hasSide: Bool = true, isAlwaysInHeader: Bool = true
    ) {
      (view, self.title, self.keys, self.help) = (ScreenView(name), title, keys, help)
      (self.hasSide, self.isAlwaysInHeader) = (hasSide, isAlwaysInHeader)
    }
  }

  static let lines: [Line] = [
    Line("queue", "Queue", keys: ["1"], help: "the queue"),
    Line("library", "Library", keys: ["2"], help: "the music library"),
    Line("files", "Files", keys: ["3"], help: "files and folders"),
    Line("streams", "Streams", keys: ["4"], help: "saved and recent streams"),
    Line("log", "Log", keys: ["5", "I"], help: "event log", hasSide: false),
    Line("info", "Info", keys: ["6"], help: "track details", hasSide: false),
    Line("lyrics", "Lyrics", keys: ["7"], help: "lyrics, which follow the music", isAlwaysInHeader: false),
    Line(
      "cover", "Cover", keys: ["8"], help: "the cover of the current track", hasSide: false, isAlwaysInHeader: false),
    Line(
      "find", "Find", keys: ["F", Key(.function(3))],
      help: "find anything: queue, library, playlists, streams, chapters, files, lyrics", hasSide: false,
      isAlwaysInHeader: false),
    Line(
      "outputs", "Outputs", keys: ["9", Key(.function(4))], help: "output devices: speakers, headphones",
      hasSide: false, isAlwaysInHeader: false),
    Line("help", "Help", keys: ["?", Key(.function(1))], help: "this help", hasSide: false),
  ]

  /// The line of a view; the first one for an unknown view.
  static func index(of view: ScreenView) -> Int { lines.firstIndex { $0.view == view } ?? 0 }
}
