internal import ByteIO
internal import Playback

/// What `segue [PATH]...` is asked for.
struct PlayOptions {
  var inputs: [BytePath]
  var hasNoUI = false
  var events: BytePath?
  var output = OutputChoice.pulse
  var volume: Int?
  var isShuffled = false
  var repeatMode = PlayQueue.RepeatMode.off
  /// Network streams leave nothing on disk.
  var keepsNoStreams = false
}
