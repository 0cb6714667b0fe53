/// Which frame of which track the queue plays at each frame of its own time.
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
  /// What was heard before the first of them, as long as that may turn out not to be so.
  private var left: Segment?
  /// No device plays more than that before it says that nobody heard it.
  private static var mostUnheardFrames: Int64 { 100_000 }

  /// What the last segment plays: what is being read.
  var last: Segment? { segments.last }

  /// From `queueFrame` on the queue plays `track` from `trackFrame` on.
  mutating func append(_ track: Track, trackFrame: Int64, atQueueFrame queueFrame: Int64) {
    segments.append(Segment(queueFrame: queueFrame, trackFrame: trackFrame, track: track))
  }

  /// Forgets what follows the first `count` segments.
  mutating func keep(first count: Int) { segments.removeLast(max(0, segments.count - count)) }

  mutating func removeAll() {
    segments.removeAll()
    left = nil
  }

  /// Forgets the first segment if the next is heard at `queueFrame`, and returns that one. To be repeated until `nil`:
  /// several short tracks may have passed.
  mutating func advance(toQueueFrame queueFrame: Int64) -> Segment? {
    guard let nextBoundary, nextBoundary <= queueFrame else {
      if let first = segments.first, queueFrame &- first.queueFrame > Self.mostUnheardFrames { left = nil }
      return nil
    }
    left = segments.removeFirst()
    return segments.first
  }

  /// What is heard at `queueFrame`, after `advance`; before the first segment its first frame.
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

  /// Which segment plays at `queueFrame`, as its number, and what; the first at frames before it.
  func place(atQueueFrame queueFrame: Int64) -> (index: Int, track: Track, frame: Int64)? {
    guard let first = segments.indices.first else { return nil }
    let index = segments.lastIndex { $0.queueFrame <= queueFrame } ?? first
    let segment = segments[index]
    return (index, segment.track, segment.trackFrame &+ max(0, queueFrame &- segment.queueFrame))
  }

  /// Queue time at which the next track begins to be heard.
  var nextBoundary: Int64? { segments.count > 1 ? segments[1].queueFrame : nil }
}

extension Timeline: Sendable where Track: Sendable {}
extension Timeline.Segment: Sendable where Track: Sendable {}
