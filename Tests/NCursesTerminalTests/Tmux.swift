import Glibc

/// `TerminalProbe` in a tmux of its own, which says what a listener would see.
final class Tmux {
  private let folder: String

  init(columns: Int = 80, rows: Int = 24, environment: [String] = []) throws {
    var template = Array("/tmp/segue-tmux-XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else { throw Failure(what: "no temporary folder") }
    folder = String(cString: path)
    let variables = (["LC_ALL=C.UTF-8"] + environment).map { "-e '\($0)'" }.joined(separator: " ")
    // tmux itself gets a locale that does not depend on the machine's.
    tmux(
      "-u -f /dev/null new-session -d -x \(columns) -y \(rows) \(variables) "
        + "'echo shell; exec 3>\(folder)/commands; \(probePath) 2>/dev/null; exit'")
  }

  deinit {
    tmux("kill-server")
    for name in ["commands", "socket"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  @discardableResult
  private func tmux(_ arguments: String) -> String {
    // The threads that run tests block signals; tmux and what runs in it must not inherit that.
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    guard let stream = popen("LC_ALL=C.UTF-8 tmux -S \(folder)/socket \(arguments) 2>&1", "r") else { return "" }
    defer { pclose(stream) }
    var text = ""
    while true {
      let part = chunk(from: fileno(stream))
      if part.isEmpty { return text }
      text += part
    }
  }

  /// Keys by tmux's names.
  func press(_ keys: String) { tmux("send-keys \(keys)") }

  /// Bytes as they are.
  func send(_ text: String) {
    tmux("send-keys -H " + text.utf8.map { String($0, radix: 16) }.joined(separator: " "))
  }

  func resize(columns: Int, rows: Int) { tmux("resize-window -x \(columns) -y \(rows)") }

  var screen: String { tmux("capture-pane -p") }

  /// What the window is called.
  var title: String { tmux("display-message -p '#{pane_title}'") }

  /// The probe, which tmux itself would not let sleep were it its own child.
  var process: pid_t { lines.first.flatMap { pid_t($0) } ?? 0 }

  /// What the screen asked its root to do, but for what it wants to know.
  var commands: [String] { lines.dropFirst().filter { !$0.hasPrefix("requestFacts") } }

  private var lines: [String] {
    let descriptor = open("\(folder)/commands", O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return chunk(from: descriptor).split(separator: "\n").map(String.init)
  }

  /// Waits until `condition` holds; whether it does before ten seconds are over.
  func wait(until condition: (Tmux) -> Bool) -> Bool {
    for _ in 0..<200 {
      if condition(self) { return true }
      usleep(50_000)
    }
    return condition(self)
  }
}
