import Testing

@testable import NCursesTerminal

/// To whom addresses are links.
struct LinkTests {
  @Test(arguments: [
    (["TERM": "xterm-256color"], false), (["TERM": "linux"], false), (["TERM": "dumb", "WT_SESSION": "1"], false),
    (["TERM": "xterm-kitty"], true), (["TERM": "foot"], true), (["TERM": "foot-extra"], true),
    (["TERM": "xterm-256color", "VTE_VERSION": "6800"], true),
    (["TERM": "xterm-256color", "VTE_VERSION": "4800"], false),
    (["TERM": "xterm-256color", "VTE_VERSION": "x"], false),
    (["TERM": "xterm-256color", "KONSOLE_VERSION": "220401"], true),
    (["TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"], true),
    // The terminal that started tmux or screen is not the one that shows them.
    (["TERM": "screen", "TERM_PROGRAM": "ghostty"], false), (["TERM": "xterm-kitty", "STY": "1.x"], false),
    (["TERM": "xterm-kitty", "TMUX": "x"], false), (["TERM": "tmux-256color", "VTE_VERSION": "6800"], false),
    (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.3a"], false),
    (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.4"], true),
    (["TERM": "xterm-kitty", "TMUX": "x", "TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "next-3.10"], true),
    (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux"], false),
  ]) func `only terminals that are known for it get links`(environment: [String: String], expected: Bool) {
    #expect(showsLinks { environment[$0] ?? "" } == expected)
  }
}
