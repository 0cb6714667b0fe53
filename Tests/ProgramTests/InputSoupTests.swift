import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Any bytes from the terminal, any sizes: the screen stays right, and the program alive.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Soup from the terminal` {
  private let folder: TemporaryFolder
  private let tmux: Tmux

  /// Nothing that soup could mean leads out of the program, or to another time or list: that would prove nothing.
  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let keys = ["q", "C-c", "C-z", ":", "t", "w", "d", "Del"].map { "unbind \($0)\n" }.joined()
    try write(keys.utf8, to: folder("keys"))
    let environment = "TERM=screen-256color LC_ALL=C.UTF-8 SEGUE_HOME=\(folder.path)"
    let tmux = try Tmux(
      "exec env \(environment) '\(canonical(Program.path))' --output null \(fixture("e2-44100-cbr160.mp3"))")
    self.tmux = tmux
    try #require(eventually(milliseconds: 50) { tmux.screen.contains("▶ ") })
  }

  /// True if the screen is unaffected by the input before: Esc leaves any mode that it opened.
  private func expectOrder() {
    tmux.resize(columns: 80, rows: 24)
    let isRight = eventually(milliseconds: 200) {
      // One by one: an Escape together with a letter would be Alt. Several modes may be nested.
      tmux.press("Escape")
      usleep(100_000)
      tmux.press("v")
      let lines = tmux.screen.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.count >= 24 && lines[0].hasPrefix(" 0Home 1Queue 2Lib ") && lines[1].isEmpty
        && lines[2].hasPrefix("    #  Title ") && lines[20].contains("  Enter play ")
        && lines[21].contains("  ■ stopped")
        // On a busy machine the track of ten seconds may have ended before, and a key may have said to stop there.
        && (lines[23].contains(" 0:00 ") || lines[21].contains("end of the queue") || lines[21].contains("stop after"))
    }
    #expect(isRight, "\(tmux.screen)")
    let showsHelp = eventually(milliseconds: 200) {
      tmux.press("F1", "Home")
      if eventually(seconds: 1, milliseconds: 50, { tmux.screen.contains("pause or resume") }) { return true }
      // The input before may have left a filter in Help. F1 in Help leaves it.
      tmux.press("Escape")
      return false
    }
    #expect(showsHelp, "\(tmux.screen)")
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `escape soup and half sequences`(seed: UInt64) throws {
    var state = seed
    let random = { (limit: Int) -> Int in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    let pieces: [[UInt8]] =
      [
        "\u{1b}", "\u{1b}[", "\u{1b}O", "\u{1b}[<", "\u{1b}[<0;99999999999999999999;5M", "\u{1b}[200~", "\u{1b}[201~",
        "\u{1b}]2;x", "\u{1b}P", "\u{1b}[1;", "5~", ";", "M", "m", "~", "[", "9", "\u{1b}[?1016;2$y", "\u{1b}[M", "\r",
        "日", "\t",
      ].map { Array($0.utf8) } + [[0x9b], [0xff], [0xc3], [0xe2, 0x80], [0xf0, 0x9f], [0], [0x7f]]
    let soup = (0..<20_000).flatMap { _ in random(4) == 0 ? [UInt8(random(256))] : pieces[random(pieces.count)] }
    try write(soup + Array("\u{1b}[201~".utf8), to: folder("soup"))
    tmux.paste(folder("soup"))
    for _ in 0..<20 { tmux.resize(columns: 1 + random(200), rows: 1 + random(60)) }
    expectOrder()
  }

  @Test func `a paste of a megabyte, in brackets, presses no key`() throws {
    try write(Array(repeating: Array("svx\u{3}Q ".utf8), count: 180_000).joined(), to: folder("paste"))
    tmux.paste(folder("paste"), inBrackets: true)
    for _ in 0..<10 {
      tmux.resize(columns: 10, rows: 1)
      tmux.resize(columns: 200, rows: 60)
    }
    expectOrder()
  }
}
