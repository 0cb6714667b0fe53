internal import Glibc

/// A private tmux with one window, which shows its screen.
public final class Tmux: Sendable {
  private let folder: TemporaryFolder

  /// Runs a command line in a window of that size.
  public init(
    columns: Int = 80, rows: Int = 24, environment: [String: String?] = [:], _ command: String
  ) throws {
    folder = try TemporaryFolder()
    tmux(
      ["-u", "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command],
      environment: environment)
  }

  deinit { tmux(["kill-server"]) }

  /// The first call starts the server, which keeps the environment for its windows.
  @discardableResult
  private func tmux(_ arguments: [String], environment: [String: String?] = [:]) -> String {
    let ours: [String: String?] = ["LC_ALL": "C.UTF-8", "TMUX": nil]
    let output = try? ChildProcess.output(
      of: ["tmux", "-S", folder("socket")] + arguments, environment: ours.merging(environment) { $1 })
    return output ?? ""
  }

  /// Keys by tmux's names.
  public func press(_ keys: String...) { press(keys) }

  /// Keys by tmux's names.
  public func press(_ keys: [String]) { tmux(["send-keys"] + keys) }

  /// Bytes as they are.
  public func send(_ text: String) { tmux(["send-keys", "-H"] + text.utf8.map { String($0, radix: 16) }) }

  /// The bytes of a file, as if they were pasted: in brackets if the program has asked for those.
  public func paste(_ path: String, inBrackets: Bool = false) {
    tmux(["load-buffer", path])
    tmux(["paste-buffer", "-r"] + (inBrackets ? ["-p"] : []))
  }

  /// Gives the window another size.
  public func resize(columns: Int, rows: Int) { tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"]) }

  /// The visible screen, a line per row.
  public var screen: String { tmux(["capture-pane", "-p"]) }

  /// The same with the sequences that say how it looks.
  public var styledScreen: String { tmux(["capture-pane", "-p", "-e"]) }

  /// A variable of the window, such as `pane_title`.
  public subscript(variable: String) -> String {
    String(tmux(["display-message", "-p", "#{\(variable)}"]).dropLast())
  }
}
