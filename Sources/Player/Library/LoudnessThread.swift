internal import AudioModel
internal import ByteIO
internal import Database
internal import Glibc
internal import Library
internal import Threads

/// Measures the loudness of the library's tracks on a thread of the lowest priority: not while a scan runs, nor on
/// battery. Sleeps while there is nothing to measure. The first order starts the thread.
final class LoudnessThread: Sendable {
  private struct Orders: Sendable {
    var isOn = false
    var isScanning = false
  }

  private let folder: BytePath
  private let orders = Guarded(Orders())
  /// Rings; the answer to an order is posted when it is obeyed.
  private let bell = Mailbox<Mailbox<Void>?>()
  private let thread = Guarded<WorkerThread?>(nil)
  private let report: @Sendable (String) -> Void

  /// The time from an order, or the end of a scan, to the first track: the start of the program comes first.
  private let patience: TimeSpan
  /// On battery it looks again so often.
  private static let batteryPause = TimeSpan.seconds(60)

  /// - Parameters:
  ///   - folder: The folder of the library.
  ///   - report: Called on the thread with the reason why it stopped.
  init(folder: BytePath, patience: TimeSpan = .seconds(5), report: @escaping @Sendable (String) -> Void) {
    (self.folder, self.patience, self.report) = (folder, patience, report)
  }

  /// Starts or stops measuring. A track that was begun is measured again later.
  func measure(_ isOn: Bool) {
    orders.withLock { $0.isOn = isOn }
    let isStarted = thread.withLock { thread in
      if thread == nil, isOn { thread = WorkerThread(named: "loudness") { [weak self] in self?.run() } }
      return thread != nil
    }
    if isStarted { bell.post(nil) }
  }

  /// Pauses while a scan runs. Its end may bring new tracks.
  func pause(_ isScanning: Bool) {
    orders.withLock { $0.isScanning = isScanning }
    if !isScanning, thread.withLock({ $0 != nil }) { bell.post(nil) }
  }

  /// Stops, and waits until the databases are at rest.
  func settle(until end: MonotonicTime) {
    guard thread.withLock({ $0 != nil }) else { return }
    orders.withLock { $0.isOn = false }
    let done = Mailbox<Void>()
    bell.post(done)
    _ = done.take(until: end)
  }

  private func run() {
    WorkerThread.runAtIdle()
    var library: MusicLibrary?
    var files: [Int64]?
    var due: MonotonicTime? = .now + patience
    while true {
      let rings = bell.take(until: due)
      if !rings.isEmpty { (due, files) = (.now + patience, nil) }
      for case let done? in rings { done.post(()) }
      if !orders.withLock({ $0.isOn && !$0.isScanning }) { due = nil }
      guard let begin = due, .now >= begin else { continue }
      do throws(DatabaseError) {
        due = try measure(&library, &files) ? .now + Self.batteryPause : nil
      } catch {
        due = nil
        report("the loudness of tracks cannot be measured: \(error)")
      }
    }
  }

  /// Measures all tracks. Returns true if it stopped because the machine runs on battery.
  private func measure(_ library: inout MusicLibrary?, _ files: inout [Int64]?) throws(DatabaseError) -> Bool {
    // Opening makes the databases, which only the first folder needs.
    guard library != nil || folder.appending(BytePath("catalogue.db")).withCString({ access($0, F_OK) }) == 0 else {
      return false
    }
    let opened = if let library { library } else { try MusicLibrary(folder: folder) }
    library = opened
    let store = LoudnessStore(opened)
    var rest = if let files { files } else { try store.filesToMeasure() }
    defer { files = rest }
    var run = LoudnessRun(opened) { [orders] in
      while true {
        let now = orders.withLock { $0 }
        if !now.isOn || !now.isScanning { return now.isOn }
        usleep(100_000)
      }
    }
    rest.reverse()
    while let file = rest.popLast(), orders.withLock({ $0.isOn }) {
      guard !PowerSupply.isBattery else {
        rest.append(file)
        rest.reverse()
        try run.finish()
        return true
      }
      if let track = try store.track(file: file) { _ = try run.measure(track) }
    }
    try run.finish()
    return false
  }
}

/// The power supply of the machine.
enum PowerSupply {
  /// True if a battery is being discharged (sysfs, `power_supply/*/status`).
  static var isBattery: Bool { isBattery(below: BytePath("/sys/class/power_supply")) }

  static func isBattery(below folder: BytePath) -> Bool {
    ((try? namesInFolder(folder)) ?? []).contains { name in
      let supply = folder.appending(BytePath(name))
      func text(_ file: String) -> String? {
        (try? SmallFile.read(supply.appending(BytePath(file)))).map { String(decoding: $0, as: UTF8.self) }
      }
      // Batteries of mice and keyboards have a scope of their own.
      return text("type") == "Battery\n" && text("scope") != "Device\n" && text("status") == "Discharging\n"
    }
  }
}
