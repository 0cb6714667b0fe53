/// The program's audio session: category, mode, options, preferences, and if it may be heard now.
///
/// A value, owned by the owner of the connection to the sound server, who changes it by requests (`apply`).
public struct AudioSession: Sendable, Hashable {
  /// The purpose of the sound. `soloAmbient` until set.
  public private(set) var category = AudioSessionCategory.soloAmbient
  /// The use of the sound.
  public private(set) var mode = AudioSessionMode.default
  /// The relation to the sound of other programs.
  public private(set) var options: AudioSessionCategoryOptions = []
  /// Seconds of sound that the device is to hold; 0 leaves it to the program.
  public private(set) var preferredIOBufferDuration = 0.0
  /// Frames per second that the device is to have; 0 leaves it to the server.
  public private(set) var preferredSampleRate = 0.0
  /// True if the session may play.
  public private(set) var isActive = false

  /// An inactive session of the category `soloAmbient`.
  public init() {}

  /// True if other programs may play at the same time.
  public var isMixable: Bool { category == .ambient || options.contains(.mixWithOthers) || ducksOthers }

  /// True if other programs get softer while this session is active; implies mixing.
  public var ducksOthers: Bool { options.contains(.duckOthers) }

  /// The `media.role` for the sound server, by category and mode. Roles that the server corks for a call are not mixable.
  public var mediaRole: String { isMixable ? "game" : mode == .moviePlayback ? "video" : "music" }

  /// Sets the purpose of the sound. Takes effect at once, active or not.
  ///
  /// Throws `unsupportedCategory` for categories that record, `badParameter` for options and modes that the category does
  /// not allow; then nothing changes.
  public mutating func setCategory(
    _ category: AudioSessionCategory, mode: AudioSessionMode = .default, options: AudioSessionCategoryOptions = []
  ) throws(AudioSessionError) {
    guard !category.records else { throw .unsupportedCategory }
    guard options.isSubset(of: category.allowedOptions), !mode.records else { throw .badParameter }
    self.category = category
    self.mode = mode
    self.options = options
  }

  /// Becomes active, or inactive, so that others may continue.
  ///
  /// Throws `mediaServicesFailed` if there is no sound server to play on, `isBusy` for the end of a session whose sound is
  /// still running; nothing has changed then.
  public mutating func setActive(
    _ isActive: Bool, isRunning: Bool = false, hasServer: Bool = true
  ) throws(AudioSessionError) {
    guard isActive || !isRunning else { throw .isBusy }
    guard !isActive || hasServer else { throw .mediaServicesFailed }
    self.isActive = isActive
  }

  /// Asks for a buffer of so many seconds, 0.02...10; 0 for none in particular. Throws `badParameter` for others.
  public mutating func setPreferredIOBufferDuration(_ seconds: Double) throws(AudioSessionError) {
    guard seconds == 0 || 0.02...10 ~= seconds else { throw .badParameter }
    preferredIOBufferDuration = seconds
  }

  /// Asks for so many frames per second, 8000...768,000; 0 for none in particular. Throws `badParameter` for others.
  public mutating func setPreferredSampleRate(_ rate: Double) throws(AudioSessionError) {
    guard rate == 0 || 8000...768_000 ~= rate else { throw .badParameter }
    preferredSampleRate = rate
  }

  /// Deactivates the session for an interruption, before that is reported.
  public mutating func interrupt() { isActive = false }

  /// Does what is asked. Throws as the functions above.
  public mutating func apply(
    _ request: AudioSessionRequest, isRunning: Bool = false, hasServer: Bool = true
  ) throws(AudioSessionError) {
    switch request {
    case .category(let category, let mode, let options): try setCategory(category, mode: mode, options: options)
    case .active(let isActive): try setActive(isActive, isRunning: isRunning, hasServer: hasServer)
    case .ioBufferDuration(let seconds): try setPreferredIOBufferDuration(seconds)
    case .sampleRate(let rate): try setPreferredSampleRate(rate)
    }
  }
}

/// A change of a session that is in use.
public enum AudioSessionRequest: Sendable, Hashable {
  /// `setCategory`.
  case category(
    AudioSessionCategory, mode: AudioSessionMode = .default, options: AudioSessionCategoryOptions = [])
  /// `setActive`.
  case active(Bool)
  /// `setPreferredIOBufferDuration`.
  case ioBufferDuration(Double)
  /// `setPreferredSampleRate`.
  case sampleRate(Double)
}
