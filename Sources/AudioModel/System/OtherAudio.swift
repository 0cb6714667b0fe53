/// Other programs that play at the same time.
public struct OtherAudio: Sendable, Hashable {
  /// The answer of the server to the option `duckOthers` of an audio session: to make other programs softer.
  public enum Ducking: Sendable, Hashable {
    /// The option is not set, or the server was not asked yet.
    case off
    /// Other programs get softer while this one plays.
    case on
    /// The server cannot make them softer.
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
  /// The server's answer to `duckOthers`.
  public var ducking = Ducking.off

  /// The state of other programs; silence by default.
  public init(isPlaying: Bool = false, isPrimary: Bool = false, caller: String? = nil) {
    (self.isPlaying, self.isPrimary, self.caller) = (isPlaying, isPrimary, caller)
  }
}
