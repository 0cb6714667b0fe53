internal import Playback
internal import SignalProcessing
internal import TerminalUI

extension PlayerSession {
  /// Sets what is done to the sound of every track, and the speed.
  func setSound(_ sound: SoundSettings, speed: Double) {
    (self.sound, self.speed) = (sound, speed)
    engine.send(.setGain(sound.gainMode, preamp: sound.preamp))
    engine.send(.setEqualizer(sound.equalizer))
    engine.send(.setBalance(sound.balance))
    engine.send(.setSpeed(speed))
  }

  /// Changes a part of that.
  func changeSound(_ change: SoundChange) {
    switch change {
    case .gain(let mode):
      sound.gainMode = mode
      engine.send(.setGain(mode, preamp: sound.preamp))
    case .preamp(let decibels):
      sound.preamp = decibels
      engine.send(.setGain(sound.gainMode, preamp: decibels))
    case .equalizer(let equalizer):
      sound.equalizer = equalizer
      engine.send(.setEqualizer(equalizer))
    case .balance(let balance):
      sound.balance = balance
      engine.send(.setBalance(balance))
    case .speed(let speed): setSpeed(speed)
    case .speedBy(let change): setSpeed(speed + change)
    case .speedTimes(let factor): setSpeed(speed * factor)
    case .speedOver(let divisor): setSpeed(speed / divisor)
    }
  }

  private func setSpeed(_ value: Double) {
    speed = max(0.5, min(2, value))
    engine.send(.setSpeed(speed))
  }
}
