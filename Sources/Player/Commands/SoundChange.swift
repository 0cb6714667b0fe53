public import SignalProcessing

/// A change of the sound of the current and all later tracks.
public enum SoundChange: Sendable, Hashable {
  case gain(GainMode)
  /// Decibels, -24...24.
  case preamp(Double)
  case equalizer(Equalizer)
  /// -1...1.
  case balance(Double)
  /// Behind those that are there.
  case addEffects(EffectList)
  /// The one with that number, from 1.
  case removeEffect(Int)
  /// Instead of those that are there.
  case setEffects(EffectList)
  /// 0.5...2; or by a number, the result clamped to that.
  case speed(Double), speedBy(Double)
  /// Times or divided by a number, the result clamped to 0.5...2.
  case speedTimes(Double), speedOver(Double)
}
