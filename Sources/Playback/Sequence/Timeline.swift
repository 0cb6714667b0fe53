/// The tracks of a queue on its own time line: maps each queue frame to a frame of a track.
///
/// Tracks that follow each other without a gap are segments of one time line. Pure; owned by the feeder.
struct Timeline<Track> {
  /// A run of frames of one track.
  struct Segment {
    /// Queue time of its first frame.
    var queueFrame: Int64
    /// The track's frame there.
    var trackFrame: Int64
    var track: Track
  }

  private(set) var segments: [Segment] = []
  /// The segment that ended last. Kept while the device may still report that its end was not heard.
  private var left: Segment?
  /// The largest number of frames that a device reports as unheard after it played them.
  private static var mostUnheardFrames: Int64 { 100_000 }

  /// The last segment, which belongs to the track that is being read.
  var last: Segment? { segments.last }

  /// From `queueFrame` on the queue plays `track` from `trackFrame` on.
  mutating func append(_ track: Track, trackFrame: Int64, atQueueFrame queueFrame: Int64) {
    segments.append(Segment(queueFrame: queueFrame, trackFrame: trackFrame, track: track))
  }

  mutating func keep(first count: Int) { segments.removeLast(max(0, segments.count - count)) }

  mutating func removeAll() {
    segments.removeAll()
    left = nil
  }

  /// Removes the first segment if the next one has begun at `queueFrame`, and returns the next one. Call it until it
  /// returns `nil`: several short tracks may have passed.
  mutating func advance(toQueueFrame queueFrame: Int64) -> Segment? {
    guard let nextBoundary, nextBoundary <= queueFrame else {
      if let first = segments.first, queueFrame &- first.queueFrame > Self.mostUnheardFrames { left = nil }
      return nil
    }
    left = segments.removeFirst()
    return segments.first
  }

  /// The track and frame at `queueFrame`, after `advance`; before the first segment, its first frame.
  func heard(atQueueFrame queueFrame: Int64) -> (track: Track, frame: Int64)? {
    segments.first.map { ($0.track, $0.trackFrame &+ max(0, queueFrame &- $0.queueFrame)) }
  }

  /// The same for a time that may lie a little before the last `advance`.
  func heard(backAtQueueFrame queueFrame: Int64) -> (track: Track, frame: Int64)? {
    guard let left, let first = segments.first, queueFrame < first.queueFrame else {
      return heard(atQueueFrame: queueFrame)
    }
    return (left.track, left.trackFrame &+ max(0, queueFrame &- left.queueFrame))
  }

  /// The segment at `queueFrame` with its track and frame; the first segment for frames before it.
  func position(atQueueFrame queueFrame: Int64) -> (index: Int, track: Track, frame: Int64)? {
    guard let first = segments.indices.first else { return nil }
    let index = segments.lastIndex { $0.queueFrame <= queueFrame } ?? first
    let segment = segments[index]
    return (index, segment.track, segment.trackFrame &+ max(0, queueFrame &- segment.queueFrame))
  }

  /// The queue time at which the next track begins.
  var nextBoundary: Int64? { segments.count > 1 ? segments[1].queueFrame : nil }
}

extension Timeline: Sendable where Track: Sendable {}
extension Timeline.Segment: Sendable where Track: Sendable {}
