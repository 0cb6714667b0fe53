/// The listener's sound settings for every track: gain, then equaliser, then balance.
public struct SoundSettings: Sendable, Hashable {
  /// The loudness tags that count.
  public var gainMode = GainMode.off
  /// Decibels on top of that, for tracks without tags and with `off`, too; -24...24.
  public var preamp = 0.0
  /// Ten bands.
  public var equalizer = Equalizer.flat
  /// The balance, from -1 (left only) over 0 to 1 (right only).
  public var balance = 0.0

  /// Everything as it is.
  public init() {}
}

/// The loudness tags that count (ReplayGain 2.0, EBU R128).
public enum GainMode: String, Sendable, Hashable, CaseIterable {
  /// Tracks are as loud as they are.
  case off
  /// All tracks are equally loud; the album's tag serves where the track has none.
  case track
  /// All albums are equally loud; the track's tag serves where the album has none.
  case album
}
