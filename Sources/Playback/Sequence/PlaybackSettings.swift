internal import SignalProcessing

/// The listener's settings, within their limits: volume, sound, speed, crossfade and time shift.
///
/// NaN changes nothing where a number is kept, and counts as 0 elsewhere.
struct PlaybackSettings: Sendable, Hashable {
  /// 0...1.
  private(set) var volume = 1.0
  private(set) var isMuted = false
  /// True if the volume is reduced for another sound.
  private(set) var isDucked = false
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

  /// The volume for the sound server. The server's scale is cubic: 20 dB are a tenth of the amplitude, and the third
  /// root of that on the scale.
  var outputVolume: Double { isDucked ? volume * 0.464_159 : volume }

  /// True if speed or effects change the samples of every track.
  var convertsSound: Bool { speed != 1 || !sound.effects.isNeutral }

  /// The length of the next crossfade in seconds: 0 while a part of the track is repeated.
  var crossfadeSeconds: Double { isLooped ? 0 : crossfade }

  /// Applies a command that changes a setting. Returns the effect; `nil` if there is none.
  mutating func apply(_ command: PlaybackCommand) -> SettingsEffect? {
    let before = self
    switch command {
    case .setVolume(let value): volume = Self.limited(value, to: 0...1) ?? volume
    case .setMuted(let value): isMuted = value
    case .setDucked(let value): isDucked = value
    case .setGain(let mode, let preamp):
      sound.gainMode = mode
      sound.preamp = Self.limited(preamp, to: -24...24) ?? 0
    case .setEqualizer(let equalizer): sound.equalizer = equalizer
    case .setBalance(let value): sound.balance = Self.limited(value, to: -1...1) ?? 0
    case .setEffects(let effects): sound.effects = effects
    case .setSpeed(let value): speed = Self.limited(value, to: 0.5...2) ?? speed
    case .setCrossfade(let seconds): crossfade = Self.limited(seconds, to: 0...12) ?? 0
    case .setLooped(let value): isLooped = value
    case .setTimeShift(let seconds): shiftSeconds = Self.limited(seconds, to: 0...Self.longestShift) ?? shiftSeconds
    default: break
    }
    return effect(before, command)
  }

  private func effect(_ before: PlaybackSettings, _ command: PlaybackCommand) -> SettingsEffect? {
    let change = SoundChange(sound: before.sound, speed: before.speed)
    switch command {
    case .setVolume, .setMuted, .setDucked: return .sendVolume
    default: break
    }
    if sound != before.sound { return .readAgain(change) }
    if speed != before.speed { return .changeSpeed(change) }
    return crossfadeSeconds != before.crossfadeSeconds ? .changeCrossfade : nil
  }

  /// A week: more than any disk holds.
  private static let longestShift = 604_800.0

  private static func limited(_ value: Double, to range: ClosedRange<Double>) -> Double? {
    value.isNaN ? nil : max(range.lowerBound, min(range.upperBound, value))
  }
}

/// The sound settings and the speed of queued audio, before changes that came together.
struct SoundChange: Sendable, Hashable {
  var sound: SoundSettings
  var speed: Double
}

/// The work for the owner of `PlaybackSettings` after a change.
enum SettingsEffect: Sendable, Hashable {
  /// Send the volume and the mute to the output.
  case sendVolume
  /// Read queued audio again, which has these settings.
  case readAgain(SoundChange)
  /// Change the speed of the queue, and read queued audio again.
  case changeSpeed(SoundChange)
  /// Plan the crossfade again.
  case changeCrossfade
}
