package import Playback
public import SignalProcessing
internal import Synchronization

private let effectReader = Mutex<(any EffectFiles)?>(nil)

extension Settings {
  /// The reader of the files that effects are made of, of which only the program knows where they are; `nil` without one.
  /// Any thread.
  package static var effectFiles: (any EffectFiles)? {
    get { effectReader.withLock { $0 } }
    set { effectReader.withLock { $0 = newValue } }
  }

  /// The sound of every track, without the speed.
  public var sound: SoundSettings {
    var sound = SoundSettings()
    sound.gainMode = gain
    sound.preamp = preamp
    sound.equalizer = Equalizer(eq) ?? .flat
    sound.balance = balance
    sound.effects = effectList
    return sound
  }

  private var effectList: EffectList {
    let none = EffectList()
    return effects == none.words ? none : (try? EffectList(effects, files: Self.effectFiles)) ?? none
  }

  /// The setting of the engine; `nil` for a setting of another part.
  package func engineSetting(for setting: Setting) -> PlaybackSetting? { setting.row.engineSetting?(self) }

  package mutating func apply(_ change: SoundChange) {
    switch change {
    case .gain(let mode): gain = mode
    case .preamp(let decibels): preamp = decibels
    case .equalizer(let equalizer): eq = equalizer.words
    case .balance(let side): balance = side
    case .addEffects(let list): effects = EffectList((effectList.effects + list.effects).suffix(16)).words
    case .removeEffect(let number):
      var list = effectList
      if list.effects.indices.contains(number - 1) { list.effects.remove(at: number - 1) }
      effects = list.words
    case .setEffects(let list): effects = list.words
    case .speed(let factor): speed = factor
    case .speedBy(let change): speed += change
    case .speedTimes(let factor): speed *= factor
    case .speedOver(let divisor): speed /= divisor
    }
    // Rounded, so that ten steps of 0.1 make exactly 1.
    speed = max(0.5, min(2, (speed * 1000).rounded() / 1000))
  }

  package func changes(from files: Settings) -> [SettingChange] {
    Setting.allCases.compactMap { setting in
      let (value, base) = (text(of: setting), files.text(of: setting))
      return value != base && setting.keeps(value) && setting.keeps(base)
        ? SettingChange(setting, value, from: base) : nil
    }
  }

  /// Makes changes again, except where the files have a new value. Effects whose library or file is missing are left out:
  /// returns why.
  package mutating func restore(_ changes: [SettingChange]) -> [String] {
    var problems: [String] = []
    for change in changes where text(of: change.setting) == change.base {
      guard let problem = set(change.setting, to: change.value) else { continue }
      guard change.setting == .effects else {
        problems.append(problem)
        continue
      }
      let usable = EffectList.usable(change.value, files: Self.effectFiles)
      problems += usable.problems.map { "effect left out: \($0)" }
      effects = usable.list.words
    }
    return problems
  }
}

/// A setting that was changed by hand, with the value that the files of settings had at that time.
public struct SettingChange: Sendable, Hashable {
  public var setting: Setting
  public var value: String
  /// The value in the files of settings.
  public var base: String

  public init(_ setting: Setting, _ value: String, from base: String) {
    (self.setting, self.value, self.base) = (setting, value, base)
  }
}

extension SoundChange {
  package var setting: Setting {
    switch self {
    case .gain: .gain
    case .preamp: .preamp
    case .equalizer: .eq
    case .balance: .balance
    case .addEffects, .removeEffect, .setEffects: .effects
    case .speed, .speedBy, .speedTimes, .speedOver: .speed
    }
  }
}
