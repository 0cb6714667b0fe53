internal import ByteIO
internal import Playback
internal import SignalProcessing

/// What `segue [PATH]...` is asked for.
struct PlayOptions {
  var inputs: [BytePath]
  var hasNoUI = false
  var events: BytePath?
  var output = OutputChoice.pulse
  var volume: Int?
  var sound = SoundSettings()
  var speed = 1.0
  var isShuffled = false
  var repeatMode = PlayQueue.RepeatMode.off
  /// Network streams leave nothing on disk.
  var keepsNoStreams = false
}
