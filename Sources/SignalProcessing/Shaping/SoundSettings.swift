/// The listener's sound settings for every track: gain, then equaliser, then balance, then effects.
public struct SoundSettings: Sendable, Hashable {
  /// The loudness tags that apply.
  public var gainMode = GainMode.off
  /// Extra gain in decibels, also for tracks without tags and with `off`; -24...24.
  public var preamp = 0.0
  /// The equaliser; `flat` changes nothing.
  public var equalizer = Equalizer.flat
  /// The balance, from -1 (left only) to 1 (right only).
  public var balance = 0.0
  /// The effects, behind gain, equaliser and balance.
  public var effects = EffectList()

  /// Neutral settings, which change nothing.
  public init() {}
}

/// The loudness tags that apply (ReplayGain 2.0, EBU R128).
public enum GainMode: String, Sendable, Hashable, CaseIterable {
  /// None: tracks keep their loudness.
  case off
  /// All tracks are equally loud. The tag of the album replaces a missing tag of the track.
  case track
  /// All albums are equally loud. The tag of the track replaces a missing tag of the album.
  case album
}
