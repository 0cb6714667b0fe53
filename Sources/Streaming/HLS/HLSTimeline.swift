/// The places of the segments of a stream on demand: in time, by the playlist and their own clocks, and in bytes, as a
/// reader sees them. Pure.
///
/// The size of a segment is unknown until it has arrived. So the bytes are divided into runs of consecutive segments.
/// Each run begins at its own offset, which no other run reaches. Playback from the start is one run; each seek to a
/// segment that has not arrived begins another. A run also ends before a segment in another encoding, and before missing
/// ones: what follows needs another reader and another timeline, counted from there.
struct HLSTimeline: Hashable {
  /// Consecutive segments that have arrived.
  struct Run: Hashable {
    /// A number that no other run has or had.
    let id: Int
    /// Its first byte.
    let base: Int64
    /// The first segment, counted from 0.
    let first: Int
    /// The first byte of each segment that has arrived.
    var starts: [Int64] = []
    /// The end of the last segment.
    var end: Int64
    /// True if nothing follows: the last segment has been fed, or another reader continues.
    var isWhole = false
    /// The segment with which another reader continues.
    var successor: Int?
    /// The reason why the next segment could not be fetched.
    var failure: NetworkError?

    init(id: Int, base: Int64, first: Int) { (self.id, self.base, self.first, end) = (id, base, first, base) }

    /// The next segment.
    var next: Int { first + starts.count }

    /// The bytes of a segment that have arrived.
    func bytes(of segment: Int) -> Range<Int64>? {
      let index = segment - first
      guard starts.indices.contains(index) else { return nil }
      return starts[index]..<(index + 1 < starts.count ? starts[index + 1] : end)
    }
  }

  /// Limit of bytes of a run: more than any recording. Thousands of runs fit below the size limit of the parsers.
  static let runByteLimit: Int64 = 1 << 34
  /// A clock that shows more is wrong: thousands of years.
  private static let secondLimit = 1e11
  /// The end of all possible runs.
  static let end: Int64 = runByteLimit << 14

  /// The segment with the first frame that is read.
  private let first: Int
  /// The seconds before it in the whole stream, and the number of the first segment in the playlist.
  private let secondsBefore: Double
  private let firstNumber: Int
  /// The start of each segment and the end of the last one, in seconds, by the playlist alone.
  private var starts: [Double] = [0]
  /// Segments whose clocks cannot be compared with earlier ones.
  private var breaks: Set<Int> = []
  /// Times by the clocks of segments, in seconds after the first one's.
  private var clocks: [Int: Double] = [:]
  private var origin: SegmentClock?
  private(set) var runs: [Run]
  private var runCount = 1

  /// The start of playback in seconds of the whole stream, if that is not the first frame.
  private(set) var beginning: Double?
  /// The seconds before the first frame, where no other reader has any: the first segments are missing.
  let missingSeconds: Double

  /// - Parameters:
  ///   - startOffset: The start of playback in seconds; if negative, from the end.
  ///   - continuation: The place at which another reader has ended.
  ///   - firstPresent: The first segment that is not missing, if there is no other reader.
  init(
    _ segments: [HLSPlaylist.Segment], startOffset: Double? = nil, from continuation: StreamContinuation? = nil,
    firstPresent: Int = 0
  ) {
    let next = continuation?.segment.flatMap { number in segments.firstIndex { $0.number >= number } }
    first = next ?? firstPresent
    firstNumber = segments.first?.number ?? 0
    runs = [Run(id: 0, base: 0, first: first)]
    for (index, segment) in segments.enumerated() {
      starts.append(starts[index] + segment.seconds)
      if segment.isDiscontinuous, index > first { breaks.insert(index) }
    }
    let begin = starts[first]
    starts = starts.map { $0 - begin }
    secondsBefore = continuation?.seconds ?? begin
    missingSeconds = continuation == nil ? begin : 0
    guard continuation == nil else { return }
    let end = begin + seconds
    let place = startOffset.map { $0 < 0 ? end + $0 : $0 } ?? 0
    if place > begin, place < end { beginning = place }
  }

  var segmentCount: Int { starts.count - 1 }
  /// Seconds from the first frame on.
  var seconds: Double { starts[segmentCount] }

  // MARK: Time

  /// Records the time from a segment's own clock.
  mutating func note(_ clock: SegmentClock, of segment: Int) {
    if segment == first { origin = origin ?? clock }
    guard let origin, isTimed(segment) else { return }
    let seconds = clock.seconds(since: origin, about: starts[segment])
    clocks[segment] = seconds.flatMap { abs($0) <= Self.secondLimit ? $0 : nil }
  }

  /// True if the frames of a segment give its time relative to the first one.
  func isTimed(_ segment: Int) -> Bool { origin != nil && segment >= first && !breaks.contains { $0 <= segment } }

  /// The start of a segment, counted from the first frame of the first; exact if its own clock is known.
  func start(of segment: Int) -> (seconds: Double, isExact: Bool) {
    if let seconds = clocks[segment] { return (seconds, true) }
    return (starts[segment] + drift(at: segment), segment == first)
  }

  /// The difference between the clocks and the playlist's sums, at the nearest earlier segment.
  private func drift(at segment: Int) -> Double {
    let known = clocks.keys.filter { $0 < segment }.max()
    return known.flatMap { known in clocks[known].map { $0 - starts[known] } } ?? 0
  }

  /// The place at which another reader continues with a segment.
  func continuation(at segment: Int) -> StreamContinuation {
    StreamContinuation(segment: firstNumber + segment, seconds: secondsBefore + start(of: segment).seconds)
  }

  /// The segment at a time in seconds after the first frame; the last segment for later times.
  func segment(at seconds: Double) -> Int {
    var (low, high) = (0, segmentCount)
    while low + 1 < high {
      let middle = (low + high) / 2
      if start(of: middle).seconds <= seconds { low = middle } else { high = middle }
    }
    return low
  }

  // MARK: Bytes

  /// The run that contains an offset, or may contain it as it grows.
  func run(at offset: Int64) -> Int? { runs.lastIndex { $0.base == offset & ~(Self.runByteLimit - 1) } }

  /// The offset at which to read a segment: its place, or the start of a new run that begins with it. `nil` if there is
  /// no room for more runs.
  mutating func place(of segment: Int, among present: ByteRanges) -> Int64? {
    for (index, run) in runs.enumerated() {
      if let bytes = run.bytes(of: segment), !bytes.isEmpty, present.end(from: bytes.lowerBound) >= bytes.upperBound {
        return bytes.lowerBound
      }
      // The next segment of a run whose end has arrived is fetched, or tried again, in that run.
      if run.next == segment, run.successor != nil || run.end > run.base && present.contains(run.end - 1) {
        runs[index].failure = nil
        return run.end
      }
    }
    runs.removeAll { $0.end == $0.base && $0.successor == nil }
    let base = (runs.last?.base ?? 0) + Self.runByteLimit
    guard base < Self.end else { return nil }
    runs.append(Run(id: runCount, base: base, first: segment))
    runCount += 1
    return base
  }

  /// Adds bytes of a segment to the end of a run.
  mutating func append(_ byteCount: Int64, of segment: Int, toRun run: Int) {
    if runs[run].next == segment { runs[run].starts.append(runs[run].end) }
    runs[run].end += byteCount
  }

  /// Nothing follows in a run; `successor`: another reader continues with that segment.
  mutating func complete(run: Int, successor: Int? = nil) {
    (runs[run].isWhole, runs[run].successor) = (true, successor)
  }

  mutating func fail(run: Int, _ error: NetworkError) { runs[run].failure = error }

  /// Removes the last segment of a run, whose rest will not arrive. Returns its bytes.
  mutating func abandonSegment(ofRun run: Int) -> Range<Int64>? {
    guard let start = runs[run].starts.popLast() else { return nil }
    defer { runs[run].end = start }
    return start..<runs[run].end
  }

  /// Removes a run whose last bytes were evicted, since no bytes could follow them, unless it has that ID. Returns all
  /// of its bytes.
  mutating func remove(endingAt end: Int64, unless id: Int) -> Range<Int64>? {
    guard let index = runs.firstIndex(where: { $0.end == end && $0.id != id && $0.end > $0.base }) else { return nil }
    let run = runs.remove(at: index)
    return run.base..<run.end
  }

  /// The approximate size of all segments, by the size of those that have arrived.
  func byteCount(arrived: Int64) -> Int64? {
    let count = runs.reduce(0) { $0 + $1.starts.count }
    return count > 0 ? Int64(Double(arrived) / Double(count) * Double(segmentCount)) : nil
  }

  /// The parts that have arrived, as shares of the duration.
  func shares(_ present: ByteRanges) -> [Range<Double>] {
    let begin = starts[0]
    let seconds = seconds - begin
    guard seconds > 0 else { return [] }
    var shares: [Range<Double>] = []
    for run in runs {
      for segment in run.first..<(run.first + run.starts.count) {
        guard let bytes = run.bytes(of: segment), !bytes.isEmpty,
          present.end(from: bytes.lowerBound) >= bytes.upperBound
        else { continue }
        let (start, end) = ((starts[segment] - begin) / seconds, (starts[segment + 1] - begin) / seconds)
        if shares.last?.upperBound == start, let first = shares.popLast() {
          shares.append(first.lowerBound..<end)
        } else if start < end {
          shares.append(start..<end)
        }
      }
    }
    return shares.sorted { $0.lowerBound < $1.lowerBound }
  }
}

/// The time in the frames of a segment.
enum SegmentClock: Hashable {
  /// From a transport stream, or from a tag before packed audio: 90,000 units per second, 33 bits.
  case presentation(UInt64)
  /// From a fragment of MPEG-4.
  case decoding(UInt64, perSecond: UInt32)

  private static let ticksPerSecond = 90_000.0
  private static let wrap: UInt64 = 1 << 33

  /// Seconds since another clock of the same kind, near `estimate` if the clock has wrapped around; `nil` for other
  /// kinds.
  func seconds(since origin: SegmentClock, about estimate: Double) -> Double? {
    switch (self, origin) {
    case (.presentation(let time), .presentation(let start)):
      let round = Double(Self.wrap) / Self.ticksPerSecond
      let seconds = Double((time &- start) & (Self.wrap - 1)) / Self.ticksPerSecond
      return seconds + ((estimate - seconds) / round).rounded() * round
    case (.decoding(let time, let rate), .decoding(let start, let startRate)) where rate > 0 && startRate > 0:
      return Double(time) / Double(rate) - Double(start) / Double(startRate)
    default: return nil
    }
  }
}
