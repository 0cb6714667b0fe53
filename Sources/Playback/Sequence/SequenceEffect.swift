/// Work for the owner of a `TrackSequence`, to be done in order.
enum SequenceEffect<Track> {
  /// Publish a notice.
  case notice(PlaybackNotice)
  /// Report to the playback machine.
  case report(PlaybackEvent)
  /// Drop everything that is queued.
  case dropQueue
  /// The track is heard from now on. `isNew`: its entry was not announced before.
  case began(Track, isNew: Bool)
}

enum OpeningPurpose<Track> {
  /// The listener chose the entry, or a seek leads to an earlier part of it; `from` in seconds.
  case start(from: Double)
  /// The entry follows the track that is read.
  case next
  /// The rest of an entry whose earlier part was read to its end.
  case rest(of: Track)
}

/// A request to open an entry. The answer is `TrackSequence.opened` or `.failedToOpen`.
struct SequenceOpening<Track> {
  var entry: QueueEntry
  var purpose: OpeningPurpose<Track>

  /// The earlier part of the same entry.
  var part: Track? { if case .rest(let part) = purpose { part } else { nil } }
}

/// The next piece of work on the source.
enum SequenceStep<Track> {
  /// Nothing, until an event comes.
  case wait
  /// Wait for the answer to `PlaybackNotice.needsNext`. Without one, the list has ended.
  case awaitNext
  /// Open an entry.
  case open(SequenceOpening<Track>)
  /// Move a track to that frame. The answer is `TrackSequence.moved` or `.failedToMove`.
  case move(Track, toFrame: Int64)
  /// The next track is open and follows the track that was read to its end. The answer is `TrackSequence.begin`.
  case begin(Track)
  case read(Track)
  /// Every track was read to its end: report that.
  case end
}

/// The next piece of work at the end of a track that the next track may overlap.
enum CrossfadeStep<Track> {
  /// Read at most so many frames.
  case read(atMost: Int)
  /// Wait until the next entry is known.
  case wait
  /// Open the next track.
  case open(SequenceOpening<Track>)
  /// Begin the crossfade with the next track here.
  case mix(with: Track, frameCount: Int64)
}
