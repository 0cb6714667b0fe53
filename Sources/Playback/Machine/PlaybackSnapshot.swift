public import AudioModel
public import ByteIO
public import SignalProcessing

/// One entry of the play queue. The number is unique while the program runs, so that the same file may stand twice.
public struct QueueEntry: Sendable, Hashable, Identifiable {
  /// Unique while the program runs.
  public var id: Int
  /// What to play.
  public var location: MediaLocation
  /// How many playlists it was found in, one in the other, each of which was known only when it was opened.
  public var playlistDepth = 0

  /// An entry.
  public init(id: Int, location: MediaLocation, playlistDepth: Int = 0) {
    self.id = id
    self.location = location
    self.playlistDepth = playlistDepth
  }
}

/// What reads the input: one of the two drivers of the parsers, or a library that knows what they do not.
public enum ReadingMethod: Sendable, Hashable {
  /// `AudioFileStream`: bytes in order.
  case stream
  /// `AudioFile`: reads anywhere.
  case file
  /// libavformat and libavcodec.
  case libav
}

/// Where playback is, as a line through time, so that any thread can tell the position without asking the server.
public struct PlaybackClock: Sendable, Hashable {
  /// Seconds into the track at `referenceNanoseconds`.
  public var position: Double
  /// CLOCK_MONOTONIC when `position` was true.
  public var referenceNanoseconds: UInt64
  /// Whether the position advances.
  public var isRunning: Bool
  /// Seconds of the track that pass in each second.
  public var speed: Double

  /// A line.
  public init(position: Double, referenceNanoseconds: UInt64, isRunning: Bool, speed: Double = 1) {
    self.speed = speed
    self.position = position
    self.referenceNanoseconds = referenceNanoseconds
    self.isRunning = isRunning
  }

  /// Seconds into the track at `now` (CLOCK_MONOTONIC), never negative.
  public func position(atNanoseconds now: UInt64) -> Double {
    guard isRunning, now > referenceNanoseconds else { return max(0, position) }
    return max(0, position + Double(now - referenceNanoseconds) / 1e9 * speed)
  }
}

/// All that can be seen of the player at one moment.
public struct PlaybackSnapshot: Sendable, Hashable {
  /// Stopped, playing, waiting or paused.
  public var state = PlaybackState.stopped
  /// Why.
  public var reason = PlaybackReason.user
  /// What is heard, or would be if it were not paused.
  public var entry: QueueEntry?
  /// What is known of its audio; `duration` may be refined while it plays.
  public var information = MediaInformation()
  /// How it is read.
  public var method = ReadingMethod.stream
  /// What a network stream says of itself; `nil` for files.
  public var stream: StreamFacts?
  /// Where in the track. While a seek is pending this is its target.
  public var clock = PlaybackClock(position: 0, referenceNanoseconds: 0, isRunning: false)
  /// Whether the player has been asked for a seek that `clock` does not show yet.
  public var hasPendingSeek = false
  /// Whether the place is a guess, as after a seek to where a stream had not arrived.
  public var positionIsEstimated = false
  /// Volume that the listener chose, 0...1.
  public var volume = 1.0
  /// Whether sound is muted, the volume aside.
  public var isMuted = false
  /// Where sound goes; kept when playback has stopped.
  public var route: AudioRoute?
  /// Whether the session is active: from the start of playing to its stop, but not during an interruption.
  public var isSessionActive = false
  /// What others play, as far as it was last heard of.
  public var others = OtherAudio()
  /// What is done to the sound.
  public var sound = SoundSettings()
  /// How fast it plays: 1 is the track's own speed.
  public var speed = 1.0
  /// What `sound` makes of the loudness of `entry`; `nil` if nothing is done to the sound.
  public var gain: TrackGain?
  /// Seconds in which a track and the next are heard together.
  public var crossfade = 0.0

  /// Stopped, with nothing loaded.
  public init() {}

  /// Seconds into the track at `now` (CLOCK_MONOTONIC): never beyond the duration unless that is only estimated.
  public func position(atNanoseconds now: UInt64) -> Double {
    let position = clock.position(atNanoseconds: now)
    guard let duration = information.duration, !information.durationIsEstimated else { return position }
    return min(position, duration)
  }
}
