internal import AudioModel

/// An audio queue and its bookkeeping. `Handle` is the queue itself, `Buffer` one of its buffers.
struct PlayingQueue<Handle, Buffer, Track> {
  let handle: Handle
  /// Distinguishes the events of this queue from those of earlier queues.
  let number: Int
  let format: PCMFormat
  var timeline = Timeline<Track>()
  /// The buffers that can be filled.
  var freeBuffers: [Buffer] = []
  /// The queue time after the last queued frame.
  var end: Int64 = 0

  init(_ handle: Handle, number: Int, format: PCMFormat) {
    (self.handle, self.number, self.format) = (handle, number, format)
  }

  /// True if no track is queued.
  var isEmpty: Bool { timeline.segments.isEmpty }
  /// The track that was queued last.
  var lastTrack: Track? { timeline.last?.track }
}

extension PlayingQueue where Track: SequenceTrack {
  /// The queue time at which the next track begins: the end, or the start of a fade-out before it.
  var handOverFrame: Int64 { min(end, timeline.last?.queueFrameOfFadeOut ?? end) }
}

extension Timeline.Segment where Track: SequenceTrack {
  /// The queue time at which the track begins to fade out on its own stream, if it does.
  var queueFrameOfFadeOut: Int64? { track.fadeOutStart.map { queueFrame + $0 - trackFrame } }
}
