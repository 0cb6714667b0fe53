public import SignalProcessing

/// A change of the sound of the current and all later tracks.
public enum SoundChange: Sendable, Hashable {
  /// The loudness tags that apply.
  case gain(GainMode)
  /// Extra gain in decibels, -24...24.
  case preamp(Double)
  case equalizer(Equalizer)
  /// The balance, -1...1.
  case balance(Double)
  /// Adds effects after the existing ones.
  case addEffects(EffectList)
  /// Removes the effect with that number, from 1.
  case removeEffect(Int)
  case setEffects(EffectList)
  /// Sets the speed, 0.5...2, or adds a number to it; the result is clamped.
  case speed(Double), speedBy(Double)
  /// Multiplies the speed by a number, or divides it; the result is clamped.
  case speedTimes(Double), speedOver(Double)
}
