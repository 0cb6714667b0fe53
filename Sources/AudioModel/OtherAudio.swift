/// Other programs that play at the same time.
public struct OtherAudio: Sendable, Hashable {
  /// OtherAudioIsPlaying: something else sounds, notification sounds aside.
  public var isPlaying: Bool
  /// The secondary audio hint: it is such as wants to be heard alone (music, film, a call), so that a program whose
  /// own sound is not its purpose had better be silent.
  public var isPrimary: Bool
  /// The name of the program that has a call, for which music pauses. A stranger's text, of any length. `nil`:
  /// nobody has one, or does not say who.
  public var caller: String?

  /// Silence, unless said otherwise.
  public init(isPlaying: Bool = false, isPrimary: Bool = false, caller: String? = nil) {
    (self.isPlaying, self.isPrimary, self.caller) = (isPlaying, isPrimary, caller)
  }
}
