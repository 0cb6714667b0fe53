public import AudioModel

/// What an audio queue tells. Comes on the device's thread or within a call to the queue. The listener must not wait;
/// `AudioQueue` says which of its calls it may make.
public enum AudioQueueEvent: Sendable {
  /// The buffer's frames were taken (not heard): fill it again (CONTRACTS B.3-2).
  case bufferReturned(AudioQueueBuffer)
  /// The device really started, or really ended: after the last frame was heard, or at a stop (B.3-11). Pauses and
  /// underruns do not count.
  case isRunning(Bool)
  /// Frames begin to be heard: after `start`, `reset` or an underrun, each time. `clock` is right from here on.
  case started
  /// All queued frames were played and there is silence until more come (B.3-20).
  case underrun
  /// There are frames, the queue runs, and yet the device does not start within 3 s (D.4). It may still.
  case stalled
  /// The server wants a pause because something else is to be heard: an interruption begins (D.3). A `start` against
  /// its will overrules it, until the reason is gone (E5).
  case pauseRequested
  /// What was played from this time on was muted already, before `pauseRequested`: to be heard, it has to be enqueued again.
  case playedUnheard(from: Int64)
  /// The reason for `pauseRequested` is gone. Not to be obeyed where the listener had paused before (E3).
  case resumeRequested
  /// The reason for `pauseRequested` is gone, without a word of the server that the queue should go on (E2, E6).
  case pauseReasonGone
  /// The device was suspended or is back; time stands still meanwhile.
  case suspended(Bool)
  /// The stream has got a device, or another one, or something about it changed. `isOldGone`: the one before was taken
  /// away (B.5-11).
  case routeChanged(AudioRoute, isOldGone: Bool)
  /// The device's volume for the queue, which is not the queue's own, was set by others (D.3): as in
  /// `AudioOutput.setVolume`.
  case volumeChanged(Double)
  /// Others began or ceased to sound (B.5-12).
  case othersChanged(OtherAudio)
  /// The device is gone, or could not be had. `currentTime` keeps its last value; dispose of the queue.
  case outputLost(AudioOutputError)
}
