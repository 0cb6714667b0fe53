internal import AudioModel
internal import ByteIO
internal import Glibc
internal import Threads

/// Threads that read the files of a scan. If a thread needs more than the time limit for a file, both are given up, and
/// a new thread replaces it.
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
    /// The file that each thread reads, and the time at which it began.
    var reading: [Int: (task: Task, since: MonotonicTime)] = [:]
    var lastThread = 0
  }

  private let monitor = Monitor()
  private let state = State()
  private let outcomes = Mailbox<Outcome>()
  private let foreign: ForeignReader?
  private let notes: ReadingNotes
  private static let timeLimit = TimeSpan.seconds(20)
  private static let batchCount = 32

  init(count: Int, notes: ReadingNotes, foreign: ForeignReader?) {
    (self.foreign, self.notes) = (foreign, notes)
    for number in 0..<count { startThread(isNeeded: number == 0) }
  }

  private func startThread(isNeeded: Bool = false) {
    let number = monitor.locked {
      state.lastThread += 1
      return state.lastThread
    }
    // The thread is not joined, because it may hang in a system call.
    let work: @Sendable () -> Void = { [self] in
      let head = ScannedFile.HeadBuffer()
      while let task = take(number) {
        notes.note(task.path, slot: number)
        let facts = FileFacts(path: task.path, head: head, foreign: foreign)
        notes.clear(slot: number)
        finish(task, facts, number)
      }
    }
    _ = isNeeded ? WorkerThread(needed: "scan", work) : WorkerThread(named: "scan", work)
  }

  private func take(_ number: Int) -> Task? {
    monitor.locked {
      monitor.wait { state.next < state.tasks.count || state.isClosed }
      guard state.next < state.tasks.count else { return nil }
      let task = state.tasks[state.next]
      state.next += 1
      if state.next == state.tasks.count { (state.tasks, state.next) = ([], 0) }
      state.reading[number] = (task, .now)
      return task
    }
  }

  /// Records a result, unless the file was given up meanwhile.
  private func finish(_ task: Task, _ facts: FileFacts, _ number: Int) {
    let (counts, isLast) = monitor.locked { (state.reading.removeValue(forKey: number) != nil, state.tasks.isEmpty) }
    // The reader is not woken for each file: that takes as long as a quarter of a file.
    if counts { outcomes.post(Outcome(index: task.index, facts: facts), wakingAt: isLast ? 1 : Self.batchCount) }
  }

  func add(_ tasks: [Task]) {
    monitor.locked {
      state.tasks += tasks
      monitor.signal()
    }
  }

  /// The results since the last call. Waits at most a quarter of a second for the first one.
  func take() -> [Outcome] {
    let found = outcomes.take(until: .now + .milliseconds(250))
    if !found.isEmpty { return found }
    WorkerThread.startWaiting()
    let late = monitor.locked {
      let late = state.reading.filter { .now - $0.value.since > Self.timeLimit }
      for number in late.keys { state.reading[number] = nil }
      return late
    }
    for _ in late { startThread() }
    return late.values.map {
      Outcome(
        index: $0.task.index,
        facts: FileFacts(
          failure: "reading it took longer than \(Int(Self.timeLimit.inSeconds)) seconds", isUnread: true))
    }
  }

  /// Ends the threads once all files are read.
  func close() {
    monitor.locked {
      state.isClosed = true
      monitor.signal()
    }
  }

  /// Removes the files that no thread has begun. Returns the number of files that will have a result.
  func cancel() -> Int {
    monitor.locked {
      (state.tasks, state.next) = ([], 0)
      return state.reading.count
    }
  }
}
