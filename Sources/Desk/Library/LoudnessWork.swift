internal import AudioModel
internal import ByteIO
internal import Database
internal import Glibc
internal import Library
internal import Threads

/// Measures the loudness of the library's tracks at the lowest priority: not while a scan runs, nor on battery. On the
/// thread of the loudness, but for `Orders`.
final class LoudnessWork {
  /// The orders of the desk. Any thread.
  struct Orders: Sendable {
    var isOn = false
    var isScanning = false
  }

  private let connection: LibraryConnection
  private let orders: Guarded<Orders>
  private let report: (String) -> Void
  private var files: [Int64]?

  /// The time from an order, or the end of a scan, to the first track: the start of the program comes first.
  static let patience = TimeSpan.seconds(5)
  /// On battery it looks again so often.
  private static let batteryPause = TimeSpan.seconds(60)

  /// - Parameters:
  ///   - folder: The folder of the library.
  ///   - report: Called with the reason why it stopped.
  init(folder: BytePath, orders: Guarded<Orders>, report: @escaping (String) -> Void) {
    (connection, self.orders, self.report) = (LibraryConnection(folder), orders, report)
    WorkerThread.runAtIdle()
  }

  /// The orders have changed. There may be new tracks.
  func begin() { files = nil }

  /// Measures what there is to measure. Returns the time for the next call; `nil` if nothing is left.
  func measure() -> MonotonicTime? {
    guard orders.withLock({ $0.isOn && !$0.isScanning }) else { return nil }
    do throws(DatabaseError) { return try measureAll() ? .now + Self.batteryPause : nil } catch {
      report("the loudness of tracks cannot be measured: \(error)")
      return nil
    }
  }

  /// Measures all tracks. Returns true if it stopped because the machine runs on battery.
  private func measureAll() throws(DatabaseError) -> Bool {
    guard connection.has("catalogue.db") else { return false }
    let library = try connection.open()
    let store = LoudnessStore(library)
    var rest = if let files { files } else { try store.filesToMeasure() }
    defer { files = rest }
    var run = LoudnessRun(library) { [orders] in
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
