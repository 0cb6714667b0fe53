/// Where the segments of a stream on demand lie: in time, as the playlist and their own clocks tell, and among the bytes
/// that a reader sees. Pure.
///
/// The size of a segment is not known before it is there. So the bytes are runs: segments in a row, each run from
/// an offset of its own on that no other reaches. Playback from the start is one run; each seek to where nothing has come
/// begins another. A run ends, too, where a segment has another encoding: that takes another reader, and another time
/// line, which counts from there.
struct HLSTimeline: Hashable {
  /// Segments in a row that have come.
  struct Run: Hashable {
    /// No other has or had it.
    let id: Int
    /// Its first byte.
    let base: Int64
    /// The first segment, counted from 0.
    let first: Int
    /// Where each segment begins that has, and the last one ends.
    var starts: [Int64] = []
    var end: Int64
    /// Whether nothing follows: the last segment of all has been fed, or the one that comes next has another encoding.
    var isWhole = false
    var endsAtBorder = false
    /// Why the segment that comes next could not be had.
    var failure: NetworkError?

    init(id: Int, base: Int64, first: Int) { (self.id, self.base, self.first, end) = (id, base, first, base) }

    /// The segment that comes next.
    var next: Int { first + starts.count }

    /// The bytes of a segment as far as they have come.
    func bytes(of segment: Int) -> Range<Int64>? {
      let place = segment - first
      guard starts.indices.contains(place) else { return nil }
      return starts[place]..<(place + 1 < starts.count ? starts[place + 1] : end)
    }
  }

  /// Bytes that a run may have: more than any sound, and thousands of runs fit below what parsers take for a file.
  static let runByteLimit: Int64 = 1 << 34
  /// Behind all runs there can be.
  static let end: Int64 = runByteLimit << 14

  /// The segment whose first frame is the first of all that is read.
  private let first: Int
  /// The seconds that were heard before it, and the number of the very first segment in the playlist.
  private var secondsBefore = 0.0
  private let firstNumber: Int
  /// When each segment begins, in seconds, and the last one ends, by the playlist alone.
  private var starts: [Double] = [0]
  /// Segments whose clocks cannot be compared with those before.
  private var breaks: Set<Int> = []
  /// Times that the clocks of segments show: seconds after the first one's.
  private var clocks: [Int: Double] = [:]
  private var origin: SegmentClock?
  private(set) var runs: [Run]
  private var runCount = 1

  /// Where to begin, in seconds, if that is not at the start.
  private(set) var beginning: Double?

  /// - Parameters:
  ///   - startOffset: Where to begin, in seconds; if negative, from the end.
  ///   - continuation: What comes first, if that is not the start.
  init(_ segments: [HLSPlaylist.Segment], startOffset: Double? = nil, from continuation: StreamContinuation? = nil) {
    first = continuation.flatMap { $0.segment }.flatMap { number in segments.firstIndex { $0.number >= number } } ?? 0
    firstNumber = segments.first?.number ?? 0
    runs = [Run(id: 0, base: 0, first: first)]
    for (index, segment) in segments.enumerated() {
      starts.append(starts[index] + segment.seconds)
      if segment.isDiscontinuous, index > first { breaks.insert(index) }
    }
    let begin = starts[first]
    starts = starts.map { $0 - begin }
    secondsBefore = continuation?.seconds ?? begin
    guard continuation == nil else { return }
    let place = startOffset.map { $0 < 0 ? seconds + $0 : $0 } ?? 0
    if place > 0, place < seconds { beginning = place }
  }

  var segmentCount: Int { starts.count - 1 }
  /// Seconds from the first frame on.
  var seconds: Double { starts[segmentCount] }

  // MARK: Time

  /// Learns what a segment's own clock says.
  mutating func note(_ clock: SegmentClock, of segment: Int) {
    if segment == first { origin = origin ?? clock }
    guard let origin, isTimed(segment) else { return }
    clocks[segment] = clock.seconds(since: origin, about: starts[segment])
  }

  /// Whether the frames of a segment tell its time, as those of the first do.
  func isTimed(_ segment: Int) -> Bool { origin != nil && segment >= first && !breaks.contains { $0 <= segment } }

  /// When a segment begins, counted from the first frame of the first; exact where its frames have told.
  func start(of segment: Int) -> (seconds: Double, isExact: Bool) {
    if let seconds = clocks[segment] { return (seconds, true) }
    return (starts[segment] + drift(at: segment), segment == first)
  }

  /// The difference between the clocks and the playlist's sums, at the nearest segment before.
  private func drift(at segment: Int) -> Double {
    let known = clocks.keys.filter { $0 < segment }.max()
    return known.flatMap { known in clocks[known].map { $0 - starts[known] } } ?? 0
  }

  /// Where another reader goes on with a segment.
  func continuation(at segment: Int) -> StreamContinuation {
    StreamContinuation(segment: firstNumber + segment, seconds: secondsBefore + start(of: segment).seconds)
  }

  /// The segment in which something is heard, `seconds` from the first frame on: the last one behind the end.
  func segment(at seconds: Double) -> Int {
    var (low, high) = (0, segmentCount)
    while low + 1 < high {
      let middle = (low + high) / 2
      if start(of: middle).seconds <= seconds { low = middle } else { high = middle }
    }
    return low
  }

  // MARK: Bytes

  /// The run that holds an offset, or would hold it as it goes on.
  func run(at offset: Int64) -> Int? { runs.lastIndex { $0.base == offset & ~(Self.runByteLimit - 1) } }

  /// Where to read to meet a segment first: where it is, or where it will be, in a run that begins with it. `nil` if no
  /// more runs are to be had.
  mutating func place(of segment: Int, among present: ByteRanges) -> Int64? {
    for (index, run) in runs.enumerated() {
      if let bytes = run.bytes(of: segment), !bytes.isEmpty, present.end(from: bytes.lowerBound) >= bytes.upperBound {
        return bytes.lowerBound
      }
      // The one that comes next in a run whose end is there follows in it, where it is tried again.
      if run.next == segment, run.endsAtBorder || run.end > run.base && present.contains(run.end - 1) {
        runs[index].failure = nil
        return run.end
      }
    }
    runs.removeAll { $0.end == $0.base && !$0.endsAtBorder }
    let base = (runs.last?.base ?? 0) + Self.runByteLimit
    guard base < Self.end else { return nil }
    runs.append(Run(id: runCount, base: base, first: segment))
    runCount += 1
    return base
  }

  /// `byteCount` bytes have come for a segment, at the end of a run.
  mutating func append(_ byteCount: Int64, of segment: Int, toRun run: Int) {
    if runs[run].next == segment { runs[run].starts.append(runs[run].end) }
    runs[run].end += byteCount
  }

  mutating func complete(run: Int, atBorder: Bool = false) {
    (runs[run].isWhole, runs[run].endsAtBorder) = (true, atBorder)
  }

  mutating func fail(run: Int, _ error: NetworkError) { runs[run].failure = error }

  /// Takes back what has come of the last segment of a run, which is not going to be fed whole. Returns its bytes.
  mutating func abandonSegment(ofRun run: Int) -> Range<Int64>? {
    guard let start = runs[run].starts.popLast() else { return nil }
    defer { runs[run].end = start }
    return start..<runs[run].end
  }

  /// Forgets a run whose last bytes are gone, which others could not follow, unless it is the one with that number.
  /// Returns all of its bytes.
  mutating func remove(endingAt end: Int64, unless id: Int) -> Range<Int64>? {
    guard let index = runs.firstIndex(where: { $0.end == end && $0.id != id && $0.end > $0.base }) else { return nil }
    let run = runs.remove(at: index)
    return run.base..<run.end
  }

  /// Bytes of all segments, about, given how many there are of those that have come.
  func byteCount(arrived: Int64) -> Int64? {
    let count = runs.reduce(0) { $0 + $1.starts.count }
    return count > 0 ? Int64(Double(arrived) / Double(count) * Double(segmentCount)) : nil
  }

  /// The parts that are there, as shares of the whole time.
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

/// The time that the frames of a segment show.
enum SegmentClock: Hashable {
  /// Of a transport stream, or of a tag before packed audio: 90,000 in a second, 33 bits.
  case presentation(UInt64)
  /// Of a fragment of MPEG-4: units, so many in a second.
  case decoding(UInt64, perSecond: UInt32)

  private static let ticksPerSecond = 90_000.0
  private static let wrap: UInt64 = 1 << 33

  /// Seconds since another of the same kind, near `estimate` where the clock has gone round; `nil` of another kind.
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
