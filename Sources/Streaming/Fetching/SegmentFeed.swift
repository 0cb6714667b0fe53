/// The state of HTTP live streaming: the places of the segments, and the run of them that is being fed. Pure.
struct SegmentFeed: Hashable {
  /// The segments of a stream with an end; `nil` for a live stream, or until the playlist is known.
  private(set) var timeline: HLSTimeline?
  /// True if the stream has no end.
  private(set) var isLive = false
  /// True if the feeding thread waits: for room, or for the reader to move.
  private(set) var isWaiting = false
  /// The place at which a live stream ended because its encoding changed.
  private(set) var continuation: StreamContinuation?
  /// ID of the run that is being fed.
  private var runID = 0

  /// Index of the run that is being fed; `nil` if it has been removed.
  private var run: Int? { timeline?.runs.firstIndex { $0.id == runID } }

  /// The run that contains an offset, or may contain it as it grows.
  private func run(at offset: Int64) -> HLSTimeline.Run? {
    timeline.flatMap { timeline in timeline.run(at: offset).map { timeline.runs[$0] } }
  }

  // MARK: The next segment

  /// The next step of the feeding thread.
  enum Wanted: Hashable {
    /// Fetch a segment for that run.
    case segment(Int, run: Int)
    /// Wait until the reader moves.
    case nothing
    /// End.
    case over
    /// The run at this index has just got its last segment.
    case finished(run: Int)
  }

  /// Chooses the run to feed by the position of the reader.
  mutating func next(reader: Int64) -> Wanted {
    guard let timeline else { return .over }
    guard let index = timeline.run(at: reader) else { return .nothing }
    let run = timeline.runs[index]
    runID = run.id
    guard run.failure == nil, run.successor == nil else { return .nothing }
    guard !run.isWhole, run.next < timeline.segmentCount else { return .finished(run: index) }
    return .segment(run.next, run: run.id)
  }

  /// True if the run that is fed is the one that is read.
  func feeds(reader: Int64) -> Bool { run(at: reader).map { $0.id == runID } ?? true }

  /// Completes a run. The run from the first segment is the whole resource, if nothing of it was evicted.
  mutating func complete(run index: Int, _ contents: inout SpoolContents) -> Outcome {
    guard let run = timeline?.runs[index], !run.isWhole else { return Outcome() }
    timeline?.complete(run: index)
    isWaiting = true
    if run.first == 0, run.base == 0, contents.record.present.end(from: 0) == run.end {
      contents.record.length = run.end
    }
    return Outcome(opens: true)
  }

  /// Another reader continues with that segment: the run ends. No segment of that number means the end of the stream.
  private mutating func endRun(successor: Int, _ contents: inout SpoolContents) -> Outcome {
    guard let run, let timeline else { return Outcome() }
    if successor >= timeline.segmentCount { return complete(run: run, &contents) }
    self.timeline?.complete(run: run, successor: successor)
    isWaiting = true
    return Outcome(opens: true)
  }

  // MARK: Events of the feeding thread

  /// The consequences of a change for the resource.
  struct Outcome {
    var effects: [FetchEffect] = []
    /// True if the resource is open now.
    var opens = false
    /// The reason why the resource cannot be read.
    var failure: NetworkError?
  }

  mutating func handle(_ event: FeedEvent, _ contents: inout SpoolContents) -> Outcome {
    switch event {
    case .playlist(let timeline): self.timeline = timeline
    case .clock(let clock, let segment): timeline?.note(clock, of: segment)
    case .segmentFailed(let error):
      // The reader fails there.
      guard let run else { break }
      timeline?.fail(run: run, error)
      isWaiting = true
      return Outcome(effects: [.notify(isNews: false)])
    case .continues(let segment): return endRun(successor: segment, &contents)
    case .segmentAbandoned:
      if let run, let bytes = timeline?.abandonSegment(ofRun: run) { return Outcome(effects: [contents.evict(bytes)]) }
    case .stored(let range, let facts): return store(range, facts, &contents)
    case .ended(.failure(let error)): return Outcome(failure: error)
    case .ended(.success(let continuation)):
      self.continuation = continuation
      if timeline == nil { contents.record.length = contents.end }
      return Outcome(opens: true)
    }
    return Outcome()
  }

  /// Finds room for bytes that the feeding thread has fetched.
  mutating func admit(
    _ byteCount: Int64, reader: Int64, _ contents: inout SpoolContents, _ admission: inout FeedAdmission
  ) -> Outcome {
    // In a live stream, behind all bytes.
    var place = contents.end
    if let timeline {
      guard let run = run.map({ timeline.runs[$0] }) else {
        // It has been removed in the meantime.
        admission = .dropped
        return Outcome()
      }
      place = run.end
      guard place - run.base <= HLSTimeline.runByteLimit - byteCount else {
        admission = .over
        return Outcome(failure: NetworkError(.unusable, "this HLS stream is too long"))
      }
    }
    let evictions = contents.makeRoom(for: byteCount, at: place, reader: reader)
    isWaiting = evictions == nil
    admission = isWaiting ? .full : .at(place)
    guard let evictions else { return Outcome(effects: [.notify(isNews: false)]) }
    return Outcome(effects: evictions.flatMap { removeRuns(after: $0, &contents) })
  }

  /// An eviction, and the other bytes of a run that is useless without the evicted ones.
  private mutating func removeRuns(after eviction: FetchEffect, _ contents: inout SpoolContents) -> [FetchEffect] {
    guard case .evict(let range) = eviction, let rest = timeline?.remove(endingAt: range.upperBound, unless: runID)
    else { return [eviction] }
    return [eviction, contents.evict(rest)]
  }

  private mutating func store(
    _ range: Range<Int64>, _ facts: FeedEvent.Facts, _ contents: inout SpoolContents
  ) -> Outcome {
    contents.insert(range)
    if let segment = facts.segment, let run {
      timeline?.append(range.upperBound - range.lowerBound, of: segment, toRun: run)
    }
    guard !range.isEmpty else { return Outcome() }
    isLive = facts.isLive
    contents.budget.isRing = isLive
    contents.record.contentType = contents.record.contentType ?? facts.contentType
    return Outcome(opens: true)
  }

  // MARK: Reading

  /// The end of the readable bytes from `offset` on; `nil` in a live stream.
  func knownEnd(from offset: Int64) -> Int64? {
    guard timeline != nil else { return nil }
    // No run lies there.
    if offset >= HLSTimeline.end { return HLSTimeline.end }
    return run(at: offset).flatMap { $0.isWhole ? $0.end : nil } ?? .max
  }

  /// True if a missing byte will never arrive; `nil` for a live stream.
  func isLost(_ offset: Int64) -> Bool? {
    timeline == nil ? nil : run(at: offset).map { offset < $0.end } ?? true
  }

  /// The reason why a missing byte cannot arrive.
  func failure(at offset: Int64) -> NetworkError? { run(at: offset)?.failure }

  /// The place at which the stream continues for another reader, if it ends at `offset` for that reason.
  func continuation(at offset: Int64) -> StreamContinuation? {
    guard let timeline else { return continuation }
    guard let run = run(at: offset), run.end == offset else { return nil }
    return run.successor.map { timeline.continuation(at: $0) }
  }

  // MARK: Time

  /// The place of the segment at a time, in seconds after the first frame. Begins a new run if it has not arrived.
  mutating func place(atSeconds seconds: Double, among present: ByteRanges) -> SegmentPlace? {
    guard let segment = timeline?.segment(at: seconds), let offset = timeline?.place(of: segment, among: present)
    else { return nil }
    var place = place(of: segment, at: offset)
    if timeline?.isTimed(segment) == true { place?.isExact = true }
    return place
  }

  /// The segment that begins at a byte.
  func place(atByte offset: Int64) -> SegmentPlace? {
    guard let run = run(at: offset), let index = run.starts.firstIndex(of: offset) else { return nil }
    return place(of: run.first + index, at: offset)
  }

  private func place(of segment: Int, at offset: Int64) -> SegmentPlace? {
    timeline.map { timeline in
      let start = timeline.start(of: segment)
      return SegmentPlace(byteOffset: offset, seconds: start.seconds, isExact: start.isExact)
    }
  }
}
