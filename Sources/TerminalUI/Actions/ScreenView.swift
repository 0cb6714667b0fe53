internal import Cells

/// A view in the upper part of the screen, by its name in commands, in the order of the header.
public enum ScreenView: String, Sendable, CaseIterable {
  case home, queue, library, files, streams, log, info, lyrics, cover
  case finder = "find"
  case outputs, setup, web, help
}

extension ScreenView {
  struct Row {
    let title: String
    /// The default keys. A preset may take some, but not all of them.
    let keys: [Key]
    /// Its contents, for the view Help.
    let help: String
    /// True if the side pane may stand beside it. Long texts take the whole width.
    var hasSide = true
    /// Its name where there is little room, if it is another one.
    var short: String?
    /// False if only the header of a wide screen has it.
    var isTab = true
  }

  var row: Row {
    switch self {
    case .home:
      Row(
        title: "Home", keys: ["0", Key(.function(2))], help: "albums to continue, new ones, playlists", hasSide: false)
    case .queue: Row(title: "Queue", keys: ["1"], help: "the queue")
    case .library: Row(title: "Library", keys: ["2"], help: "the music library", short: "Lib")
    case .files: Row(title: "Files", keys: ["3"], help: "files and folders")
    case .streams: Row(title: "Streams", keys: ["4"], help: "saved and recent streams")
    case .log: Row(title: "Log", keys: ["5", "I"], help: "event log", hasSide: false)
    case .info: Row(title: "Info", keys: ["6"], help: "track details", hasSide: false)
    case .lyrics: Row(title: "Lyrics", keys: ["7"], help: "lyrics, which follow the music")
    case .cover:
      Row(title: "Cover", keys: ["8"], help: "the cover of the current track", hasSide: false)
    case .finder:
      Row(
        title: "Find", keys: ["F", Key(.function(3))],
        help: "find anything: queue, library, playlists, streams, chapters, files, lyrics", hasSide: false)
    case .outputs:
      Row(
        title: "Outputs", keys: ["9", Key(.function(4))], help: "output devices: speakers, headphones", hasSide: false,
        short: "Out")
    case .setup:
      Row(
        title: "Setup", keys: [Key(.function(12))], help: "the guide of the first start", hasSide: false,
        isTab: false)
    case .web:
      Row(
        title: "Page", keys: [Key(.function(5))], help: "the address of the page for browsers", hasSide: false,
        isTab: false)
    case .help: Row(title: "Help", keys: ["?", Key(.function(1))], help: "this help", hasSide: false)
    }
  }

  /// Its place among all views.
  var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// True for the lists that music is chosen from.
  var hasMusic: Bool { [.home, .queue, .library, .files, .streams].contains(self) }
}
