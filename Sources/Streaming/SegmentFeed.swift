/// The state of HTTP live streaming: which segments lie where, and which run of them is being fed. Pure.
struct SegmentFeed: Hashable {
  /// The segments of a stream with an end. nil: the stream goes on, or the playlist is not known yet.
  private(set) var timeline: HLSTimeline?
  /// The stream has no end.
  private(set) var isLive = false
  /// The feeding thread waits: for room, or for the reader to move.
  private(set) var isWaiting = false
  /// Where a live stream changed its encoding when it ended.
  private(set) var continuation: StreamContinuation?
  /// ID of the run that is being fed.
  private var runID = 0

  /// Index of the run that is being fed; nil if it has been removed.
  private var run: Int? { timeline?.runs.firstIndex { $0.id == runID } }

  /// Learns which segments there are.
  mutating func adopt(_ timeline: HLSTimeline) { self.timeline = timeline }

  /// Learns the time that a segment's own clock shows.
  mutating func note(_ clock: SegmentClock, of segment: Int) { timeline?.note(clock, of: segment) }

  // MARK: Which segment comes next

  /// The next thing to fetch.
  enum Wanted: Hashable {
    /// A segment, for that run.
    case segment(Int, run: Int)
    /// Nothing until the reader moves.
    case nothing
    /// Nothing ever.
    case over
    /// Nothing more for the run at this index, which has just got its last segment.
    case finished(run: Int)
  }

  /// Chooses the run to feed by the place of the reader.
  mutating func next(reader: Int64) -> Wanted {
    guard let timeline else { return .over }
    guard let index = timeline.run(at: reader) else { return .nothing }
    let run = timeline.runs[index]
    runID = run.id
    guard run.failure == nil, !run.endsAtBorder else { return .nothing }
    guard !run.isWhole, run.next < timeline.segmentCount else { return .finished(run: index) }
    return .segment(run.next, run: run.id)
  }

  /// Whether the run that is fed is the one that is read.
  func feeds(reader: Int64) -> Bool {
    guard let timeline, let run = timeline.run(at: reader) else { return true }
    return timeline.runs[run].id == runID
  }

  /// Completes a run. Returns its bytes if it is the whole stream, from the first segment to the last; nil if it was
  /// complete already.
  mutating func complete(run index: Int) -> (isWhole: Bool, bytes: Range<Int64>)? {
    guard let run = timeline?.runs[index], !run.isWhole else { return nil }
    timeline?.complete(run: index)
    isWaiting = true
    return (run.first == 0 && run.base == 0, run.base..<run.end)
  }

  /// The next segment has another encoding: the run ends before it. Returns false if there is no run.
  mutating func endRun() -> Bool {
    guard let run else { return false }
    timeline?.complete(run: run, atBorder: true)
    isWaiting = true
    return true
  }

  /// The next segment cannot be had: the reader fails when it gets there. Returns false if there is no run.
  mutating func failRun(_ error: NetworkError) -> Bool {
    guard let run else { return false }
    timeline?.fail(run: run, error)
    isWaiting = true
    return true
  }

  /// Takes back the part of the last segment that has come: the rest will not follow. Returns its bytes.
  mutating func abandonSegment() -> Range<Int64>? {
    run.flatMap { timeline?.abandonSegment(ofRun: $0) }
  }

  // MARK: Bytes

  /// A place for the bytes that come next.
  enum Place: Hashable {
    case at(Int64)
    /// The run has been removed meanwhile.
    case dropped
    /// The run has more bytes than a run may have.
    case tooFar
  }

  /// Where the next bytes belong; `end` is the end of all bytes of a live stream.
  func place(for byteCount: Int64, liveEnd end: Int64) -> Place {
    guard let timeline else { return .at(end) }
    guard let run else { return .dropped }
    let (base, place) = (timeline.runs[run].base, timeline.runs[run].end)
    return place - base > HLSTimeline.runByteLimit - byteCount ? .tooFar : .at(place)
  }

  /// Notes whether the feeding thread has to wait for room.
  mutating func wait(_ isWaiting: Bool) { self.isWaiting = isWaiting }

  /// Bytes were stored, of a segment where segments are known.
  mutating func append(_ byteCount: Int64, of segment: Int?) {
    if let segment, let run { timeline?.append(byteCount, of: segment, toRun: run) }
  }

  /// The first bytes are there.
  mutating func open(isLive: Bool) { self.isLive = isLive }

  /// The feeding thread has ended.
  mutating func end(_ continuation: StreamContinuation?) { self.continuation = continuation }

  /// Bytes up to `end` were evicted. Returns the other bytes of a run that is of no use without them.
  mutating func evict(endingAt end: Int64) -> Range<Int64>? { timeline?.remove(endingAt: end, unless: runID) }

  // MARK: Reading

  /// The end of the bytes that can be read from `offset` on, if that is known.
  func knownEnd(from offset: Int64) -> Int64? {
    guard let timeline else { return nil }
    // Nothing lies there.
    if offset >= HLSTimeline.end { return HLSTimeline.end }
    guard let run = timeline.run(at: offset), timeline.runs[run].isWhole else { return .max }
    return timeline.runs[run].end
  }

  /// Whether a missing byte will not come; nil for a live stream.
  func isLost(_ offset: Int64) -> Bool? {
    guard let timeline else { return nil }
    return timeline.run(at: offset).map { offset < timeline.runs[$0].end } ?? true
  }

  /// Why a missing byte cannot be had.
  func failure(at offset: Int64) -> NetworkError? {
    guard let timeline, let run = timeline.run(at: offset) else { return nil }
    return timeline.runs[run].failure
  }

  /// Where the stream changes its encoding, if that is why it ends at `offset`.
  func continuation(at offset: Int64) -> StreamContinuation? {
    guard let timeline else { return continuation }
    guard let run = timeline.run(at: offset).map({ timeline.runs[$0] }), run.endsAtBorder, run.end == offset else {
      return nil
    }
    return timeline.continuation(at: run.next)
  }

  // MARK: Time

  /// The place of the segment that is heard so many seconds after the first frame. Begins a new run if it is not there.
  mutating func place(atSeconds seconds: Double, among present: ByteRanges) -> SegmentPlace? {
    guard let segment = timeline?.segment(at: seconds), let offset = timeline?.place(of: segment, among: present) else {
      return nil
    }
    var place = place(of: segment, at: offset)
    if timeline?.isTimed(segment) == true { place?.isExact = true }
    return place
  }

  /// The segment that begins at a byte.
  func place(atByte offset: Int64) -> SegmentPlace? {
    guard let timeline, let run = timeline.run(at: offset).map({ timeline.runs[$0] }),
      let index = run.starts.firstIndex(of: offset)
    else { return nil }
    return place(of: run.first + index, at: offset)
  }

  private func place(of segment: Int, at offset: Int64) -> SegmentPlace? {
    timeline.map { timeline in
      let start = timeline.start(of: segment)
      return SegmentPlace(byteOffset: offset, seconds: start.seconds, isExact: start.isExact)
    }
  }
}
