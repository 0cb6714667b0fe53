import Glibc
import SoundServerSupport
import Testing

/// `TerminalProbe` on a pseudo-terminal of its own.
final class ProbeOnTerminal {
  let terminal: PseudoTerminal
  let process: ChildProcess
  private let folder: TemporaryFolder

  /// - Parameter arguments: Those of the probe.
  init(
    environment: [String: String?] = [:], cellSize: (width: Int, height: Int) = (0, 0), arguments: String = ""
  ) throws {
    folder = try TemporaryFolder()
    terminal = try PseudoTerminal(cellSize: cellSize)
    let environment = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"].merging(environment) { $1 }
    process = try ChildProcess(
      ["sh", "-c", "exec $0 \(arguments) 3> $1", ChildProcess.product("TerminalProbe"), folder("commands")],
      environment: environment, output: .terminal(terminal))
  }

  /// All that has been written to the terminal.
  var output: String { terminal.output }

  /// The commands of the screen, one per line.
  var commands: String { String(decoding: contents(of: folder("commands")), as: UTF8.self) }

  func send(_ text: String) { terminal.send(text) }

  /// Waits until `condition` holds; records the last output if it never does.
  func wait(at place: SourceLocation = #_sourceLocation, until condition: (ProbeOnTerminal) -> Bool) -> Bool {
    let holds = waitUntil { condition(self) }
    if !holds {
      Issue.record("written last: \(output.suffix(4000).debugDescription)\n\(commands)", sourceLocation: place)
    }
    return holds
  }

  /// Waits for some output: the output of an ended process takes a moment to be read.
  func writes(_ text: String, at place: SourceLocation = #_sourceLocation) -> Bool {
    wait(at: place) { $0.output.contains(text) }
  }

  /// The output during the next milliseconds.
  func output(milliseconds: UInt32) -> [UInt8] {
    let count = terminal.bytes.count
    usleep(milliseconds * 1000)
    return Array(terminal.bytes.dropFirst(count))
  }

  /// The exit status, or minus the number of the signal, once it has ended; `nil` if it never does.
  func waitForExit() -> CInt? { waitUntil { process.isOver } ? process.wait() : nil }
}
