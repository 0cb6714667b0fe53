import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Ctrl-Z in a real terminal.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Ctrl-Z in a terminal` {
  private let command = "\(Program.path) --output null \(fixture("vbr-60s-without-header.mp3"))"
  private let folder: TemporaryFolder
  /// No settings, session or other player.
  private var environment: [String: String?] { ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder.path] }

  init() throws { folder = try TemporaryFolder() }

  private func see(
    _ terminal: Tmux, at place: SourceLocation = #_sourceLocation, _ condition: (String) -> Bool
  ) {
    let isSeen = eventually(milliseconds: 50) { condition(terminal.screen) }
    #expect(isSeen, "\(terminal.screen)", sourceLocation: place)
  }

  @Test func `without a shell that could continue the program, it continues by itself`() throws {
    // Not tmux itself, which continues stopped programs.
    let terminal = try Tmux(
      environment: environment, "python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \(command)")
    see(terminal) { $0.contains("▶ ") }
    terminal.press("C-z")
    terminal.press("I")  // The log.
    see(terminal) { $0.contains("paused (suspended)") }
    see(terminal) { $0.contains("▶ ") }
  }

  @Test(arguments: [["fg"], ["bg", "fg"]])
  func `after a stop from outside it continues unchanged`(commands: [String]) throws {
    let stage = try Stage(tracks: [])
    let terminal = try stage.show(fixture("vbr-60s-without-header.mp3"))
    #expect(stage.see("▶ "))
    stage.signal(SIGSTOP)
    #expect(stage.see("Stopped"))
    terminal.press("stty sane", "Enter")
    for command in commands {
      terminal.press(command, "Enter")
      #expect(command == "fg" || stage.see("&"))
    }
    #expect(stage.see { $0.hasPrefix(" 0Home 1Queue") && !$0.contains("Stopped") && !$0.contains("fg") })
    terminal.press("Space")
    #expect(stage.see("⏸ paused"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test(arguments: [240_000, 280_000, 300_000])
  func `a player that is stopped until the server has nothing left plays the rest of the track`(stop: Int) throws {
    let track = try Program.decode(fixture("e2-44100-cbr160.mp3"))
    let stage = try Stage(tracks: [track])
    let player = try stage.play(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: stop))
    player.signal(SIGSTOP)
    var (count, last) = (0, -1)
    while count > last {
      usleep(700_000)
      (last, count) = (count, stage.listener.heard.reduce(0) { $0 + $1.frames.count })
    }
    player.signal(SIGCONT)
    #expect(stage.end() == 0)
    stage.hearAll()
    #expect(stage.listener.heard == [.init(track: 0, frames: 0..<track.count)], "\(stage.listener.runs)")
  }

  @Test func `bg plays on without a screen, and fg brings it back`() throws {
    let terminal = try Tmux(environment: environment, "PS1='ready$ ' bash --norc --noprofile")
    see(terminal) { $0.contains("ready$") }
    terminal.press(command, "Enter")
    see(terminal) { $0.contains("▶ ") }
    terminal.press("C-z")
    see(terminal) { $0.contains("Stopped") && !$0.contains("▶ ") }
    terminal.press("bg", "Enter")
    see(terminal) { $0.contains("[1]+ ") && $0.contains("&") }
    terminal.press("fg", "Enter")
    see(terminal) { $0.contains("▶ ") }
    terminal.press("q")
    see(terminal) { $0.contains("ready$") && !$0.contains("▶ ") }
  }
}
