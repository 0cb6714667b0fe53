internal import AudioModel
internal import ByteIO
internal import Threads

/// The bytes of one resource that have arrived, their readers, and the news for them. All readers share it; the owner
/// of its monitor changes it.
///
/// Safety: everything but `monitor` is touched under `monitor`.
final class Arrival: @unchecked Sendable {
  let monitor = Monitor()
  private(set) var spool: Spool
  /// All readers, in the order in which they take turns.
  private(set) var readers: [Reader] = []
  private var served: Reader?
  private var titles: TitleLog
  /// Counts the signals of `monitor`.
  private var generation = 0
  private var hasNews = false
  /// The progress that was last news.
  private var notedProgress: Int64 = 0

  /// - Parameter charset: The character set that the listener has given the titles.
  init(_ spool: Spool, charset: Charset? = nil) { (self.spool, titles) = (spool, TitleLog(charset: charset)) }

  /// Replaces the spool by an empty one.
  func use(_ spool: Spool) { self.spool = spool }

  // MARK: Readers

  func add(_ reader: Reader) { readers.append(reader) }

  func remove(_ reader: Reader) {
    readers.removeAll { $0 === reader }
    if served === reader { served = nil }
  }

  /// Chooses the reader to fetch for: the reader that is served, until another one has waited for long enough.
  /// `byteCount`: bytes that have arrived for it.
  func serveNext(_ record: SpoolRecord, byteCount: Int64) {
    let waits = readers.map { $0.isStarved(record) }
    let index = readers.firstIndex { $0 === served }
    served = FetchPlan.turn(waits: waits, served: index, byteCount: byteCount).map { readers[$0] }
  }

  /// The position of the reader that is served; in a live stream, of the reader that is furthest ahead.
  func position(isLive: Bool) -> Int64 {
    isLive ? readers.reduce(0) { max($0, $1.position) } : (served ?? readers.first)?.position ?? 0
  }

  func isAwaited(_ record: SpoolRecord) -> Bool { readers.contains { $0.isStarved(record) } }

  // MARK: Titles

  func title(at byteOffset: Int64) -> String? { titles.title(at: byteOffset) }

  /// The character set of the titles; `nil` if all are in UTF-8.
  var titleReading: TextReading? { titles.reading }

  /// Records a title that a station has sent.
  func append(_ title: String, at place: Int64, oldestByte: Int64) {
    if titles.append(title, at: place, oldestByte: oldestByte) { hasNews = true }
  }

  /// Records the title of a segment.
  func insert(_ title: String, at place: Int64) { if titles.insert(title, at: place) { hasNews = true } }

  // MARK: News

  /// Waits for news, until `deadline` at most. Returns false if that has passed.
  @discardableResult
  func waitForNews(until deadline: MonotonicTime? = nil) -> Bool {
    let before = generation
    monitor.wait(until: deadline) { generation != before }
    return generation != before
  }

  /// Leaves a notice for each reader.
  func note(_ notice: NetworkNotice) {
    for reader in readers { reader.notices.append(notice) }
    hasNews = true
  }

  /// Wakes all waiting threads, and calls the readers whose wait is over, or all readers if there is news.
  func notify(isNews: Bool, progress: (arrived: Int64, all: Int64?), isOver: (Reader) -> Bool) {
    generation += 1
    monitor.signal()
    note(progress)
    for reader in readers where isNews || hasNews || reader.wanted != nil && isOver(reader) { reader.notify() }
    hasNews = false
  }

  private static let progressStepCount = 64.0

  /// Treats each further part of the whole as news.
  private func note(_ progress: (arrived: Int64, all: Int64?)) {
    guard let all = progress.all, all > 0 else { return }
    let step = Int64(Double(progress.arrived) / Double(all) * Self.progressStepCount)
    guard step != notedProgress else { return }
    (notedProgress, hasNews) = (step, true)
  }
}
