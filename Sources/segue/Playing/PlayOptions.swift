internal import ByteIO
internal import Playback

/// What `segue [PATH]...` is asked for.
struct PlayOptions {
  var inputs: [BytePath]
  var hasNoUI = false
  /// The process gives up what a player does not need before it reads anything.
  var isSandboxed = true
  var events: BytePath?
  var output = OutputChoice.pulse
  /// `wav:` may replace an existing WAVE file.
  var replacesOutput = false
  var volume: Int?
  /// Network streams leave nothing on disk.
  var keepsNoStreams = false
  /// `nil`: as in the session before.
  var isShuffled: Bool?
  /// `nil`: as in the session before.
  var repeatMode: PlayQueue.RepeatMode?
  /// In place of the file `config`.
  var configuration: BytePath?
  var readsConfiguration = true
  /// Of `-o name=value`.
  var settings: [String] = []
}
