/// Where a segment of HTTP live streaming begins, in bytes and in time.
public struct SegmentPlace: Sendable, Hashable {
  /// Its first byte, which may not be there yet.
  public var byteOffset: Int64
  /// When it begins, counted from the first frame of the first segment.
  public var seconds: Double
  /// Whether its frames said so, or will as soon as they are there; otherwise only the playlist did.
  public var isExact: Bool
}

// HTTP live streaming with an end: all segments are known from the start.
extension NetworkByteSource {
  /// Seconds in all, where a playlist of segments tells.
  public var toldSeconds: Double? { state { $0.timeline.flatMap { $0.seconds > 0 ? $0.seconds : nil } } }

  /// Where playback begins, in seconds, if a playlist of segments says so; nil: at the start.
  public var toldBeginning: Double? { state { $0.timeline?.beginning } }

  /// The parts that have arrived, as shares of the whole; nil where there are no segments.
  public var arrivedShares: [Range<Double>]? { state { state in state.timeline?.shares(state.record.present) } }

  /// Where to read for a moment, in seconds after the first frame: where its segment is, or will be as soon as it is read
  /// there. nil where no playlist tells.
  public func place(atSeconds seconds: Double) -> SegmentPlace? {
    locked { resource, _ in resource.place(atSeconds: seconds) }
  }

  /// The facts known so far about the segment that begins at a byte.
  public func place(atByte byteOffset: Int64) -> SegmentPlace? { state { $0.kind.feed?.place(atByte: byteOffset) } }

  /// Where the stream continues in another encoding, if that is why it ends at `byteOffset`.
  public func continuation(at byteOffset: Int64) -> StreamContinuation? {
    state { $0.kind.feed?.continuation(at: byteOffset) }
  }
}
