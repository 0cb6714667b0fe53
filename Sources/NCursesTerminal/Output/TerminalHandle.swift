internal import Glibc

/// A terminal that one process hands to another: its descriptors, and the variables that describe it.
public struct TerminalHandle: Sendable {
  /// The descriptors of keys and screen.
  public var input, output: CInt
  /// A descriptor of the screen whose writes never block; `nil` to open one.
  public var writer: CInt?
  /// The variables of the environment; `nil`: those of this process.
  public var variables: [String: String]?

  public init(input: CInt = 0, output: CInt = 1) {
    (self.input, self.output) = (input, output)
  }

  /// A terminal that another process has handed over: `descriptors` of that process and the variables there.
  public init?(descriptors: [CInt], variables: [String: String]) {
    guard descriptors.count == 3 else { return nil }
    (input, output, writer) = (descriptors[0], descriptors[1], descriptors[2])
    self.variables = variables
  }

  public var descriptors: [CInt] { [input, output] + (writer.map { [$0] } ?? []) }

  /// The descriptors to hand over, with a writer that is opened for that; `nil` if it cannot be opened.
  public func makeDescriptors() -> [CInt]? {
    let writer = openForWriting(output)
    return writer < 0 ? nil : [input, output, writer]
  }

  /// The variables to hand over.
  public static func makeVariables() -> [String: String] {
    let pairs = variableNames.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}

/// All variables that describe a terminal.
private let variableNames = [
  "TERM", "COLORTERM", "COLORFGBG", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
  "VTE_VERSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION", "ConEmuANSI", "TMUX", "STY", "SSH_CONNECTION",
]

// Safety: written when a terminal is taken over, on the main thread, like all of ncurses. `setenv` is no way: other
// threads read the environment.
nonisolated(unsafe) private var variables: [String: String]?

/// A variable of the environment of the terminal; empty if it is not set.
func environment(_ name: String) -> String {
  assert(variableNames.contains(name), "\(name) is not handed over with a terminal")
  if let variables { return variables[name] ?? "" }
  return getenv(name).map { String(cString: $0) } ?? ""
}

/// Makes `environment` answer for another terminal.
func describeTerminal(by new: [String: String]?) { variables = new }

/// Opens a terminal again for writes that never block: other programs on it do not expect O_NONBLOCK. -1 without the
/// permission.
func openForWriting(_ output: CInt) -> CInt {
  open("/proc/self/fd/\(output)", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
}
