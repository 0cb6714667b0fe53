import SoundServerSupport
import Testing

/// Memory that only the start of the program needed.
@Suite struct `The memory of the start` {
  /// Kilobytes of the program's own code that are in memory.
  private func codeSize(of id: Int32) throws -> Int {
    var isCode = false
    var size = 0
    for line in String(decoding: try contents("/proc/\(id)/smaps"), as: UTF8.self).split(separator: "\n") {
      if line.contains("-"), !line.contains(": ") { isCode = line.contains(" r-xp ") && line.hasSuffix("/segue") }
      guard isCode, line.hasPrefix("Rss:") else { continue }
      size += line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
    return size
  }

  @Test func `goes back to the system while the player plays`() throws {
    let player = try ChildProcess([Program.path, "--no-ui", "--output", "null", fixture("vbr-60s.mp3")])
    defer { player.end(atOnce: true) }
    var largest = 0
    let isReleased = waitUntil(seconds: 55, milliseconds: 20) {
      let size = (try? codeSize(of: player.id)) ?? 0
      largest = max(largest, size)
      return size > 0 && size < largest * 3 / 4
    }
    #expect(isReleased, "\(largest) kB at most")
  }
}
