internal import Playback

/// What the slider remembers besides where the player is.
struct SliderState: Sendable {
  /// The place that is being chosen. One seek follows: on Enter, on release, or after 400 ms without a key (CONTRACTS
  /// D.5, 003-48).
  struct Ghost: Sendable, Hashable {
    /// Seconds into the track.
    var target: Double
    /// Where the player was when the choice began; the bar stays there meanwhile (002-35).
    var origin: Double
    /// The last place of a drag, in columns; `nil` for keys.
    var dragColumn: Double?
    /// When it is committed without more ado; `nil` while a button is held.
    var commitsAt: UInt64?
  }

  /// Where the player was before the last seek.
  struct SeekOrigin: Sendable, Hashable {
    var entryID: QueueEntry.ID
    var position: Double
    var at: UInt64
  }

  var ghost: Ghost?
  /// How loud an entry is, as far as that is known, once it has been asked for.
  var waveform: (entryID: QueueEntry.ID, waveform: Waveform?)?
  var lastSeek: SeekOrigin?
  /// The ends of what is played over and over, in seconds into the track.
  var marks: (a: Double?, b: Double?) = (nil, nil)

  /// Where that is still what was asked for.
  mutating func note(_ waveform: Waveform, of id: QueueEntry.ID) {
    if self.waveform?.entryID == id { self.waveform = (id, waveform) }
  }

  /// The mark that a key for all of them sets next.
  var nextMark: LoopMark { marks.a == nil ? .a : marks.b == nil ? .b : .clear }

  /// Less than this, in seconds, would be nothing but seeks.
  static let shortestLoop = 0.1

  /// What is played over and over, if both ends are marked.
  var loop: ClosedRange<Double>? {
    guard let a = marks.a, let b = marks.b, b - a >= Self.shortestLoop else { return nil }
    return a...b
  }
}
