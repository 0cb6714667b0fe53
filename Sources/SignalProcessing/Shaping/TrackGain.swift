public import AudioModel
internal import Glibc

/// The gain of a track by its tags and the settings.
public struct TrackGain: Sendable, Hashable {
  /// The gain in decibels, preamp included; -60...40.
  public var decibels: Double
  /// True if the gain was reduced, so that the peak in the tags is not clipped.
  public var isLowered: Bool
  /// True if the loudness was measured, and is no tag of the file.
  public var isMeasured: Bool

  /// The gain of a track with those tags. A known peak limits the gain, so that it does not exceed full scale; without
  /// a peak, `SoundProcessor` limits the samples.
  public init(_ tags: TrackTags.Gain, _ settings: SoundSettings) {
    let (first, second) = ((tags.track, tags.trackPeak), (tags.album, tags.albumPeak))
    let chosen: (gain: Double?, peak: Double?)
    switch settings.gainMode {
    case .off: chosen = (nil, nil)
    case .track: chosen = first.0 == nil ? second : first
    case .album: chosen = second.0 == nil ? first : second
    }
    // A tag may contain any number.
    let gain = chosen.gain.flatMap { $0.isFinite ? $0 : nil } ?? 0
    let preamp = settings.preamp.isFinite ? settings.preamp : 0
    decibels = max(-60, min(40, gain + preamp))
    isLowered = false
    isMeasured = tags.isMeasured && chosen.gain != nil
    guard let peak = chosen.peak, peak.isFinite, peak > 0 else { return }
    let limit = -20 * log10(peak)
    isLowered = limit < decibels
    decibels = max(-60, min(decibels, limit))
  }
}
