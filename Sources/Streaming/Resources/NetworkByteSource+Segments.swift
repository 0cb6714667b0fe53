// HTTP live streaming with an end: all segments are known from the start.
extension NetworkByteSource {
  /// The duration from the first frame on, by the playlist of segments, in seconds.
  public var declaredSeconds: Double? { state { $0.timeline.flatMap { $0.seconds > 0 ? $0.seconds : nil } } }

  /// The seconds before the first frame, of segments that the server does not have.
  public var missingSeconds: Double { state { $0.timeline?.missingSeconds ?? 0 } }

  /// The start of playback by the playlist of segments, in seconds with the missing ones; `nil` for the first frame.
  public var declaredBeginning: Double? { state { $0.timeline?.beginning } }

  /// The parts that have arrived, as shares of the whole; `nil` without segments.
  public var arrivedShares: [Range<Double>]? { state { state in state.timeline?.shares(state.record.present) } }

  /// The place to read for a time, in seconds after the first frame: the start of its segment, which is fetched once it
  /// is read there. Moves this reader to that place, so that bytes there are not evicted before they are read. `nil`
  /// without a playlist of segments.
  public func place(atSeconds seconds: Double) -> SegmentPlace? {
    locked { resource, reader in
      let place = resource.place(atSeconds: seconds)
      if let place { reader.position = place.byteOffset }
      return place
    }
  }

  /// The segment that begins at a byte, as far as it is known.
  public func place(atByte byteOffset: Int64) -> SegmentPlace? { state { $0.kind.feed?.place(atByte: byteOffset) } }

  /// The place at which the stream continues in another encoding, if it ends at `byteOffset` for that reason.
  public func continuation(at byteOffset: Int64) -> StreamContinuation? {
    state { $0.kind.feed?.continuation(at: byteOffset) }
  }
}
