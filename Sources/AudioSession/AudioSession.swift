/// The program's audio session: category, mode, options, and if it may be heard now.
///
/// A value, owned by the owner of the connection to the sound server, who checks it before playback starts.
public struct AudioSession: Sendable, Hashable {
  /// The purpose of the sound. `soloAmbient` until set.
  public private(set) var category = AudioSessionCategory.soloAmbient
  /// The use of the sound.
  public private(set) var mode = AudioSessionMode.default
  /// The relation to the sound of other programs.
  public private(set) var options: AudioSessionCategoryOptions = []
  /// True if the session may play.
  public private(set) var isActive = false

  /// An inactive session.
  public init() {}

  /// True if other programs may play at the same time.
  public var isMixable: Bool { category == .ambient || options.contains(.mixWithOthers) || ducksOthers }

  /// True if other programs get softer while this session is active; implies mixing.
  public var ducksOthers: Bool { options.contains(.duckOthers) }

  /// The `media.role` for the sound server, by category. Roles that the server corks for a call are not mixable.
  public var mediaRole: String { isMixable ? "game" : "music" }

  /// Sets the purpose of the sound. Takes effect at once, active or not.
  ///
  /// Throws `unsupportedCategory` for categories that record, `badParameter` for options that the category does not
  /// allow; then nothing changes.
  public mutating func setCategory(
    _ category: AudioSessionCategory, mode: AudioSessionMode = .default, options: AudioSessionCategoryOptions = []
  ) throws(AudioSessionError) {
    guard !category.records else { throw .unsupportedCategory }
    guard options.isSubset(of: category.allowedOptions) else { throw .badParameter }
    self.category = category
    self.mode = mode
    self.options = options
  }

  /// Activates the session, unless `grant`, which asks the sound server, throws.
  public mutating func activate(_ grant: () throws(AudioSessionError) -> Void) throws(AudioSessionError) {
    guard !isActive else { return }
    try grant()
    isActive = true
  }

  /// Deactivates the session, so that other programs can continue. Throws `isBusy` while audio is running.
  public mutating func deactivate(isRunning: Bool) throws(AudioSessionError) {
    guard !isRunning else { throw .isBusy }
    isActive = false
  }

  /// Deactivates the session for an interruption, before that is reported.
  public mutating func interrupt() { isActive = false }
}
