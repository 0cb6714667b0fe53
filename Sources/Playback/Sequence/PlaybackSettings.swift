internal import SignalProcessing

/// The listener's settings, within their limits: volume, sound, speed, crossfade and time shift.
///
/// NaN changes nothing where a number is kept, and counts as 0 elsewhere.
struct PlaybackSettings: Sendable, Hashable {
  /// 0...1.
  private(set) var volume = 1.0
  var isMuted = false
  /// True if the volume is reduced for another sound.
  var isDucked = false
  /// The processing of the samples of every track.
  private(set) var sound = SoundSettings()
  /// The playback speed, 0.5...2.
  private(set) var speed = 1.0
  /// Seconds in which the end of a track and the start of the next overlap, 0...12.
  private(set) var crossfade = 0.0
  /// True if a part of the current track is repeated: its end is not mixed with the next track.
  var isLooped = false
  /// Seconds of a station that are kept for seeks.
  private(set) var shiftSeconds: Double

  init(shiftSeconds: Double) { self.shiftSeconds = shiftSeconds }

  /// The volume for the sound server. The server's scale is cubic: 20 dB are a tenth of the amplitude, and the third root
  /// of that on the scale.
  var outputVolume: Double { isDucked ? volume * 0.464_159 : volume }

  /// The length of the next crossfade in seconds: 0 while a part of the track is repeated.
  var crossfadeSeconds: Double { isLooped ? 0 : crossfade }

  mutating func setVolume(_ value: Double) { volume = Self.limited(value, to: 0...1) ?? volume }

  mutating func setGain(_ mode: GainMode, preamp: Double) {
    sound.gainMode = mode
    sound.preamp = Self.limited(preamp, to: -24...24) ?? 0
  }

  mutating func setEqualizer(_ equalizer: Equalizer) { sound.equalizer = equalizer }

  mutating func setBalance(_ value: Double) { sound.balance = Self.limited(value, to: -1...1) ?? 0 }

  mutating func setSpeed(_ value: Double) { speed = Self.limited(value, to: 0.5...2) ?? speed }

  mutating func setCrossfade(_ seconds: Double) { crossfade = Self.limited(seconds, to: 0...12) ?? 0 }

  mutating func setTimeShift(_ seconds: Double) { shiftSeconds = seconds.isNaN ? shiftSeconds : max(0, seconds) }

  private static func limited(_ value: Double, to range: ClosedRange<Double>) -> Double? {
    value.isNaN ? nil : max(range.lowerBound, min(range.upperBound, value))
  }
}
