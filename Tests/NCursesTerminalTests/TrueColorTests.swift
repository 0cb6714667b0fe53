import SoundServerSupport
import Testing

/// True colour on the real screen, with terminfo entries of 256 colours and no others.
@Suite(.serialized) struct TrueColorTests {
  private let folder: TemporaryFolder

  /// Entries as kitty and foot have them: with colons, as in ISO 8613-6.
  init() throws {
    folder = try TemporaryFolder()
    let changes = #"s/^xterm-256color/xterm-kitty|foot/;s/\([34]8\);5;/\1\\:5\\:/g"#
    let command = "infocmp -x xterm-256color | sed \"$1\" > $0/entry && tic -x -o $0 $0/entry"
    let compile = try ChildProcess(["sh", "-c", command, folder.path, changes])
    #expect(compile.wait() == 0)
  }

  private func probe(_ term: String, colorTerm: String? = nil, arguments: String = "") throws -> ProbeOnTerminal {
    let none = ["TMUX", "STY", "KITTY_WINDOW_ID", "TERM_PROGRAM", "VTE_VERSION"].map { ($0, String?.none) }
    let environment = ["TERM": term, "COLORTERM": colorTerm, "NO_COLOR": "", "TERMINFO": folder.path]
    return try ProbeOnTerminal(
      environment: environment.merging(none) { first, _ in first }, arguments: arguments)
  }

  @Test(arguments: ["xterm-256color", "xterm", "foot"])
  func `COLORTERM is enough`(term: String) throws {
    let probe = try probe(term, colorTerm: "truecolor")
    #expect(probe.writes("80%") && probe.output.contains("\u{1b}[38;2;"))
    #expect(!probe.output.contains(/\u{1b}\[[34]8[;:]5/), "not a name of a pair is left")
    #expect(!probe.output.contains("\u{1b}[>q"))
  }

  @Test(arguments: [
    ("xterm-kitty", "kitty(0.21.2)"), ("xterm-256color", "kitty(0.21.2)"), ("xterm-256color", "foot(1.16.2)"),
  ])
  func `the name of the terminal is enough`(term: String, name: String) throws {
    let probe = try probe(term)
    #expect(probe.writes("80%") && probe.writes("\u{1b}[>q"))
    #expect(!probe.output.contains("8;2;"), "the first screen does not wait")
    probe.send("\u{1b}P>|\(name)\u{1b}\\")
    #expect(probe.writes("\u{1b}[38;2;"))
  }

  @Test(arguments: ["", "\u{1b}P>|XTerm(379)\u{1b}\\"])
  func `other terminals keep their palette`(answer: String) throws {
    let probe = try probe("xterm-256color")
    #expect(probe.writes("80%") && probe.writes("\u{1b}[>q"))
    probe.send(answer + " ")
    #expect(probe.writes("⏸") && probe.output.contains("38;5;"))
    #expect(!probe.output.contains("8;2;"))
  }

  @Test func `screen is not asked, and what it passes on of another terminal does not count`() throws {
    let probe = try probe("screen-256color", colorTerm: "truecolor")
    #expect(probe.writes("80%") && probe.output.contains("38;5;"))
    #expect(!probe.output.contains("8;2;") && !probe.output.contains("\u{1b}[>q"))
  }

  @Test func `a cover has colours beyond the palette, and new ones after another track`() throws {
    let probe = try probe("foot", colorTerm: "truecolor", arguments: "9 colors")
    #expect(probe.writes("80%"))
    probe.send("8")
    // Red and green of the cover's pixels: more than the palette's six levels of each.
    #expect(
      probe.wait {
        let colors = $0.output.matches(of: /38;2;\d+;\d+;\d+;48;2;\d+;\d+;\d+m/).map(\.output)
        return Set(colors).count > 300
      })
    #expect(!probe.output.contains(/\u{1b}\[[34]8[;:]5/))
  }
}
