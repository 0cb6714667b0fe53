import SoundServerSupport
import Testing

/// Memory that only the start of the program needed.
@Suite struct `The memory of the start` {
  /// Kilobytes in memory: now, and when they were most, which the kernel remembers.
  private func sizes(of id: Int32) throws -> (now: Int, most: Int)? {
    let status = String(decoding: try contents("/proc/\(id)/status"), as: UTF8.self)
    func size(_ name: String) -> Int? {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
    guard let now = size("VmRSS"), let most = size("VmHWM") else { return nil }
    return (now, most)
  }

  @Test func `goes back to the system while the player plays`() throws {
    let player = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", "--repeat", "all", fixture("vbr-60s.mp3")])
    defer { player.end(atOnce: true) }
    let isReleased = waitUntil(milliseconds: 20) {
      guard let sizes = try? sizes(of: player.id) else { return false }
      return sizes.now < sizes.most * 3 / 4
    }
    #expect(isReleased, "\(String(describing: try? sizes(of: player.id)))")
  }
}
