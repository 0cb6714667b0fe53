/// What the program wants its sound to be, and whether it may be heard now.
///
/// A value: whoever owns the connection to the sound server holds one and asks it before it acts.
public struct AudioSession: Sendable, Hashable {
  /// What the sound is for. `soloAmbient` until set.
  public private(set) var category = AudioSessionCategory.soloAmbient
  /// How it is used.
  public private(set) var mode = AudioSessionMode.default
  /// How it stands beside the sound of others.
  public private(set) var options: AudioSessionCategoryOptions = []
  /// Whether it may be heard.
  public private(set) var isActive = false

  /// An inactive session.
  public init() {}

  /// Whether others may sound at the same time.
  public var isMixable: Bool { category == .ambient || options.contains(.mixWithOthers) || ducksOthers }

  /// Whether others are made softer while this is active; implies mixing.
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

  /// Becomes inactive, so that others may go on. Throws `isBusy` while sound is still running.
  public mutating func deactivate(isRunning: Bool) throws(AudioSessionError) {
    guard !isRunning else { throw .isBusy }
    isActive = false
  }

  /// An interruption began: the session is inactive already when that is heard of.
  public mutating func interrupt() { isActive = false }
}
