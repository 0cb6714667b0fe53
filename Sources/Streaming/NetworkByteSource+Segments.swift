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

// A source whose segments are known from the start: HTTP live streaming on demand.
extension NetworkByteSource {
  /// What is to be fetched next, as the reader stands.
  enum Wanted: Hashable {
    /// A segment, for that run.
    case segment(Int, run: Int)
    /// Nothing until the reader goes elsewhere.
    case nothing
    /// Nothing ever.
    case over
  }

  /// Seconds in all, where a playlist of segments tells.
  public var toldSeconds: Double? { monitor.locked { timeline.flatMap { $0.seconds > 0 ? $0.seconds : nil } } }

  /// Which parts have arrived, as shares of the whole; `nil` where there are no segments.
  public var arrivedShares: [Range<Double>]? { monitor.locked { timeline?.shares(spool.record.present) } }

  /// Where to read on for what is heard so many seconds after the first frame: where its segment is, or will be as soon as
  /// it is read there. `nil` where no playlist tells.
  public func place(atSeconds seconds: Double) -> SegmentPlace? {
    monitor.locked {
      guard let segment = timeline?.segment(at: seconds),
        let byteOffset = timeline?.place(of: segment, among: spool.record.present)
      else { return nil }
      var place = place(of: segment, at: byteOffset)
      if timeline?.isTimed(segment) == true { place?.isExact = true }
      return place
    }
  }

  /// What is known by now of a segment that begins there.
  public func place(atByte byteOffset: Int64) -> SegmentPlace? {
    monitor.locked {
      guard let timeline, let run = timeline.run(at: byteOffset).map({ timeline.runs[$0] }),
        let index = run.starts.firstIndex(of: byteOffset)
      else { return nil }
      return place(of: run.first + index, at: byteOffset)
    }
  }

  private func place(of segment: Int, at byteOffset: Int64) -> SegmentPlace? {
    timeline.map { timeline in
      let start = timeline.start(of: segment)
      return SegmentPlace(byteOffset: byteOffset, seconds: start.seconds, isExact: start.isExact)
    }
  }

  // MARK: For the feed

  /// Learns what there is.
  func tell(_ timeline: HLSTimeline) { monitor.locked { self.timeline = timeline } }

  /// Learns what a segment's own clock says.
  func note(_ clock: SegmentClock, of segment: Int) { monitor.locked { timeline?.note(clock, of: segment) } }

  /// Whether the run that is fed is the one that is read. Under the monitor.
  var feedsReader: Bool {
    guard let timeline, let run = timeline.run(at: position) else { return true }
    return timeline.runs[run].id == feedingRun
  }

  /// Chooses the run to feed by where the reader is.
  func nextSegment() -> Wanted {
    monitor.locked {
      if case .failed = phase { return .over }
      guard let timeline else { return .over }
      guard let run = timeline.run(at: position).map({ timeline.runs[$0] }) else { return .nothing }
      feedingRun = run.id
      guard run.failure == nil else { return .nothing }
      guard !run.isWhole, run.next < timeline.segmentCount else { return finish(run) }
      return .segment(run.next, run: run.id)
    }
  }

  /// The segment that comes next cannot be had: only who goes on to it is told.
  func failSegment(_ error: NetworkError) {
    monitor.locked {
      guard let run = timeline?.runs.firstIndex(where: { $0.id == feedingRun }) else { return }
      timeline?.fail(run: run, error)
      feedingWaits = true
      tell()
    }
  }

  /// What has come of the segment that is fed is taken back: the rest will not follow.
  func abandonSegment() {
    monitor.locked {
      guard let run = timeline?.runs.firstIndex(where: { $0.id == feedingRun }) else { return }
      if let bytes = timeline?.abandonSegment(ofRun: run) { spool.evict(bytes) }
    }
  }

  /// A run has its last segment. The one from the start is all of it, if nothing was let go.
  private func finish(_ run: HLSTimeline.Run) -> Wanted {
    if !run.isWhole, let index = timeline?.run(at: run.base) {
      timeline?.complete(run: index)
      if run.first == 0, run.base == 0, spool.record.present.end(from: 0) == run.end { spool.record.length = run.end }
      phase = .open
      feedingWaits = true
      tell()
    }
    return spool.record.isComplete ? .over : .nothing
  }
}
