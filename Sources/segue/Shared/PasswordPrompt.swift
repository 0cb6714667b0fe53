internal import Commands
internal import Desk
internal import Glibc

enum PasswordPrompt {
  /// The first line of standard input, which a terminal does not show while it is typed; `nil` if there is none, or after
  /// Ctrl-C.
  static func read(_ question: String) -> String? {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return readLine() }
    var silent = before
    // Without signals, so that no terminal stays silent: Ctrl-C ends the line instead.
    silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
    let interrupt: cc_t = 3
    withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    try? FileWriter(descriptor: STDERR_FILENO).write(Array(question.printable.utf8))
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
      try? FileWriter(descriptor: STDERR_FILENO).write([0x0a])
    }
    guard let line = readLine(strippingNewline: true), !line.utf8.contains(interrupt) else { return nil }
    return line
  }
}
