public import AudioModel
public import AudioSession
public import ByteIO
public import SignalProcessing

/// One entry of the play queue. The number is unique while the program runs, so that a file may be queued twice.
public struct QueueEntry: Sendable, Hashable, Identifiable {
  /// Unique while the program runs.
  public var id: Int
  /// The input to play.
  public var location: MediaLocation
  /// The number of nested playlists that were opened to find it.
  public var playlistDepth = 0
  /// The type of the file, where its bytes leave that open; `nil` for what its name or its server says.
  public var typeHint: AudioFileTypeID?
  /// The part of the track to play; `nil` for all of it.
  public var part: TrackPart?

  /// An entry for the whole input; `part` is set afterwards.
  public init(id: Int, location: MediaLocation, playlistDepth: Int = 0, typeHint: AudioFileTypeID? = nil) {
    (self.id, self.location, self.playlistDepth, self.typeHint) = (id, location, playlistDepth, typeHint)
  }
}

/// The reader of the input: one of the two drivers of the parsers, or a library for unknown formats.
public enum ReadingMethod: Sendable, Hashable {
  /// `AudioFileStream`: bytes in order.
  case stream
  /// `AudioFile`: reads anywhere.
  case file
  /// libavformat and libavcodec, for types without a parser of our own.
  case libav
}

/// The cost of a chain of effects.
public struct EffectsAtWork: Sendable, Hashable {
  /// The delay of the sound in seconds.
  public var latency: Double
  /// The sound after the end of the last track, in seconds.
  public var tail: Double
  /// Percent of a processor, of which gain, equaliser and limiter are a part.
  public var processorPercent: Int

  /// The cost of a chain.
  public init(latency: Double, tail: Double, processorPercent: Int) {
    (self.latency, self.tail, self.processorPercent) = (latency, tail, processorPercent)
  }
}

/// The position as a line through time, so that any thread can compute it without asking the server.
public struct PlaybackClock: Sendable, Hashable {
  /// Seconds into the track at `referenceTime`.
  public var position: Double
  /// The time at which `position` was true.
  public var referenceTime: MonotonicTime
  /// True if the position advances.
  public var isRunning: Bool
  /// Seconds of the track that pass in each second.
  public var speed: Double

  /// A line through one point; without `isRunning` the position stands still.
  public init(position: Double, referenceTime: MonotonicTime, isRunning: Bool, speed: Double = 1) {
    (self.position, self.referenceTime, self.isRunning, self.speed) = (position, referenceTime, isRunning, speed)
  }

  /// Seconds into the track at `now`, never negative.
  public func position(at now: MonotonicTime) -> Double {
    guard isRunning, now > referenceTime else { return max(0, position) }
    return max(0, position + (now - referenceTime).inSeconds * speed)
  }
}

/// The visible state of the player at one moment.
public struct PlaybackSnapshot: Sendable, Hashable {
  /// Stopped, playing, waiting or paused.
  public var state = PlaybackState.stopped
  /// The reason for `state`.
  public var reason = PlaybackReason.user
  /// The entry that plays, or would play if it were not paused.
  public var entry: QueueEntry?
  /// The entries that the engine has opened, in playing order: after a change of the play queue, the entry after each
  /// of them has to be sent again (`setNext`).
  public var openedIDs: [QueueEntry.ID] = []
  /// Information on its audio; `duration` may be refined while it plays.
  public var information = MediaInformation()
  /// The reader of the input of `entry`.
  public var method = ReadingMethod.stream
  /// The description that a network stream gives of itself; `nil` for files.
  public var stream: StreamFacts?
  /// The position in the track. While a seek is pending this is its target.
  public var clock = PlaybackClock(position: 0, referenceTime: .zero, isRunning: false)
  /// True if the player has been asked for a seek that `clock` does not show yet.
  public var hasPendingSeek = false
  /// True if the position is estimated, as after a seek to a part of a stream that had not arrived.
  public var positionIsEstimated = false
  /// The volume that the listener chose, 0...1.
  public var volume = 1.0
  /// True if the sound is muted; `volume` stays.
  public var isMuted = false
  /// The device in use; kept when playback has stopped.
  public var route: AudioRoute?
  /// The session: active from the start of playing to its stop, but not during an interruption.
  public var session = AudioSession()
  /// Streams of other programs, as of the last report.
  public var others = OtherAudio()
  /// The sound settings, which apply to every track.
  public var sound = SoundSettings()
  /// The speed: 1 is the track's own.
  public var speed = 1.0
  /// The gain that `sound` applies to `entry`; `nil` without processing.
  public var gain: TrackGain?
  /// The effects at work on `entry`; `nil` if none changes anything.
  public var effects: EffectsAtWork?
  /// Seconds in which a track and the next overlap.
  public var crossfade = 0.0

  /// Stopped, with nothing loaded.
  public init() {}

  /// The seconds by which the clock of an earlier snapshot is wrong; `nil` if it agrees with this one, or shows another
  /// track. Clocks that differ less are the same to a listener.
  func correction(of earlier: PlaybackSnapshot) -> Double? {
    guard earlier.clock.isRunning, [.playing, .waiting].contains(state), entry == earlier.entry else { return nil }
    let seconds = clock.position - earlier.clock.position(at: clock.referenceTime)
    return abs(seconds) > 0.1 ? seconds : nil
  }

  /// Seconds into the track at `now`: never beyond the duration unless that is only estimated.
  public func position(at now: MonotonicTime) -> Double {
    let position = clock.position(at: now)
    guard let duration = information.duration, !information.durationIsEstimated else { return position }
    return min(position, duration)
  }
}
