public import AudioModel
public import AudioOutput
public import AudioSession
public import ByteIO

/// Requests to the player.
public enum PlaybackCommand: Sendable, Hashable {
  /// Plays this entry from so many seconds.
  case play(QueueEntry, from: Double)
  /// Sets the entry that follows the entry with that id without a gap; `nil`: the list ends there.
  case setNext(QueueEntry?, after: QueueEntry.ID)
  /// Silences the output and keeps the position.
  case pause
  /// Continues after a pause.
  case resume
  /// Pauses a playing or waiting player, resumes a paused one.
  case togglePause
  /// Ends playback and closes the output.
  case stop
  /// Seeks to so many seconds into the track.
  case seek(to: Double)
  /// Seeks by so many seconds, from the target of a pending seek if there is one.
  case seekBy(Double)
  /// Changes a setting.
  case set(PlaybackSetting)
  /// Another program or the system needs the sound: audible playback pauses until the interruption is over.
  case interruptionBegan(InterruptionReason, from: InterruptionSource)
  /// The interruption by this source is over. `shouldResume`: true if playback may continue by itself.
  case interruptionEnded(from: InterruptionSource, shouldResume: Bool)
  /// A change of the output, for the simulated session.
  case routeChanged(RouteChangeReason)
  /// Changes the session: the server is asked for what it wants now. A refusal is the notice `sessionRefused`.
  case setSession(AudioSessionRequest)
}

/// Notices of the player: the events that led to the snapshot.
public enum PlaybackNotice: Sendable, Hashable {
  /// The state or its reason changed, at that place (seconds).
  case state(PlaybackState, PlaybackReason, position: Double)
  /// This entry can be heard from now on. The name is `nil` if its tags have none.
  case trackBegan(QueueEntry, name: TrackName? = nil)
  /// This entry was opened: send the one after it (`setNext`). Without an answer the list ends, some seconds after the
  /// end of this entry.
  case needsNext(after: QueueEntry.ID)
  /// This entry is a playlist: replace it by its contents, and send the first of them (`setNext`).
  case foundPlaylist(QueueEntry, [MediaLocation])
  /// This entry cannot be played, or not to its end.
  case trackFailed(QueueEntry, TrackError)
  /// This entry is damaged and continues to play.
  case trackDamaged(QueueEntry, TrackDamage)
  /// Playback continues at that place (seconds) of the track, or about there.
  case seeked(to: Double, isEstimated: Bool = false)
  /// The device has played so many seconds of the track more than the clock of the last snapshot says; less, if
  /// negative.
  case clockCorrected(by: Double)
  /// The seek target is not available in the stream.
  case seekRefused
  /// The title of a station changed at the current position.
  case titleChanged(String)
  /// A paused station sent more than is kept: about so many seconds are lost.
  case shiftLost(seconds: Double)
  /// The percentage of the needed data that has arrived, 0...100.
  case buffered(percent: Int)
  /// The connection of a network stream changed.
  case connection(NetworkNotice)
  /// Frames are queued, and the device does not start, or it stopped without a message.
  case outputStalled
  /// The device had no frames to play in time.
  case underrun
  /// Sound goes to another device, and why.
  case routeChanged(AudioRoute, RouteChangeReason)
  /// The session refused a request and has not changed.
  case sessionRefused(AudioSessionError)
  /// The session requests that other programs get softer, which the sound server does not do.
  case duckingUnavailable
  /// The volume changed, 0...1, without a command: by a mixer, or as the sound server remembers it.
  case volumeChanged(Double)
  /// The sound was muted or unmuted, without a command: by a mixer.
  case muteChanged(Bool)
  /// Other programs started or stopped playing.
  case othersChanged(OtherAudio)
  /// The output failed.
  case outputFailed(AudioOutputError)
  /// The speed is 1 again: a station sends no faster, and its kept audio has been played.
  case slowedToLive
  /// The sound cannot be changed.
  case soundUnchanged(AudioQueueError)
  /// Duration, bit rate or similar facts are more exact now.
  case informationRefined
}

extension PlaybackCommand {
  /// True if the command moves the position within the track.
  var isSeek: Bool {
    switch self {
    case .seek, .seekBy: true
    default: false
    }
  }

  /// True if it takes effect when a track or a seek target can be heard.
  package var movesPlayback: Bool {
    switch self {
    case .play, .seek, .seekBy, .resume, .togglePause: true
    case .setNext, .pause, .stop, .set, .interruptionBegan, .interruptionEnded, .routeChanged, .setSession: false
    }
  }
}
