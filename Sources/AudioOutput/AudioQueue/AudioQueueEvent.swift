public import AudioModel

/// Events of an audio queue. They come on the device's thread or within a call to the queue. Listeners must not wait;
/// the comment of `AudioQueue` lists the calls that they may make.
public enum AudioQueueEvent: Sendable {
  /// The buffer's frames were passed to the device, but not played yet: fill it again, and enqueue it to its `queue`.
  case bufferReturned(AudioQueueBuffer)
  /// The device started, or it ended: after the last frame, or at a stop. Pauses and underruns do not count.
  case isRunning(Bool)
  /// Sound begins: after each `start`, `reset` or underrun. `clock` is exact from now on.
  case started
  /// All queued frames were played. Silence follows until more are enqueued.
  case underrun
  /// The queue runs and has frames, but the device does not start within 3 s, or stands still. It may play later:
  /// `started`.
  case stalled
  /// The device has played less or more than `clock` said. Both times go on from the place of the device: only here may
  /// they move backwards.
  case clockCorrected
  /// The server requests a pause because another program plays: an interruption begins. Only `start` overrules the
  /// server, until the end of the interruption.
  case pauseRequested
  /// Frames from this time on were not heard: they were muted before `pauseRequested`, or a device that stood still has
  /// confirmed a pause after `pause` returned. To be audible, they must be enqueued again, after `reset`.
  case playedUnheard(from: Int64)
  /// The reason for `pauseRequested` is gone. Ignore it if the user had paused before.
  case resumeRequested
  /// The reason for `pauseRequested` is gone, without a request of the server to resume.
  case pauseReasonGone
  /// The device was suspended or is back; time stands still meanwhile.
  case suspended(Bool)
  /// The stream has a device, or another one, or the device changed. `isOldGone`: the earlier device was removed.
  case routeChanged(AudioRoute, isOldGone: Bool)
  /// Another program has set the device's volume for the queue: that of `AudioOutput.setVolume`, not the queue's own.
  case volumeChanged(Double)
  /// Another program has muted or unmuted the queue on the device.
  case muteChanged(Bool)
  /// Other programs started or stopped playing.
  case othersChanged(OtherAudio)
  /// The device is gone, or could not be opened. `currentTime` keeps its last value; dispose of the queue.
  case outputLost(AudioOutputError)
}
