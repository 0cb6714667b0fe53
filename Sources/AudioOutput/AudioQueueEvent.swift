public import AudioModel

/// Events of an audio queue. They come on the device's thread or within a call to the queue. Listeners must not wait;
/// `AudioQueue` says which of its calls it may make.
public enum AudioQueueEvent: Sendable {
  /// The buffer's frames were taken (not heard): fill it again, and enqueue it to its `queue`.
  case bufferReturned(AudioQueueBuffer)
  /// The device really started, or really ended: after the last frame was heard, or at a stop. Pauses and
  /// underruns do not count.
  case isRunning(Bool)
  /// Frames begin to be heard: after `start`, `reset` or an underrun, each time. `clock` is right from here on.
  case started
  /// All queued frames were played and there is silence until more come.
  case underrun
  /// There are frames, the queue runs, and yet the device does not start within 3 s. It may still.
  case stalled
  /// The server wants a pause because something else is played: an interruption begins. A `start` against
  /// its will overrules it, until the reason is gone.
  case pauseRequested
  /// Frames from this time on were muted already, before `pauseRequested`: to be heard, they must be enqueued again.
  case playedUnheard(from: Int64)
  /// The reason for `pauseRequested` is gone. Not to be obeyed where the listener had paused before.
  case resumeRequested
  /// The reason for `pauseRequested` is gone, without a word of the server that the queue should continue.
  case pauseReasonGone
  /// The device was suspended or is back; time stands still meanwhile.
  case suspended(Bool)
  /// The stream has got a device, or another one, or something about it changed. `isOldGone`: the one before was taken
  /// away.
  case routeChanged(AudioRoute, isOldGone: Bool)
  /// The device's volume for the queue, which is not the queue's own, was set by others: as in
  /// `AudioOutput.setVolume`.
  case volumeChanged(Double)
  /// Others began or ceased to sound.
  case othersChanged(OtherAudio)
  /// The device is gone, or could not be had. `currentTime` keeps its last value; dispose of the queue.
  case outputLost(AudioOutputError)
}
