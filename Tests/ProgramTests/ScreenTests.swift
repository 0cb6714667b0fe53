import SoundServerSupport
import TestTraits
import Testing

/// The screen in tmux while something plays.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `The screen` {
  @Test(arguments: [(80, 24), (40, 10), (20, 4), (10, 1), (200, 60)])
  func `every size shows the state and where it is`(columns: Int, rows: Int) throws {
    let stage = try Stage(tracks: [])
    // Again and again, because a busy machine may look at it late.
    let terminal = try stage.show("--repeat", "one", fixture("e2-44100-cbr160.mp3"), columns: columns, rows: rows)
    #expect(stage.see(rows > 1 ? "▶ " : "▶ 0:0", fromSecond: 1), "\(terminal.screen)")
    terminal.press("Space")
    #expect(stage.see(rows > 1 ? "⏸ paused" : "⏸ 0:"))
    let lines = terminal.screen.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= columns })
    if rows > 1 {
      let last = lines[rows - 1]
      // The position, and the length.
      #expect(last.matches(of: /0:(0\d|10)/).count >= 2 && last.contains("0:10"), "\(last)")
      #expect(last.contains { "─▌▐".contains($0) }, "\(last)")
    } else {
      #expect(lines.first?.contains(/^⏸ 0:(0\d|10)/) == true, "\(lines)")
    }
    if rows > 4 { #expect(terminal.screen.contains("e2-44100-cbr160.mp3")) }
    if rows >= 10 { #expect(lines[0].contains("Queue")) }
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `a storm of sizes harms neither screen nor sound`() throws {
    let stage = try Stage("e2-44100-cbr160.mp3")
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.waitFor("playing"))
    let sizes = [(200, 60), (10, 1), (1, 1), (80, 24), (20, 5), (500, 200), (2, 40), (300, 2)]
    var count = 0
    // To the end of the track: a busy machine may interrupt it.
    let isOver = eventually(milliseconds: 1) {
      let (columns, rows) = sizes[count % sizes.count]
      terminal.resize(columns: columns, rows: rows)
      count += 1
      if count == sizes.count { _ = stage.hear(frames: 44100) }
      return stage.lastState?.state == "stopped"
    }
    #expect(isOver && count > sizes.count, "\(count) \(stage.events)")
    terminal.resize(columns: 80, rows: 24)
    #expect(stage.waitFor("stopped finished"))
    #expect(
      stage.see {
        let lines = $0.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count >= 24 && lines[0].hasPrefix(" 0Home 1Queue") && lines[21].contains("  ■ stopped")
          && lines[23].contains("0:10")
      })
    stage.hearAll()
    #expect(stage.listener.heard == [.init(track: 0, frames: 0..<454_230)])
    // A busy machine may make gaps, but the storm makes none after the other.
    #expect(stage.events.count { $0.name == "underrun" } <= 1 || stage.isMachineLate)
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `the spectrum and the meters move with the sound, and rest with it`() throws {
    let stage = try Stage(tracks: [])
    let terminal = try stage.show("--repeat", "one", fixture("e2-44100-cbr160.mp3"))
    #expect(stage.waitFor("playing"))
    let rows = { (screen: String) in
      screen.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(17).prefix(3)
    }
    terminal.press("w")
    #expect(stage.see { rows($0).joined().contains { "▂▃▄▅▆▇█".contains($0) } })
    terminal.press("Space")
    #expect(stage.see { $0.contains("⏸ paused") && rows($0).allSatisfy { $0.allSatisfy { $0 == " " } } })
    terminal.press("w", "Space")
    #expect(stage.see { $0.contains(" L ━") && $0.contains(" R ━") })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `meters of more channels move the rows above them at once`() throws {
    let stage = try Stage(tracks: [])
    let terminal = try stage.show("-o", "visualizer=levels", "--repeat", "one", fixture("ac3-5.1.ac3"))
    var last = ""
    #expect(
      stage.see {
        last = $0
        return $0.contains(" 6 ━") || $0.contains(" 6 ─")
      })
    // Nothing of the rows before is left over, not for a moment. A busy machine may make the short track wait.
    let states = last.split(separator: "\n").filter { $0.contains(" ▶ ac3-5.1.ac3 ") || $0.contains(" waiting") }
    #expect(states.count == 1, "\(last)")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `the keys of shuffle and repeat have visible and audible effects`() throws {
    let stage = try Stage("short-4410.mp3")
    // The first one is long, so that the keys come before its end.
    let terminal = try stage.show(fixture("vbr-60s-without-header.mp3"), fixture("short-4410.mp3"))
    #expect(stage.waitFor("playing"))
    terminal.press("r")
    #expect(stage.see("repeat all"))
    terminal.press("r")
    #expect(stage.see("repeat one"))
    terminal.press("S")
    #expect(stage.see("shuf"))
    terminal.press("b")
    // The short one goes round and round, eight times without a gap: a busy machine may make one before.
    let isGapless = eventually { stage.listener.hasJoined(Array(repeating: 0, count: 8)) }
    #expect(isGapless, "\(stage.listener.runs) \(stage.listener.silences)")
    terminal.press("r")
    #expect(stage.see { !$0.contains("repeat") })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `an address that does not answer is marked, and the log shows the full reason`() throws {
    let stage = try Stage(tracks: [])
    let terminal = try stage.show("http://127.0.0.1:1/radio", fixture("e2-44100-cbr160.mp3"))
    #expect(stage.see("!  1  http://127.0.0.1:1/radio"))
    terminal.press("5")
    #expect(stage.see { $0.contains("nothing answers at") && !$0.contains("…") })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `a lost connection is in the log`() throws {
    let body = contents(of: fixture("e2-44100-cbr160.mp3"))
    let server = try ScriptedServer { request, connection in
      connection.serve(body, request, limit: request.number == 0 ? body.count / 2 : .max)
    }
    let stage = try Stage(tracks: [])
    let terminal = try stage.show(server.address + "/a.mp3")
    #expect(stage.see("1Queue"))
    terminal.press("5")
    #expect(stage.see { $0.contains("connection lost (") })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `a list of 100,000 plays, and scrolls`() throws {
    let stage = try Stage(tracks: [])
    let first = canonical(fixture("vbr-60s-without-header.mp3"))
    let names = [first] + (2...100_000).map { "gone-\($0).mp3" }
    try write(names.joined(separator: "\n").utf8, to: stage.folder("long.m3u"))
    let terminal = try stage.show(stage.folder("long.m3u"))
    #expect(stage.see { $0.contains("▶ ") && $0.contains("1 of 100000") && $0.contains("gone-16.mp3") })
    terminal.press("G")
    #expect(stage.see { $0.contains("gone-100000.mp3") && !$0.contains("gone-16.mp3") })
    terminal.press("PPage")
    #expect(stage.see("gone-99981.mp3"))
    terminal.press("g", "j", "Enter")
    // Missing files are skipped, one after the other, as often as the user presses the key.
    #expect(eventually { stage.events.contains { $0.name == "error" && $0.line.contains("No such file") } })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }
}
