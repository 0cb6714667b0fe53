import Glibc
import SoundServerSupport
import Testing

/// `TerminalProbe` in a private tmux, which shows its screen.
final class ProbeInTmux {
  private let folder: TemporaryFolder
  private let tmux: Tmux

  init(environment: [String: String?] = [:]) throws {
    folder = try TemporaryFolder()
    let locale = ["LC_ALL": "C.UTF-8"].merging(environment) { $1 }
    tmux = try Tmux(
      environment: locale,
      "echo shell; exec 3>\(folder("commands")); \(ChildProcess.product("TerminalProbe")) 2>/dev/null; exit")
  }

  /// Keys by tmux's names.
  func press(_ keys: String...) { tmux.press(keys) }

  /// Bytes as they are.
  func send(_ text: String) { tmux.send(text) }

  /// Writes on the terminal past the probe.
  func spoil(_ text: String) {
    let terminal = open(tmux["pane_tty"], O_WRONLY | O_NOCTTY)
    defer { close(terminal) }
    _ = Array(text.utf8).withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
  }

  func resize(columns: Int, rows: Int) { tmux.resize(columns: columns, rows: rows) }

  var screen: String { tmux.screen }
  /// With the sequences that say how it looks.
  var styledScreen: String { tmux.styledScreen }

  /// The styled screen once ncurses has taken the terminal over again, and painted everything itself.
  func screenDrawnByNCurses() -> String {
    press("C-z")
    guard wait(until: { $0.screen.hasPrefix("shell\n") }), resume() else { return "" }
    return wait { $0.screen.contains("80%") } ? styledScreen : ""
  }

  /// Lets the probe continue once it has stopped, which it does after the terminal is the shell's.
  func resume() -> Bool { wait { ChildProcess.state(of: $0.process) == "T" } && kill(process, SIGCONT) == 0 }

  var title: String { tmux["pane_title"] }

  /// The probe, which tmux itself would not let sleep were it its own child.
  var process: pid_t { lines.first.flatMap { pid_t($0) } ?? 0 }

  /// The commands of the screen, without its requests.
  var commands: [String] { lines.dropFirst().filter { !$0.hasPrefix("ask(") } }

  private var lines: [String] {
    String(decoding: contents(of: folder("commands")), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Waits until `condition` holds; records the screen if it never does.
  func wait(at place: SourceLocation = #_sourceLocation, until condition: (ProbeInTmux) -> Bool) -> Bool {
    let holds = waitUntil(milliseconds: 50) { condition(self) }
    if !holds { Issue.record("seen instead:\n\(styledScreen)\n\(commands)", sourceLocation: place) }
    return holds
  }
}
