internal import ByteIO
internal import Playback

/// The options of `segue [PATH]...`.
struct PlayOptions: Equatable {
  var inputs: [BytePath]
  /// A sentence about the music that words have found.
  var match: String?
  /// Begin with the guide of the first start.
  var showsSetup = false
  var hasNoUI = false
  /// Start without a terminal.
  var isDaemon = false
  /// Start as the process that was called, for a supervisor.
  var staysInForeground = false
  /// Enter the sandbox before reading any input.
  var isSandboxed = true
  var events: BytePath?
  var output = OutputChoice.automatic
  /// Let `wav:` replace an existing WAVE file.
  var replacesOutput = false
  var volume: Int?
  /// Keep nothing of network streams on disk.
  var keepsNoStreams = false
  /// `nil`: as in the last session.
  var isShuffled: Bool?
  /// `nil`: as in the last session.
  var repeatMode: PlayQueue.RepeatMode?
  /// A file in place of `config`.
  var configuration: BytePath?
  var readsConfiguration = true
  /// The values of `-o name=value`.
  var settings: [String] = []
}
