/// The program's audio session: category, mode, options, and if it may be heard now.
///
/// A value: whoever owns the connection to the sound server holds one and asks it before it acts.
public struct AudioSession: Sendable, Hashable {
  /// The purpose of the sound. `soloAmbient` until set.
  public private(set) var category = AudioSessionCategory.soloAmbient
  /// The use of the sound.
  public private(set) var mode = AudioSessionMode.default
  /// The relation to the sound of other programs.
  public private(set) var options: AudioSessionCategoryOptions = []
  /// True if it may be heard.
  public private(set) var isActive = false

  /// An inactive session.
  public init() {}

  /// True if others may sound at the same time.
  public var isMixable: Bool { category == .ambient || options.contains(.mixWithOthers) || ducksOthers }

  /// True if others are made softer while this is active; implies mixing.
  public var ducksOthers: Bool { options.contains(.duckOthers) }

  /// The `media.role` that the sound server knows the category by: those that it corks for a phone call are not
  /// mixable.
  public var mediaRole: String { isMixable ? "game" : "music" }

  /// Sets what the sound is for. Takes effect at once, active or not.
  ///
  /// Throws `unsupportedCategory` for the categories that record, `badParameter` for options that the category does not
  /// take; nothing has changed then.
  public mutating func setCategory(
    _ category: AudioSessionCategory, mode: AudioSessionMode = .default, options: AudioSessionCategoryOptions = []
  ) throws(AudioSessionError) {
    guard !category.records else { throw .unsupportedCategory }
    guard options.isSubset(of: category.allowedOptions) else { throw .badParameter }
    self.category = category
    self.mode = mode
    self.options = options
  }

  /// Becomes active if `grant`, which asks the sound server, does not refuse by throwing.
  public mutating func activate(_ grant: () throws(AudioSessionError) -> Void) throws(AudioSessionError) {
    guard !isActive else { return }
    try grant()
    isActive = true
  }

  /// Becomes inactive, so that others may continue. Throws `isBusy` while sound is still running.
  public mutating func deactivate(isRunning: Bool) throws(AudioSessionError) {
    guard !isRunning else { throw .isBusy }
    isActive = false
  }

  /// An interruption began: the session is inactive already when that is reported.
  public mutating func interrupt() { isActive = false }
}
