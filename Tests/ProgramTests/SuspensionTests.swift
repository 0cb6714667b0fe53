import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Ctrl-Z in a real terminal.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Ctrl-Z in a terminal` {
  private let command = "\(Program.path) --output null \(fixture("vbr-60s-without-header.mp3"))"

  @Test func `without a shell that could continue the program, it continues by itself`() throws {
    // Not tmux itself, which continues stopped programs.
    let terminal = try Tmux("python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' \(command)")
    #expect(eventually { terminal.screen.contains("▶ playing") })
    terminal.press("C-z")
    terminal.press("I")  // The log.
    #expect(eventually { terminal.screen.contains("paused (suspended)") })
    #expect(eventually { terminal.screen.contains("▶ playing") })
  }

  @Test(arguments: [["fg"], ["bg", "fg"]])
  func `after a stop from outside it continues unchanged`(commands: [String]) throws {
    let stage = try Stage(tracks: [])
    let terminal = try stage.show(fixture("vbr-60s-without-header.mp3"))
    #expect(stage.see("▶ playing"))
    stage.signal(SIGSTOP)
    #expect(stage.see("Stopped"))
    terminal.press("stty sane", "Enter")
    for command in commands {
      terminal.press(command, "Enter")
      #expect(command == "fg" || stage.see("&"))
    }
    #expect(stage.see { $0.hasPrefix(" 1 Queue") && !$0.contains("Stopped") && !$0.contains("fg") })
    terminal.press("Space")
    #expect(stage.see("⏸ paused"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `bg plays on without a screen, and fg brings it back`() throws {
    let terminal = try Tmux("PS1='ready$ ' bash --norc --noprofile")
    #expect(eventually { terminal.screen.contains("ready$") })
    terminal.press(command, "Enter")
    #expect(eventually { terminal.screen.contains("▶ playing") })
    terminal.press("C-z")
    #expect(eventually { terminal.screen.contains("Stopped") && !terminal.screen.contains("▶ playing") })
    terminal.press("bg", "Enter")
    #expect(eventually { terminal.screen.contains("[1]+ ") && terminal.screen.contains("&") })
    terminal.press("fg", "Enter")
    #expect(eventually { terminal.screen.contains("▶ playing") })
    terminal.press("q")
    #expect(eventually { terminal.screen.contains("ready$") && !terminal.screen.contains("▶ playing") })
  }
}
