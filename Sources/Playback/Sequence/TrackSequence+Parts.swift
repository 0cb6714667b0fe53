// The states that a sequence is made of; only it uses them.
extension TrackSequence {
  /// A move of the source that is due before the next read. A later move replaces an earlier one.
  enum Move {
    case open(QueueEntry, from: Double)
    /// To the start position of a track, or to the position at which an output was lost.
    case enter(Track, at: Double, announces: Bool)
    case seek(Track, to: Double)
  }

  /// The relation of the next buffer to the audio that is queued already.
  enum Transition: Hashable {
    /// After the buffers of the same track.
    case continues
    /// After the end of the track before.
    case follows(frame: Int64, announces: Bool)
    /// In place of everything that is queued, which is stale; `target`: the seek target in seconds.
    case replaces(frame: Int64, announces: Bool, target: Double?)

    var frame: Int64? {
      switch self {
      case .continues: nil
      case .follows(let frame, _), .replaces(let frame, _, _): frame
      }
    }

    var announces: Bool {
      switch self {
      case .continues: false
      case .follows(_, let announces), .replaces(_, let announces, _): announces
      }
    }

    var isStale: Bool { if case .replaces = self { true } else { false } }
  }

  enum Source {
    /// Nothing is read: before the first track, or at the end of one.
    case idle
    case reading(Track, Transition)
    /// A part of an entry ended before anything of it was queued.
    case ended(Track, Transition)
  }

  /// The entry that was opened last, and the entry after it.
  struct ReadAhead {
    var entry: QueueEntry
    var following = FollowingEntry.unknown
  }

  /// The entry that plays, or is about to.
  struct Current {
    var entry: QueueEntry
    /// The entry as an open track; kept after the end of playback.
    var track: Track?
    var isAnnounced = false
  }
}
