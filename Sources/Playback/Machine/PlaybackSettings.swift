public import SignalProcessing

/// A change of the engine's settings. Numbers beyond a limit become that limit.
public enum PlaybackSetting: Sendable, Hashable {
  /// The volume, 0...1.
  case volume(Double)
  /// True if no sound is to be heard; the volume stays.
  case muted(Bool)
  /// True while another program plays, for the simulated session: the volume is lower by 20 dB.
  case ducked(Bool)
  /// The loudness tags that apply, and extra gain in decibels, -24...24.
  case gain(GainMode, preamp: Double)
  /// The bands of the equaliser.
  case equalizer(Equalizer)
  /// From -1, the left channel only, to 1, the right channel only.
  case balance(Double)
  /// The effects, which follow gain, equaliser and balance.
  case effects(EffectList)
  /// The speed, 0.5...2. The pitch stays.
  case speed(Double)
  /// The seconds in which a track and the next one overlap, 0...12.
  case crossfade(Double)
  /// True while a part of the track is repeated: its end is not mixed with the next. The next track resets it.
  case looped(Bool)
  /// The seconds of a station that are kept for seeking back.
  case timeShift(Double)
}

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

  /// Applies a change. Returns the effect; `nil` if there is none.
  mutating func apply(_ setting: PlaybackSetting) -> SettingsEffect? {
    let before = self
    switch setting {
    case .volume(let value): volume = Self.limited(value, to: 0...1) ?? volume
    case .muted(let value): isMuted = value
    case .ducked(let value): isDucked = value
    case .gain(let mode, let preamp):
      sound.gainMode = mode
      sound.preamp = Self.limited(preamp, to: -24...24) ?? 0
    case .equalizer(let equalizer): sound.equalizer = equalizer
    case .balance(let value): sound.balance = Self.limited(value, to: -1...1) ?? 0
    case .effects(let effects): sound.effects = effects
    case .speed(let value): speed = Self.limited(value, to: 0.5...2) ?? speed
    case .crossfade(let seconds): crossfade = Self.limited(seconds, to: 0...12) ?? 0
    case .looped(let value): isLooped = value
    case .timeShift(let seconds): shiftSeconds = Self.limited(seconds, to: 0...Self.longestShift) ?? shiftSeconds
    }
    let change = EarlierSound(sound: before.sound, speed: before.speed)
    switch setting {
    case .volume, .muted, .ducked: return .sendVolume
    case _ where sound != before.sound: return .readAgain(change)
    case _ where speed != before.speed: return .changeSpeed(change)
    default: return crossfadeSeconds != before.crossfadeSeconds ? .changeCrossfade : nil
    }
  }

  /// A week: more than any disk holds.
  private static let longestShift = 604_800.0

  private static func limited(_ value: Double, to range: ClosedRange<Double>) -> Double? {
    value.isNaN ? nil : max(range.lowerBound, min(range.upperBound, value))
  }
}

/// The sound settings and the speed of queued audio, before changes that came together.
struct EarlierSound: Sendable, Hashable {
  var sound: SoundSettings
  var speed: Double
}

/// The work for the owner of `PlaybackSettings` after a change.
enum SettingsEffect: Sendable, Hashable {
  /// Send the volume and the mute to the output.
  case sendVolume
  /// Read queued audio again, which has these settings.
  case readAgain(EarlierSound)
  /// Change the speed of the queue, and read queued audio again.
  case changeSpeed(EarlierSound)
  /// Plan the crossfade again.
  case changeCrossfade
}
