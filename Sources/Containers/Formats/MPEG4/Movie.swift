internal import AudioModel

/// The contents of `moov` so far.
struct Movie {
  /// Units per second of the edit lists.
  var timescale: UInt32 = 0
  /// True if fragments follow.
  var isFragmented = false
  /// In the movie's time scale: all fragments together.
  var fragmentDuration: UInt64?
  /// By the tracks' numbers.
  private(set) var fragmentDefaults: [UInt32: FragmentDefaults] = [:]
  var tags = MovieTags()
  /// The track that is being read.
  var track = MovieTrack()
  /// The one to be played, of those that were read.
  private var audioTrack: MovieTrack?

  /// Those whose texts may be chapters.
  private(set) var chapterTracks: [ChapterTrack] = []

  /// The limit of tracks whose defaults and texts are kept.
  private static let maximumTrackCount = 256

  // mehd: version, flags, duration of 4 or 8 bytes.
  mutating func readFragmentDuration(_ content: RawSpan) {
    if content.byteCount >= 12, content[0] == 1 {
      fragmentDuration = content.bigEndian64(at: 4)
    } else if content.byteCount >= 8 {
      fragmentDuration = UInt64(content.bigEndian32(at: 4))
    }
  }

  mutating func readFragmentDefaults(_ content: RawSpan) {
    guard fragmentDefaults.count < Self.maximumTrackCount, let new = FragmentDefaults.read(content) else { return }
    fragmentDefaults[new.trackID] = new.defaults
  }

  /// A track is read: the first that is enabled and can be played is.
  mutating func finishTrack() {
    if chapterTracks.count < Self.maximumTrackCount, let chapters = ChapterTrack(track) {
      chapterTracks.append(chapters)
    }
    if track.description == nil { track.tables = SampleTables() }
    if track.isAudio, audioTrack.map(track.isBetter) ?? true { audioTrack = track }
    track = MovieTrack()
  }

  /// True if no other track can be better than one that was read.
  var hasTrack: Bool { audioTrack.map { $0.isEnabled && $0.description != nil } ?? false }

  /// The track to be played, which is not kept here any longer.
  mutating func takeAudioTrack() -> MovieTrack? {
    defer { audioTrack = nil }
    return audioTrack
  }
}
