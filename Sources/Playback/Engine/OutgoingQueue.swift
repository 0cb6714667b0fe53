internal import AudioOutput

/// A queue that plays out while one of another format is opened and filled for the track that follows.
struct OutgoingQueue {
  var queue: AudioQueue
  var number: Int
  var timeline: Timeline<LoadedTrack>
  var freeBuffers: [AudioQueueBuffer]
  /// Its time when its last frame has been heard.
  var end: Int64
  /// True if the next queue runs already, unheard.
  var leadIn: LeadIn?
  /// Why the next queue will not be heard when its turn comes.
  var incomingLoss: AudioOutputError?
  /// Its time when the next track is to be heard: with what fades out, before the end.
  var joint: Int64 { min(end, timeline.last?.queueFrameOfExit ?? end) }
}
