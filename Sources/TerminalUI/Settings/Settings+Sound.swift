public import SignalProcessing

extension Setting {
  /// The settings of the sound. A change by hand lasts over a restart.
  public static let ofSound: [Setting] = [.gain, .preamp, .eq, .balance, .speed]
}

extension Settings {
  /// What is done to the sound of every track, but for its speed.
  public var sound: SoundSettings {
    var sound = SoundSettings()
    sound.gainMode = gain
    sound.preamp = preamp
    sound.equalizer = Equalizer(eq) ?? .flat
    sound.balance = balance
    return sound
  }

  /// Does what a command says.
  mutating func apply(_ change: SoundChange) {
    switch change {
    case .gain(let mode): gain = mode
    case .preamp(let decibels): preamp = decibels
    case .equalizer(let equalizer): eq = equalizer.words
    case .balance(let side): balance = side
    case .speed(let factor): speed = factor
    case .speedBy(let change): speed += change
    case .speedTimes(let factor): speed *= factor
    case .speedOver(let divisor): speed /= divisor
    }
    // Rounded, so that ten steps of 0.1 make exactly 1.
    speed = max(0.5, min(2, (speed * 1000).rounded() / 1000))
  }

  /// Changes a setting of the sound; why not, if it cannot be that.
  mutating func setSound(_ setting: Setting, to value: String) -> String? {
    let number = Double(value)
    switch setting {
    case .gain:
      guard let mode = GainMode(rawValue: value) else { return setting.refusal(of: value) }
      gain = mode
    case .eq:
      guard let equalizer = Equalizer(value) else {
        return "unknown eq \"\(value)\". Choose \(listed(setting.values)), or ten gains in dB like 3,0,-2.5,…"
      }
      eq = equalizer.words
    case .preamp:
      guard let number, -24...24 ~= number else { return "preamp \(value) is out of range (-24 to 24)" }
      preamp = number
    case .balance:
      guard let number, -1...1 ~= number else { return "balance \(value) is out of range (-1 to 1)" }
      balance = number
    default:
      guard let number, 0.5...2 ~= number else { return "speed \(value) is out of range (0.5 to 2)" }
      speed = number
    }
    return nil
  }
}

/// A setting that was changed by hand, and what the files of settings said then.
public struct SettingChange: Sendable, Hashable {
  /// Which one.
  public var setting: Setting
  /// Its value.
  public var value: String
  /// What it was changed from.
  public var base: String

  /// A change.
  public init(_ setting: Setting, _ value: String, from base: String) {
    (self.setting, self.value, self.base) = (setting, value, base)
  }
}

extension Configuration {
  /// The settings of the sound that differ from those of the files.
  public func soundChanges(from files: Configuration) -> [SettingChange] {
    Setting.ofSound.compactMap { setting in
      let (value, base) = (settings.text(of: setting), files.settings.text(of: setting))
      return value == base ? nil : SettingChange(setting, value, from: base)
    }
  }

  /// Makes changes again, unless the files say something else now.
  public mutating func restore(_ changes: [SettingChange]) {
    for change in changes where settings.text(of: change.setting) == change.base {
      _ = apply(.set(change.setting, change.value))
    }
  }
}
