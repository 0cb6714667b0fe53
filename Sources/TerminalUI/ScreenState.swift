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
  /// The queue, shared with its owner as long as neither changes it.
  public internal(set) var entries: [QueueEntry] = []
  /// What is known of the entries.
  public internal(set) var facts: [QueueEntry.ID: TrackFacts] = [:]
  /// How the queue goes on.
  public internal(set) var modes = QueueModes()
  /// The last thousand things that happened.
  public internal(set) var log: [LogEntry] = []
  /// What the terminal can show.
  public let typography: Typography
  /// What the keys do.
  public internal(set) var keyMap: KeyMap

  // What the screen itself remembers.

  /// Whether anybody can see it.
  var isVisible = true
  var shownView = ScreenView.queue
  var focus = Focus.list
  var queuePosition = ListPosition()
  var logPosition = ListPosition()
  var helpPosition = ListPosition()
  /// Where in `entries` the player is.
  var playingIndex: Int?
  var showsRemaining = false
  var notice: Notice?
  var ghost: Ghost?
  var lastSeek: SeekOrigin?
  var lastClick: (index: Int, at: UInt64)?
  /// Keys of which it was said that they do nothing.
  var reportedKeys: Set<Key> = []
  /// Entries whose facts have been asked for.
  var requestedFacts: Set<QueueEntry.ID> = []

  /// A screen without anything to show yet.
  public init(size: Size, typography: Typography, keyMap: KeyMap = .standard) {
    self.size = size
    self.typography = typography
    self.keyMap = keyMap
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

  /// The place on the slider that is being chosen. One seek follows: on Enter, on release, or after 400 ms without a
  /// key (CONTRACTS D.5, 003-48).
  struct Ghost: Sendable, Hashable {
    /// Seconds into the track.
    var target: Double
    /// Where the player was when the choice began; the bar stays there meanwhile (002-35).
    var origin: Double
    /// The last column of a drag; `nil` for keys.
    var dragColumn: Int?
    /// When it is committed without more ado; `nil` while a button is held.
    var commitsAt: UInt64?
  }

  /// Where the player was before the last seek.
  struct SeekOrigin: Sendable, Hashable {
    var entryID: QueueEntry.ID
    var position: Double
    var at: UInt64
  }

  /// Seconds into the track now.
  var position: Double { max(0, playback.position(atNanoseconds: now)) }

  /// The list of the shown view: its rows and where one is in it.
  var rowCount: Int {
    switch shownView {
    case .queue: entries.count
    case .log: log.count
    case .help: helpRows.count
    }
  }

  var listPosition: ListPosition {
    get {
      switch shownView {
      case .queue: queuePosition
      case .log: logPosition
      case .help: helpPosition
      }
    }
    set {
      switch shownView {
      case .queue: queuePosition = newValue
      case .log: logPosition = newValue
      case .help: helpPosition = newValue
      }
    }
  }
}
