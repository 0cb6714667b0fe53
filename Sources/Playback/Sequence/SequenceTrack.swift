internal import AudioModel
internal import Streaming

/// An open track as `TrackSequence` sees it: facts only. The owner of the sequence reads and seeks the track.
protocol SequenceTrack: AnyObject {
  var entry: QueueEntry { get }
  var format: PCMFormat { get }
  /// True if the track is a later part of its entry.
  var isContinuation: Bool { get }
  /// The rest of the entry in another encoding, known once this part was read to its end.
  var rest: StreamContinuation? { get set }
  /// Seconds of the entry, as far as known.
  var duration: Double? { get }
  var isLive: Bool { get }
  /// The frame at which playback of the track began: not 0 after a seek.
  var enteredFrame: Int64 { get }
  /// The frame that is read next.
  var nextFrame: Int64 { get }
  /// The number of frames, if known.
  var frameCount: Int64? { get }
  /// So many frames before its end the next track should be open, which completes its last frames; 0: it need not.
  var frameCountToJoin: Int64 { get }
  /// The first frame of a fade-out on the track's own stream.
  var fadeOutStart: Int64? { get }

  /// True if both tracks belong together (consecutive tracks of an album), so that they are not mixed.
  func isFollowed(by next: Self) -> Bool
  /// True if so many seconds can be read without waiting.
  func isReady(seconds: Double) -> Bool
  func seconds(atFrame frame: Int64) -> Double
  func frame(atSeconds seconds: Double) -> Int64
}
