import SoundServerSupport
import TestTraits
import Testing

/// Every key and every use of the mouse, on the real program.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `The tables of keys` {
  private let folder: TemporaryFolder
  private let tmux: Tmux

  /// Four tracks: one of three minutes, and three of one, which do not end before all is seen. Without colours, so that
  /// only the selected row is reversed.
  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let minute = contents(of: fixture("vbr-60s-without-header.mp3"))
    try write(minute + minute + minute, to: folder("0.mp3"))
    for name in ["1", "2", "3"] { try write(minute, to: folder("\(name).mp3")) }
    let files = ["0", "1", "2", "3"].map { "'\(folder("\($0).mp3"))'" }.joined(separator: " ")
    let environment = "TERM=screen NO_COLOR=1 LC_ALL=C.UTF-8 SEGUE_HOME=\(folder("home"))"
    let tmux = try Tmux("exec env \(environment) '\(canonical(Program.path))' --output null \(files)")
    self.tmux = tmux
    try #require(eventually(milliseconds: 50) { tmux.screen.contains("▶ ") })
  }

  private var screen: String { tmux.screen }
  private var slider: Substring { screen.split(separator: "\n").last ?? "" }
  /// The name of the selected row.
  private var selected: String {
    let row = tmux.styledScreen.split(separator: "\n").first { $0.contains("7m") || $0.contains("48;") }
    return row.map { row in ["0.mp3", "1.mp3", "2.mp3", "3.mp3"].first { row.contains($0) } ?? "" } ?? ""
  }

  private func see(_ what: String, after keys: [String], _ condition: () -> Bool) {
    let isSeen = eventually(milliseconds: 30, condition)
    #expect(isSeen, "\(keys): \(what)\n\(screen)")
  }

  /// Presses a key, and waits for a text on the screen.
  private func press(_ keys: String..., see text: String) {
    tmux.press(keys)
    see(text, after: keys) { screen.contains(text) }
  }

  /// Presses keys, which may be pressed again, until the screen says a sentence.
  private func press(_ keys: String..., says text: String) {
    #expect(isSaid(text, on: tmux) { tmux.press(keys) }, "\(keys): \(text)\n\(screen)")
  }

  private func press(_ keys: String..., missing text: String) {
    tmux.press(keys)
    see("no " + text, after: keys) { !screen.contains(text) }
  }

  private func press(_ keys: String..., selects name: String) {
    tmux.press(keys)
    see("selects \(name)", after: keys) { selected == name }
  }

  private func press(_ keys: String..., at time: String) {
    tmux.press(keys)
    see("at \(time)", after: keys) { slider.hasPrefix(" \(time) ") }
  }

  /// A command, letter by letter, and where that leads.
  private func say(_ command: String, at time: String) {
    tmux.send(":\(command)\r")
    see("at \(time)", after: [command]) { slider.hasPrefix(" \(time) ") }
  }

  @Test func `playing: pause, play, stop, next, previous, shuffle, repeat, volume`() {
    press("Space", see: "⏸ paused")
    press("p", see: "▶ ")
    press("c", see: "⏸ paused")
    press("x", see: "▶ ")
    press("v", see: "■ stopped")
    press("x", see: "▶ ")
    press("s", see: "■ stopped")
    press("b", see: "2 of 4")
    press(">", see: "3 of 4")
    press("z", see: "2 of 4")
    press("<", see: "1 of 4")
    press("S", see: "shuffle")
    press("S", missing: "shuffle")
    for words in ["repeat all", "repeat one"] { press("r", see: words) }
    press("r", missing: "repeat")
    press("X", see: "track 1 of 4  stops after this")
    press("-", see: " 95%")
    press("[", see: " 94%")
    press("]", see: " 95%")
    press("+", see: "100%")
    press("-", see: " 95%")
    press("=", see: "100%")
    press("m", see: "muted")
    press("m", see: "100%")
  }

  @Test func `seeking: by seconds and minutes, with the slider, with marks, and back`() {
    press("c", see: "⏸ paused")
    say("seek 20", at: "0:20")
    press("Right", at: "0:25")
    press("l", at: "0:30")
    press("Left", at: "0:25")
    press("h", at: "0:20")
    press("S-Right", at: "0:21")
    press("S-Left", at: "0:20")
    press(".", at: "1:20")
    press("'", see: "A")
    press(",", at: "0:20")
    say("seek 2:00", at: "2:00")
    press("BSpace", at: "0:20")
    say("seek 1:22", at: "1:22")
    press("'", see: "B")
    tmux.press("'")
    see("no marks", after: ["'"]) { !slider.contains("A") && !slider.contains("B") }
    press("Tab", see: "●")
    tmux.press("PPage")
    // The ghost is there for less than a second.
    see("a ghost, or where it leads", after: ["PPage"]) { slider.contains("○") || slider.hasPrefix(" 1:40 ") }
    press("0", "Enter", at: "0:00")
    press("Right", "Enter", at: "0:05")
    press("Home", "Enter", at: "0:00")
    press("5", see: " 1:30 ")
    // Nothing more is pressed: it goes there by itself.
    see("at 1:30", after: ["5"]) { slider.hasPrefix(" 1:30 ") && !slider.contains("○") }
    press("Tab", missing: "●")
    press("t", at: "-1:30")
    press("t", at: "1:30")
  }

  @Test func `lists: moving, searching, views`() {
    press("c", see: "⏸ paused")
    press("Down", selects: "1.mp3")
    press("j", selects: "2.mp3")
    press("Up", selects: "1.mp3")
    press("k", selects: "0.mp3")
    for (down, up) in [("NPage", "PPage"), ("G", "g"), ("End", "Home"), ("C-d", "C-u"), ("C-f", "C-b")] {
      press(down, selects: "3.mp3")
      press(up, selects: "0.mp3")
    }
    press("/", "2", ".", "m", "Enter", selects: "2.mp3")
    press("i", selects: "0.mp3")
    press("n", selects: "2.mp3")
    press("g", selects: "0.mp3")
    press("N", selects: "2.mp3")
    press("f", "3", "Enter", see: "filter: 3")
    press("Escape", missing: "filter")
    press("3", see: "/")
    press("4", see: "No stations yet")
    press("5", see: "paused")
    press("6", see: "reader")
    press("1", see: "Title")
    press("I", see: "playing")
    press("I", see: "Title")
    press("?", see: "pause or resume")
    press("Escape", see: "Title")
    press("F1", see: "pause or resume")
    press("1", see: "Title")
    press("o", see: ":open")
    press("Escape", missing: ":open")
    press(":", "v", "o", "l", "Tab", see: ":volume")
    press("4", "0", "Enter", see: " 40%")
    press(":", "Up", see: ":volume 40")
    press("Escape", missing: ":volume")
    press("C-l", see: "Title")
    press("F7", says: "F7 is not bound")
  }

  @Test func `the queue: play, add, enqueue, play next, remove, move, undo, quit`() {
    press("c", see: "⏸ paused")
    press("j", "Enter", see: "2 of 4")
    press("c", see: "⏸ paused")
    press("a", says: "1.mp3 plays now")
    press("j", "a", see: "   4  2.mp3")
    press("u", see: "   3  2.mp3")
    press("d", see: "2 of 3")
    press("u", see: "2 of 4")
    press("DC", see: "2 of 3")
    press("u", see: "2 of 4")
    press("g", selects: "0.mp3")
    press("J", see: "   2  0.mp3")
    press("K", see: "   1  0.mp3")
    press("G", "e", see: "   3  3.mp3")
    press("G", "E", see: "   3  2.mp3")
    tmux.press("q")
    #expect(eventually { screen.isEmpty })
  }

  @Test func `the mouse: click, drag, wheels, double click, right button`() throws {
    press("c", see: "⏸ paused")
    say("seek 20", at: "0:20")
    let bar = { (place: Int, kind: Int, end: String) in tmux.send("\u{1b}[<\(kind);\(place);24\(end)") }
    // Of the bar the first column is the very start.
    bar(7, 0, "M")
    bar(7, 0, "m")
    see("at 0:00", after: ["click"]) { slider.hasPrefix(" 0:00 ") }
    bar(20, 0, "M")
    bar(40, 32, "M")
    see("a ghost", after: ["drag"]) { slider.contains("○") && slider.hasPrefix(" 0:00 ") }
    bar(40, 0, "m")
    see("there", after: ["release"]) { slider.hasPrefix(" 1:4") && !slider.contains("○") }
    // The same way: a fourth of it with Shift, a 22nd of it eleven rows away.
    for (kind, row, time) in [(32 + 4, 24, "0:57"), (32, 13, "0:44")] {
      bar(20, 0, "M")
      tmux.send("\u{1b}[<\(kind);40;\(row)M")
      see("a finer ghost", after: ["drag"]) { slider.contains(" \(time) ") && slider.contains("○") }
      tmux.send("\u{1b}[<0;40;\(row)m")
      see("there", after: ["release"]) { slider.hasPrefix(" \(time) ") && !slider.contains("○") }
    }
    say("seek 20", at: "0:20")
    bar(30, 64, "M")
    see("at 0:25", after: ["wheel"]) { slider.hasPrefix(" 0:25 ") }
    bar(30, 65 + 4, "M")
    see("at 0:24", after: ["wheel with Shift"]) { slider.hasPrefix(" 0:24 ") }
    bar(79, 65, "M")
    see("95%", after: ["wheel on the volume"]) { screen.contains(" 95%") }
    tmux.send("\u{1b}[<0;10;6M\u{1b}[<0;10;6m")
    see("selects 2", after: ["click"]) { selected == "2.mp3" }
    tmux.send("\u{1b}[<0;10;5M\u{1b}[<0;10;5m\u{1b}[<0;10;5M\u{1b}[<0;10;5m")
    see("plays 1", after: ["double click"]) { screen.contains("▶ ") && screen.contains("2 of 4") }
    tmux.send("\u{1b}[<2;10;5M\u{1b}[<2;10;5m")
    see("paused", after: ["right button"]) { screen.contains("⏸ paused") }
    let header = screen.prefix { $0 != "\n" }
    let column = try #require(header.firstRange(of: "Files").map { header[..<$0.lowerBound].count + 1 })
    tmux.send("\u{1b}[<0;\(column);1M\u{1b}[<0;\(column);1m")
    see("Files", after: ["click on a view"]) { screen.contains("♪") || screen.contains("../") }
    press("?", see: "First steps")
    tmux.send("\u{1b}[<65;10;6M")
    see("scrolled", after: ["wheel on a list"]) { !screen.contains("First steps") }
    tmux.send("\u{1b}[<64;10;6M")
    see("scrolled back", after: ["wheel on a list"]) { screen.contains("First steps") }
  }

  @Test func `leaving: Ctrl-Z stops for a while, Ctrl-C ends, a command ends without saving`() throws {
    let shell = try Tmux("PS1='ready$ ' bash --norc --noprofile")
    let start = { (names: [String], seen: String) in
      let files = names.map { "'\(folder($0))'" }.joined(separator: " ")
      shell.send("clear; SEGUE_HOME='\(folder("left"))' '\(canonical(Program.path))' --output null \(files)\r")
      #expect(eventually(milliseconds: 50) { shell.screen.contains(seen) }, "\(shell.screen)")
    }
    let isBack = { eventually(milliseconds: 50) { shell.screen.contains("ready$") && !shell.screen.contains(" of ") } }
    #expect(eventually(milliseconds: 50) { shell.screen.contains("ready$") })
    start(["0.mp3", "2.mp3"], "1 of 2")
    shell.press("C-z")
    #expect(eventually(milliseconds: 50) { shell.screen.contains("Stopped") && !shell.screen.contains(" of ") })
    shell.send("fg\r")
    #expect(eventually(milliseconds: 50) { shell.screen.contains("▶ ") })
    shell.press("C-c")
    #expect(isBack())
    start(["3.mp3"], "1 of 1")
    shell.send(":quit without-saving\r")
    #expect(isBack())
    start([], " of 2")
    shell.press("q")
    #expect(isBack())
  }
}
