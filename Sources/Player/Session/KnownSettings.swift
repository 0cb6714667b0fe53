internal import Commands

/// The settings that are in effect, and those of the files.
struct KnownSettings {
  var settings = Settings() { didSet { settings.applyCharset() } }
  private var filed = Settings()

  /// The changes of settings by hand.
  var changesByHand: [SettingChange] { settings.changes(from: filed) }

  /// Takes the settings of the files. Changes by hand stay, unless the files have a new value.
  ///
  /// - Parameter changes: Changes that were saved with the session before; `nil` if the files were read again.
  /// - Returns: The settings that may have another value, and what could not be kept.
  mutating func adopt(_ files: Settings, changes: [SettingChange]?) -> (changed: [Setting], problems: [String]) {
    let kept = changes ?? changesByHand
    let old = settings
    var new = files
    let problems = new.restore(kept)
    (filed, settings) = (files, new)
    let changed = Setting.allCases.filter { changes != nil || new.text(of: $0) != old.text(of: $0) }
    return (changed, problems)
  }
}
