public import AudioModel
public import AudioSession
public import ByteIO
public import SignalProcessing
public import Streaming

/// Requests to the player.
public enum PlaybackCommand: Sendable, Hashable {
  /// Play this entry, from that many seconds into it.
  case play(QueueEntry, from: Double)
  /// The entry that follows the one with that id without a gap; `nil` ends there.
  case setNext(QueueEntry?, after: QueueEntry.ID)
  case pause
  case resume
  /// Pauses what plays or waits, resumes what is paused.
  case togglePause
  case stop
  /// To so many seconds into the track.
  case seek(to: Double)
  /// By so many seconds, from the target of a seek that is still under way.
  case seekBy(Double)
  /// 0...1.
  case setVolume(Double)
  case setMuted(Bool)
  /// The loudness tags that count, and decibels on top of them, -24...24.
  case setGain(GainMode, preamp: Double)
  case setEqualizer(Equalizer)
  /// -1, only what is on the left, to 1.
  case setBalance(Double)
  /// Effects behind gain, equaliser and balance.
  case setEffects(EffectList)
  /// The seconds of a station that are kept for seeking back.
  case setTimeShift(Double)
  /// 0.5...2, with the pitch kept.
  case setSpeed(Double)
  /// Seconds in which a track and the next are heard together, 0...12.
  case setCrossfade(Double)
  /// True if a part of the track is played over and over: its end is not mixed with the next. Until another begins.
  case setLooped(Bool)
  case interruptionBegan(InterruptionReason, from: InterruptionSource)
  case interruptionEnded(from: InterruptionSource, shouldResume: Bool)
  /// The simulated session's change of the output.
  case routeChanged(RouteChangeReason)
  /// Softer by 20 dB while something else is played beside it, as the simulated session says.
  case setDucked(Bool)
}

/// The player's notices. The snapshot has the state; these are the moments.
public enum PlaybackNotice: Sendable, Hashable {
  /// The state or its reason changed, at that place (seconds).
  case state(PlaybackState, PlaybackReason, position: Double)
  /// This entry can be heard from now on. Its name is `nil` where its tags do not tell one.
  case trackBegan(QueueEntry, name: TrackName? = nil)
  /// The end of this entry is in sight: say what follows (`setNext`).
  case needsNext(after: QueueEntry.ID)
  /// This entry is a playlist: what it names is to come in its place, and follows it (`setNext`).
  case foundPlaylist(QueueEntry, [MediaLocation])
  /// This entry cannot be played, or not to its end: what, where, why.
  case trackFailed(QueueEntry, message: String)
  /// Something is wrong with this entry, but it plays on: what, where.
  case trackDamaged(QueueEntry, message: String)
  /// Playback continues at that place (seconds) of the track, or about there.
  case seeked(to: Double, isEstimated: Bool = false)
  /// There is nothing of the stream there, any more or yet.
  case seekRefused
  /// A station says that it plays something else now, where it is heard.
  case titleChanged(String)
  /// While it was paused a station sent more than is kept: so many seconds, about, will not be heard.
  case shiftLost(seconds: Double)
  /// So much of what is needed to continue has arrived, 0...100.
  case buffered(percent: Int)
  /// The connection of a network stream changed.
  case connection(NetworkNotice)
  /// There are frames, and yet the device does not start, or it stopped without a word.
  case outputStalled
  /// The device ran dry.
  case underrun
  /// Sound goes to another device, and why.
  case routeChanged(AudioRoute, RouteChangeReason)
  /// The session wants others to be softer meanwhile, which no sound server lets a program have: they stay as they are.
  case duckingUnavailable
  /// The volume is another, 0...1, and not by `setVolume`: by a mixer, or as the sound server remembers it.
  case volumeChanged(Double)
  /// Other programs began or ceased to sound.
  case othersChanged(OtherAudio)
  /// Nothing can be heard: why, and how to mend it.
  case outputFailed(message: String)
  /// The speed is 1 again: a station sends no more than that, and all that was kept of it has been heard.
  case slowedToLive
  /// The sound cannot be changed as it was asked for: why, and how to mend it.
  case soundUnchanged(message: String)
  /// Duration, bit rate or the like are known better now.
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
}
