internal import Threads

/// Where a segment of HTTP live streaming begins, in bytes and in time.
public struct SegmentPlace: Sendable, Hashable {
  /// Its first byte, which may not be there yet.
  public var byteOffset: Int64
  /// When it begins, from the first frame of the first segment on.
  public var seconds: Double
  /// Whether its frames said so, or will as soon as they are there, not only the playlist.
  public var isExact: Bool
}

// Reading what has segments that are known from the start: HTTP live streaming on demand.
extension NetworkByteSource {
  /// Seconds in all, where a playlist of segments tells.
  public var toldSeconds: Double? { locked { resource.timeline.flatMap { $0.seconds > 0 ? $0.seconds : nil } } }

  /// Where playback is to begin, in seconds, as a playlist of segments says; `nil`: at the start.
  public var toldBeginning: Double? { locked { resource.timeline?.beginning } }

  /// Which parts have arrived, as shares of the whole; `nil` where there are no segments.
  public var arrivedShares: [Range<Double>]? { locked { resource.timeline?.shares(resource.spool.record.present) } }

  /// Where to read on for what is heard so many seconds after the first frame: where its segment is, or will be as soon as
  /// it is read there. `nil` where no playlist tells.
  public func place(atSeconds seconds: Double) -> SegmentPlace? {
    locked {
      guard let segment = resource.timeline?.segment(at: seconds),
        let byteOffset = resource.timeline?.place(of: segment, among: resource.spool.record.present)
      else { return nil }
      var place = place(of: segment, at: byteOffset)
      if resource.timeline?.isTimed(segment) == true { place?.isExact = true }
      return place
    }
  }

  /// What is known by now of a segment that begins there.
  public func place(atByte byteOffset: Int64) -> SegmentPlace? {
    locked {
      guard let timeline = resource.timeline, let run = timeline.run(at: byteOffset).map({ timeline.runs[$0] }),
        let index = run.starts.firstIndex(of: byteOffset)
      else { return nil }
      return place(of: run.first + index, at: byteOffset)
    }
  }

  /// Where it goes on in another encoding, if that is why it ends at `byteOffset`.
  public func continuation(at byteOffset: Int64) -> StreamContinuation? {
    locked {
      guard let timeline = resource.timeline else { return resource.continuation }
      guard let run = timeline.run(at: byteOffset).map({ timeline.runs[$0] }), run.endsAtBorder, run.end == byteOffset
      else { return nil }
      return timeline.continuation(at: run.next)
    }
  }

  private func place(of segment: Int, at byteOffset: Int64) -> SegmentPlace? {
    resource.timeline.map { timeline in
      let start = timeline.start(of: segment)
      return SegmentPlace(byteOffset: byteOffset, seconds: start.seconds, isExact: start.isExact)
    }
  }
}
