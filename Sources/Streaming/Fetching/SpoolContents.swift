internal import ByteIO

/// The bytes of a resource that are kept, the facts about it, and the room for more. Pure; returns the effects of its
/// changes on the spool.
struct SpoolContents {
  /// Sizes for all resources.
  struct Limits: Hashable {
    /// Bytes in the cache folder, and bytes in memory for each resource.
    var cacheByteCount: Int64
    var memoryByteCount: Int64
  }

  /// Facts about the resource, and the list of bytes in the spool.
  var record: SpoolRecord
  var budget: SpoolBudget
  /// True if the spool lies in the cache folder.
  private(set) var isKept: Bool
  /// True if it lies in the folder of pinned tracks.
  let isPinned: Bool
  /// True if it is one of these, and was whole from the start.
  let wasWhole: Bool
  /// The bytes on the disk, once it takes no more and further bytes lie in memory. They are not evicted: that would
  /// give no room. `nil` if all bytes lie in the same place.
  private var onDisk: ByteRanges?
  private let limits: Limits

  init(_ record: SpoolRecord, budget: SpoolBudget, isKept: Bool, isPinned: Bool = false, limits: Limits) {
    (self.record, self.budget, self.isKept, self.limits) = (record, budget, isKept, limits)
    (self.isPinned, wasWhole) = (isPinned, isPinned && record.isComplete)
  }

  /// The end of the last bytes.
  var end: Int64 { record.present.ranges.last?.upperBound ?? 0 }
  /// True if the whole resource fits into the spool.
  var hasRoomForAll: Bool { (record.length ?? 0) - (onDisk?.byteCount ?? 0) <= budget.byteLimit }
  /// The bytes that have a limit, and that may be evicted.
  private var evictable: ByteRanges { onDisk.map { record.present.subtracting($0) } ?? record.present }
  /// True if the record is worth writing: the bytes lie in the cache folder, their length is known, and it is new.
  var canBeSaved: Bool { isKept && record.length != nil && !wasWhole }
  /// The record to write: of the bytes in the cache folder.
  var savedRecord: SpoolRecord {
    var saved = record
    if let onDisk { saved.present = onDisk }
    return saved
  }

  mutating func insert(_ range: Range<Int64>) { record.present.insert(contentsOf: range) }

  mutating func evict(_ range: Range<Int64>) -> FetchEffect {
    record.present.remove(contentsOf: range)
    return .evict(range)
  }

  /// Evicts bytes so that `count` bytes at `place` have room; `nil` if they have to wait until the reader moves.
  mutating func makeRoom(for count: Int64, at place: Int64, reader: Int64) -> [FetchEffect]? {
    evictions(for: count, at: place, reader: reader)?.map { evict($0) }
  }

  /// True if a paused transfer may resume: a good piece of its bytes has room.
  func canResume(at place: Int64, reader: Int64) -> Bool {
    // A station must not wait long: it would end the connection.
    let count = budget.isRing ? min(budget.byteLimit / 8, 1 << 16) : budget.byteLimit / 8
    return evictions(for: count, at: place, reader: reader) != nil
  }

  private func evictions(for count: Int64, at place: Int64, reader: Int64) -> [Range<Int64>]? {
    budget.evictions(record.present, among: evictable, reader: reader, arriving: count, at: place)
  }

  /// Some seconds of any station: the bytes between the network and the decoder.
  private static let leastRing: Int64 = 1 << 18

  /// Sets the number of bytes that are kept of a live stream. Returns true if other bytes may be evicted now.
  mutating func keep(latest byteCount: Int64, losesUnread: Bool) -> Bool {
    budget.byteLimit = max(Self.leastRing, min(byteCount, limits.memoryByteCount))
    guard losesUnread != budget.losesUnread else { return false }
    budget.losesUnread = losesUnread
    return true
  }

  /// Stores the facts in the first answer, and chooses the place for the bytes.
  mutating func adopt(_ head: HTTPResponseHead, length: Int64?, address: WebAddress) -> [FetchEffect] {
    let isLive = head.isLive
    budget.isRing = isLive
    let mayBeKept = isPinned || head.mayBeStored && length ?? .max <= limits.cacheByteCount / 2
    let mayKeep = !isLive && length != nil && mayBeKept
    var effects: [FetchEffect] = []
    if isKept, !mayKeep {
      effects = [moveToMemory(address)]
      budget.isRing = isLive
    } else if isKept, !isPinned, let length {
      effects = [.makeRoom(length)]
    }
    record.length = isLive ? nil : length
    record.validator = head.validator
    record.contentType = head.contentType
    return effects
  }

  /// Starts again with an empty spool in memory.
  mutating func moveToMemory(_ address: WebAddress) -> FetchEffect {
    record = SpoolRecord(address: address.description)
    (isKept, onDisk, budget) = (false, nil, SpoolBudget(byteLimit: limits.memoryByteCount))
    return .useMemory
  }

  /// Puts further bytes into memory: the disk is full, for instance. Those that are stored stay where they are.
  mutating func leaveDisk() -> [FetchEffect] {
    guard onDisk == nil else { return [] }
    budget.byteLimit = limits.memoryByteCount
    if record.present.isEmpty {
      isKept = false
      return [.useMemory]
    }
    onDisk = record.present
    return [.continueInMemory(record.present)]
  }

  /// Forgets all bytes and facts.
  mutating func clear() -> FetchEffect {
    record = SpoolRecord(address: record.address)
    guard onDisk != nil else { return .clearSpool }
    (isKept, onDisk) = (false, nil)
    return .useMemory
  }
}
