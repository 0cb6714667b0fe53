/// Other programs that play at the same time.
public struct OtherAudio: Sendable, Hashable {
  /// Whether they get softer while this program plays (the option `duckOthers` of an audio session).
  public enum Ducking: Sendable, Hashable {
    /// Nobody asked for it, or the server was not asked yet.
    case off
    /// The server does it.
    case on
    /// The server does not do it.
    case unavailable
  }

  /// OtherAudioIsPlaying: true if another program plays, except notification sounds.
  public var isPlaying: Bool
  /// The secondary audio hint: true if that audio should be heard alone (music, film, a call). A program with audio of
  /// minor importance should be silent.
  public var isPrimary: Bool
  /// The name of the program with a call, for which music pauses. Untrusted text of any length. `nil` without a call,
  /// or without a name.
  public var caller: String?
  /// Whether they get softer.
  public var ducking = Ducking.off

  /// The state of other programs; silence by default.
  public init(isPlaying: Bool = false, isPrimary: Bool = false, caller: String? = nil) {
    (self.isPlaying, self.isPrimary, self.caller) = (isPlaying, isPrimary, caller)
  }
}
