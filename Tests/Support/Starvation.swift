internal import Glibc

/// The time for which threads were ready to run, and the machine did not let them: because others ran, or because the
/// virtual machine stood still.
public struct Starvation {
  private let stolenBefore = stolenSeconds
  /// Of each thread, by its folder in /proc.
  private var waits: [String: Double] = [:]

  /// Begins now.
  public init() {}

  /// Notes how long the threads of a process with these names (nil: all) have waited so far. Nothing remains of a
  /// process that has ended.
  public mutating func note(_ process: Int32, threads wanted: Set<String>? = nil) {
    for thread in names(in: "/proc/\(process)/task") {
      let folder = "/proc/\(process)/task/\(thread)"
      guard wanted?.contains(String(text(of: "\(folder)/comm").dropLast())) != false else { continue }
      // Nanoseconds on a processor, nanoseconds of waiting for one, and the number of turns.
      let words = text(of: "\(folder)/schedstat").split(separator: " ")
      if words.count > 1, let wait = Double(words[1]) { waits[folder] = wait / 1e9 }
    }
  }

  /// All of it since the start.
  public var seconds: Double { waits.values.reduce(0, +) + stolenSeconds - stolenBefore }
}

private func text(of path: String) -> String { String(decoding: contents(of: path), as: UTF8.self) }

/// The names in a folder.
public func names(in folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if !name.hasPrefix(".") { names.append(name) }
  }
  return names
}
