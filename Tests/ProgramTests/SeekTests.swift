import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Seeks by keys, slider and mouse. After each seek, exactly the decoded audio from the announced place on is audible,
/// and nothing of the old place follows.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Seeking` {
  /// A stage on which a file is being played.
  private func playing(_ name: String) throws -> (Stage, Tmux, frameCount: Int) { try playing(file: fixture(name)) }

  private func playing(file: String) throws -> (Stage, Tmux, frameCount: Int) {
    let track = try Program.decode(file)
    let stage = try Stage(tracks: [track])
    let terminal = try stage.show(file)
    try #require(stage.waitFor("playing"))
    return (stage, terminal, track.count)
  }

  /// Performs a seek, and waits for audio from its target. Returns the target.
  @discardableResult
  private func seek(_ stage: Stage, _ act: () -> Void) throws -> Int {
    let count = stage.events.count
    act()
    #expect(eventually { stage.events.dropFirst(count).contains { $0.name == "seek" } })
    #expect(stage.waitFor("playing", after: count), "\(stage.events)")
    let target = try #require(stage.seekTargets.last)
    #expect(
      eventually { (stage.listener.heard.last?.frames).map { $0.lowerBound == target && $0.count > 3000 } ?? false },
      "to \(target): \(stage.listener.heard)")
    return target
  }

  /// A minute of a constant bit rate. The fixtures are shorter: on a busy machine they end before the last seek.
  private func longCBR(in folder: TemporaryFolder) throws -> String {
    let path = folder("cbr-60s.mp3")
    let lame = ["lame", "--quiet", "--cbr", "-b", "160", fixture("source-vbr-60s.wav"), path]
    try #require(try ChildProcess(lame).wait() == 0)
    return path
  }

  @Test(arguments: ["vbr-60s.mp3", "vbr-60s-without-header.mp3", nil])
  func `every seek command is exact to the sample`(name: String?) throws {
    let folder = try TemporaryFolder()
    let (stage, terminal, frameCount) = try playing(file: name.map(fixture) ?? longCBR(in: folder))
    // At once, before anything is known of the rest.
    let first = try seek(stage) { terminal.press("Right") }
    #expect(first >= 5 * 44100)
    try seek(stage) { terminal.press("Left") }
    try seek(stage) { terminal.press("S-Right") }
    #expect(stage.see { !$0.contains("~") })
    // Focus, half-way, commit; the mouse; the start.
    let half = try seek(stage) { terminal.press("Tab", "5", "Enter") }
    #expect(abs(half - frameCount / 2) <= 1)
    terminal.press("Tab")
    try seek(stage) { terminal.press("BSpace") }
    try seek(stage) { terminal.send("\u{1b}[<0;40;24M\u{1b}[<0;40;24m") }
    #expect(try seek(stage) { terminal.press("Tab", "Home", "Enter") } == 0)
    // Drag: one seek, where the mouse was let go.
    let count = stage.seekTargets.count
    try seek(stage) {
      terminal.send("\u{1b}[<0;20;24M\u{1b}[<32;30;24M\u{1b}[<32;40;24M\u{1b}[<32;35;24M\u{1b}[<0;35;24m")
    }
    #expect(stage.seekTargets.count == count + 1)
    #expect(stage.listener.heard.map(\.frames.lowerBound) == [0] + stage.seekTargets)
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `the last of several quick seeks wins`() throws {
    let (stage, terminal, _) = try playing("vbr-60s.mp3")
    #expect(stage.hear(frames: 5000))
    for keys in [["Right", "Right"], ["Right", "Left", "Right"], ["S-Right", "S-Right", "S-Right", "S-Right"]] {
      let before = try #require(stage.listener.heard.last?.frames.lowerBound)
      let count = stage.events.count
      terminal.send(
        keys.map { ["Right": "\u{1b}OC", "Left": "\u{1b}OD", "S-Right": "\u{1b}[1;2C"][$0] ?? "" }.joined())
      // All keys need not arrive at once: what counts is the end.
      let steps = keys.reduce(0) { $0 + ["Right": 5, "Left": -5, "S-Right": 1][$1, default: 0] }
      let isThere = eventually {
        guard let target = stage.seekTargets.last, let heard = stage.listener.heard.last?.frames else { return false }
        return stage.events.last?.summary == "playing" && stage.events.dropFirst(count).contains { $0.name == "seek" }
          && heard.lowerBound == target && heard.count > 20_000 && target - before >= steps * 44100
      }
      #expect(isThere, "\(keys): \(stage.listener.heard) \(stage.events.dropFirst(count))")
    }
    // Targets that were replaced quickly played briefly or not at all; no other places played.
    let heard = stage.listener.heard.map(\.frames.lowerBound)
    #expect(Set(heard).isSubset(of: [0] + stage.seekTargets))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test(arguments: ["vbr-60s.mp3", "vbr-60s-without-header.mp3"])
  func `a seek while paused moves at once, in silence, and stays paused`(name: String) throws {
    let (stage, terminal, frameCount) = try playing(name)
    #expect(stage.hear(frames: 5000))
    terminal.press("Space")
    #expect(stage.waitFor("paused user"))
    let pause = try #require(stage.lastState?.frame())
    // A busy server obeys, and tells the exact place, later.
    stage.hearAll()
    terminal.press("Right")
    #expect(stage.waitFor("seek"))
    // A pause to which the server answers late is shown by the clock, and is exact afterwards.
    let target = try #require(stage.seekTargets.first)
    let place = target - 5 * 44100
    #expect(abs(place - pause) <= stage.lateAnswer)
    let seconds = target / 44100
    #expect(stage.see { $0.contains("⏸ paused") && $0.contains(seconds < 10 ? " 0:0\(seconds) " : " 0:\(seconds) ") })
    terminal.press("Tab", "5", "Enter")
    #expect(eventually { stage.seekTargets.count == 2 })
    stage.hearAll()
    let heard = try #require(stage.listener.heard.first)
    #expect(stage.listener.heard.count == 1 && heard.track == 0 && heard.frames.lowerBound == 0)
    #expect(abs(heard.frames.upperBound - place) <= stage.clockError, "\(heard) \(place)")
    #expect(stage.events.last?.summary == "seek")
    terminal.press("Space")
    #expect(stage.hear(frames: 5000))
    #expect(abs((stage.seekTargets.last ?? 0) - frameCount / 2) <= 1)
    #expect(stage.listener.heard.map(\.frames.lowerBound) == [0, stage.seekTargets.last])
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test(arguments: [["Tab", "End", "Enter"], [".", "Space", "Space"]])
  func `to the end, or beyond it, is the end`(keys: [String]) throws {
    let (stage, terminal, frameCount) = try playing("vbr-60s.mp3")
    #expect(stage.hear(frames: 5000))
    terminal.press(keys[0])
    if keys[0] == "Tab" { terminal.press(keys[1], keys[2]) }
    #expect(stage.waitFor("stopped finished"))
    #expect(stage.events.last?.frame() == frameCount)
    stage.hearAll()
    #expect(stage.listener.heard.count == 1)
    #expect(stage.see("■ stopped (end of the queue)"))
    // There is nothing to seek in any more, and it starts again from 0.
    let count = stage.events.count
    terminal.press("Space")
    #expect(stage.waitFor("playing", after: count))
    #expect(stage.hear(frames: 5000))
    #expect(stage.listener.heard.last?.frames.lowerBound == 0)
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `a seek near the end plays the rest and finishes`() throws {
    let (stage, terminal, frameCount) = try playing("e2-44100-cbr160.mp3")
    #expect(stage.hear(frames: 1000))
    let count = stage.events.count
    // The last column of the bar.
    terminal.send("\u{1b}[<0;64;24M\u{1b}[<0;64;24m")
    #expect(stage.waitFor("stopped finished", after: count))
    stage.hearAll()
    let target = try #require(stage.seekTargets.last)
    #expect(stage.listener.heard.last == .init(track: 0, frames: target..<frameCount))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }
}
