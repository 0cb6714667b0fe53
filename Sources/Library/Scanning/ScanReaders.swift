internal import ByteIO
internal import Glibc
internal import Threads

/// Threads that read the files of a scan. A file on which a thread spends more than the limit is given up with its
/// thread, and another thread takes its place.
final class ScanReaders: Sendable {
  /// A file to read, and its place in the list of the scan.
  struct Task: Sendable {
    var index: Int
    var path: BytePath
  }

  struct Outcome: Sendable {
    var index: Int
    var facts: FileFacts
  }

  /// Safety: touched under `monitor` only.
  private final class State: @unchecked Sendable {
    var tasks: [Task] = []
    var next = 0
    var isClosed = false
    /// What each thread reads, and since when.
    var reading: [Int: (task: Task, since: UInt64)] = [:]
    var lastThread = 0
  }

  private let monitor = Monitor()
  private let state = State()
  private let outcomes = Mailbox<Outcome>()
  private let readForeign: ForeignReader?
  private let notes: ReadingNotes
  /// Seconds for one file.
  private static let timeLimit = 20.0

  init(count: Int, notes: ReadingNotes, readForeign: ForeignReader?) {
    (self.readForeign, self.notes) = (readForeign, notes)
    for _ in 0..<count { startThread() }
  }

  private func startThread() {
    let number = monitor.locked {
      state.lastThread += 1
      return state.lastThread
    }
    // Nobody waits for its end: it may hang in the system for ever.
    _ = WorkerThread(named: "scan") { [self] in
      while let task = take(number) {
        notes.note(task.path, slot: number)
        let facts = FileFacts(path: task.path, readForeign: readForeign)
        notes.clear(slot: number)
        finish(task, facts, number)
      }
    }
  }

  private func take(_ number: Int) -> Task? {
    monitor.locked {
      monitor.wait { state.next < state.tasks.count || state.isClosed }
      guard state.next < state.tasks.count else { return nil }
      let task = state.tasks[state.next]
      state.next += 1
      if state.next == state.tasks.count { (state.tasks, state.next) = ([], 0) }
      state.reading[number] = (task, monotonicNanoseconds())
      return task
    }
  }

  /// The outcome of a file that was given up meanwhile does not count.
  private func finish(_ task: Task, _ facts: FileFacts, _ number: Int) {
    let counts = monitor.locked { state.reading.removeValue(forKey: number) != nil }
    if counts { outcomes.post(Outcome(index: task.index, facts: facts)) }
  }

  /// Gives files to the threads.
  func add(_ tasks: [Task]) {
    monitor.locked {
      state.tasks += tasks
      monitor.signal()
    }
  }

  /// The outcomes since the last call; waits for one.
  func take() -> [Outcome] {
    while true {
      let second: UInt64 = 1_000_000_000
      let found = outcomes.take(until: monotonicNanoseconds() + second)
      if !found.isEmpty { return found }
      let late = monitor.locked {
        let limit = UInt64(Self.timeLimit * 1e9)
        let late = state.reading.filter { monotonicNanoseconds() > $0.value.since + limit }
        for number in late.keys { state.reading[number] = nil }
        return late
      }
      guard !late.isEmpty else { continue }
      for _ in late { startThread() }
      return late.values.map {
        Outcome(
          index: $0.task.index, facts: FileFacts(failure: "reading it took longer than \(Int(Self.timeLimit)) seconds"))
      }
    }
  }

  /// Lets the threads end once all files are read.
  func close() {
    monitor.locked {
      state.isClosed = true
      monitor.signal()
    }
  }

  /// Forgets the files that no thread has begun; the number of those that will have an outcome.
  func cancel() -> Int {
    monitor.locked {
      (state.tasks, state.next) = ([], 0)
      return state.reading.count
    }
  }
}

/// A mapped file that says which files are being read: the ones that are still in it when the next scan begins were
/// being read when the program died.
///
/// Safety: each thread writes to its own slot.
final class ReadingNotes: @unchecked Sendable {
  private static let (slotByteCount, slotCount) = (4096 + 8, 64)
  private let map: UnsafeMutableRawBufferPointer
  /// The files that were being read when a scan died.
  let culprits: [BytePath]

  /// Without a file nothing is noted.
  init(path: BytePath) {
    let descriptor = path.withCString { open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    let byteCount = Self.slotByteCount * Self.slotCount
    guard descriptor >= 0, ftruncate(descriptor, off_t(byteCount)) == 0,
      let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), start != MAP_FAILED
    else {
      if descriptor >= 0 { Glibc.close(descriptor) }
      (map, culprits) = (UnsafeMutableRawBufferPointer(start: nil, count: 0), [])
      return
    }
    Glibc.close(descriptor)
    let map = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    culprits = (0..<Self.slotCount).compactMap { slot in
      let slot = map[(slot * Self.slotByteCount)..<((slot + 1) * Self.slotByteCount)]
      let count = slot.loadCount()
      guard 1...4096 ~= count else { return nil }
      return BytePath(slot.dropFirst(8).prefix(count).map { $0 })
    }
    self.map = map
    _ = memset(start, 0, byteCount)
  }

  deinit { if let start = map.baseAddress { munmap(start, map.count) } }

  func note(_ path: BytePath, slot: Int) {
    guard let start = start(of: slot), path.bytes.count <= 4096 else { return }
    path.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      (start + 8).copyMemory(from: base, byteCount: bytes.count)
    }
    start.storeBytes(of: UInt64(path.bytes.count), as: UInt64.self)
  }

  func clear(slot: Int) { start(of: slot)?.storeBytes(of: 0, as: UInt64.self) }

  private func start(of slot: Int) -> UnsafeMutableRawPointer? {
    slot < Self.slotCount ? map.baseAddress.map { $0 + slot * Self.slotByteCount } : nil
  }
}

extension Slice<UnsafeMutableRawBufferPointer> {
  fileprivate func loadCount() -> Int {
    Int(clamping: UnsafeRawBufferPointer(rebasing: self).loadUnaligned(as: UInt64.self))
  }
}
