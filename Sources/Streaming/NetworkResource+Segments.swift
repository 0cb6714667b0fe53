internal import Threads

// What is fed with segments that are known from the start: HTTP live streaming on demand. It has one reader.
extension NetworkResource {
  /// What is to be fetched next, as the reader stands.
  enum Wanted: Hashable {
    /// A segment, for that run.
    case segment(Int, run: Int)
    /// Nothing until the reader goes elsewhere.
    case nothing
    /// Nothing ever.
    case over
  }

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
      guard run.failure == nil, !run.endsAtBorder else { return .nothing }
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

  /// The segment that comes next has another encoding: what is fed ends before it.
  func endRun() {
    monitor.locked {
      guard let run = timeline?.runs.firstIndex(where: { $0.id == feedingRun }) else { return }
      timeline?.complete(run: run, atBorder: true)
      phase = .open
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
