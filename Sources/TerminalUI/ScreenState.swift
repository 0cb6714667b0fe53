internal import ByteIO
public import Playback

/// All that decides what is seen. Changed by `update` alone.
public struct ScreenState: Sendable {
  // What others told.

  /// How large the screen is.
  public internal(set) var size: Size
  /// CLOCK_MONOTONIC of the latest message, nanoseconds.
  public internal(set) var now: UInt64 = 0
  /// The player.
  public internal(set) var playback = PlaybackSnapshot()
  private let fullTypography: Typography
  /// What the listener has set: values, keys, looks.
  public internal(set) var configuration: Configuration

  // The views, each with its rows and where one is in them.

  var queue = QueueView()
  var files = FilesView()
  var streams = StreamsView()
  var log = LogView()
  var info = TextTable()
  var help = TextTable()
  /// Which of them is shown.
  public internal(set) var shownView = ScreenView.queue

  // What the screen itself remembers.

  /// Whether anybody can see it.
  var isVisible = true
  var focus = Focus.list
  var showsRemaining: Bool
  var notice: Notice?
  var slider = SliderState()
  var lastClick: (index: Int, at: UInt64)?
  /// Keys of which it was said that they do nothing.
  var reportedKeys: Set<[Key]> = []
  /// The beginning of a sequence of keys, and until when it is waited for the rest.
  var pendingKeys: (keys: [Key], expiresAt: UInt64)?
  /// The line that is being typed.
  var prompt: Prompt?
  /// Former command lines, the latest last.
  var history: [String] = []
  /// Whether they have been asked for.
  var hasHistory = false
  /// What was searched for last.
  var searchText = ""

  /// A screen without anything to show yet.
  public init(size: Size, typography: Typography, configuration: Configuration = Configuration()) {
    self.size = size
    fullTypography = typography
    self.configuration = configuration
    showsRemaining = configuration.settings.remaining
  }

  /// The queue, shared with its owner as long as neither changes it.
  public var entries: [QueueEntry] { queue.entries }
  /// The selected row of the queue, from 0; 0 where there is none.
  public var selectedRow: Int { queue.list.selected ?? 0 }
  var keyMap: KeyMap { configuration.keyMap }
  /// What the terminal can show, as far as the listener lets it.
  public var typography: Typography {
    var typography = fullTypography
    if !configuration.settings.bidi { typography.visualOrder = nil }
    return typography
  }
}

extension ScreenState {
  /// What the movement keys move.
  enum Focus: Sendable, Hashable { case list, slider }

  /// A sentence over the rule, until a key or for some seconds.
  struct Notice: Sendable, Hashable {
    var text: String
    var expiresAt: UInt64
  }

  /// Seconds into the track now.
  var position: Double { max(0, playback.position(atNanoseconds: now)) }

  /// The list of the shown view.
  var shownList: ListView {
    get {
      switch shownView {
      case .queue: queue.list
      case .files: files.list
      case .streams: streams.list
      case .log: log.table.list
      case .info: info.list
      case .help: help.list
      }
    }
    set {
      switch shownView {
      case .queue: queue.list = newValue
      case .files: files.list = newValue
      case .streams: streams.list = newValue
      case .log: log.table.list = newValue
      case .info: info.list = newValue
      case .help: help.list = newValue
      }
    }
  }

  /// Whether a row of the shown list is what is searched for.
  var rowMatcher: (SearchPattern, Int) -> Bool {
    switch shownView {
    case .queue: queue.matches
    case .files: files.matches
    case .streams: streams.matches
    case .log: log.table.matches
    case .info: info.matches
    case .help: help.matches
    }
  }

  /// Help, Info and Log say what holds now.
  mutating func refreshTables() {
    switch shownView {
    case .help: help.show(helpRows, columns: size.columns, typography: typography)
    case .info: info.show(infoRows, columns: size.columns, typography: typography)
    case .log: log.table.show(log.rows, columns: size.columns, typography: typography)
    default: break
    }
  }
}
