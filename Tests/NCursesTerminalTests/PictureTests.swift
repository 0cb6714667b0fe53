import Foundation
import Pictures
import Testing

/// Covers on the real screen: what is sent to the terminal is decoded to the pixels of the cover.
@Suite(.serialized) struct TerminalPictureTests {
  /// The cover of the probe's tracks.
  private let cover = Picture(
    width: 60, height: 30,
    bytes: (0..<1800).flatMap { (pixel: Int) -> [UInt8] in [UInt8(pixel % 60 * 4 + 3), UInt8(pixel / 60 * 8 + 7), 191] }
  )

  /// The view Cover in a terminal that answers like this.
  private func probe(
    _ environment: [String: String?] = [:], question: String = "80%", answer: String = ""
  ) throws -> ProbeOnTerminal {
    let none: [String: String?] = [
      "TMUX": nil, "STY": nil, "KITTY_WINDOW_ID": nil, "TERM_PROGRAM": nil, "COLORTERM": nil, "SSH_CONNECTION": nil,
    ]
    let probe = try ProbeOnTerminal(environment: none.merging(environment) { $1 }, cellSize: (8, 16))
    #expect(probe.writes(question) && probe.writes("80%"))
    probe.send(answer + "8")
    return probe
  }

  // MARK: kitty

  private func kitty(version: String = "0.32.1") throws -> ProbeOnTerminal {
    try probe(["KITTY_WINDOW_ID": "1"], question: "\u{1b}[>q", answer: "\u{1b}P>|kitty(\(version))\u{1b}\\")
  }

  /// Waits for the last placeholder: marks of its row and column follow it.
  private func showsPlaceholders(_ probe: ProbeOnTerminal) -> Bool {
    probe.wait {
      let parts = $0.output.unicodeScalars.split(separator: "\u{10eeee}", omittingEmptySubsequences: false)
      return parts.count == 68 * 17 + 1 && parts.last.map { $0.count >= 2 } == true
    }
  }

  @Test func `kitty gets the pixels once, and a placeholder for each cell`() throws {
    let cover = try #require(cover)
    let probe = try kitty()
    #expect(showsPlaceholders(probe))
    let parts = probe.output.matches(of: /\u{1b}_G([^;\u{1b}]*);([^\u{1b}]*)\u{1b}\\/)
    let first = try #require(parts.first?.1)
    let keys = Dictionary(
      first.split(separator: ",").map { ($0.prefix(1), $0.dropFirst(2)) }, uniquingKeysWith: { $1 })
    #expect(keys["a"] == "T" && keys["U"] == "1" && keys["f"] == "24" && keys["s"] == "60" && keys["v"] == "30")
    let data = try #require(Data(base64Encoded: parts.map(\.2).joined()))
    #expect(Array(data) == cover.bytes)
    #expect(parts.allSatisfy { $0.2.utf8.count <= 4096 })
    // In cells of 8 x 16 pixels, 68 x 17 of the 80 x 17 cells have its proportions.
    #expect(keys["c"] == "68" && keys["r"] == "17")
    let scalars = Array(probe.output.unicodeScalars)
    let cells = scalars.indices.filter { scalars[$0] == "\u{10eeee}" }.map { Array(scalars[$0 + 1...$0 + 2]) }
    #expect(cells.count == 68 * 17 && Set(cells).count == cells.count)
    #expect(cells.first == ["\u{305}", "\u{305}"])
    let number = try #require(keys["i"])
    // The terminal has named itself as one with any RGB colour.
    #expect(
      probe.output.contains("\u{1b}[38;2;0;0;\(number);49m"), "the colour of the cells is the number of the picture")
    // Leaving the view makes the terminal forget it.
    probe.send("1")
    #expect(probe.writes("\u{1b}_Ga=d,d=I,i=\(number),q=2\u{1b}\\"))
    probe.send("q")
    #expect(probe.waitForExit() == 0)
  }

  @Test(arguments: ["0.27.0", "0.26.5"])
  func `an old kitty gets block characters`(version: String) throws {
    let probe = try kitty(version: version)
    #expect(probe.wait { $0.output.contains(/[▌▀▘▝▖▞▛]/) })
    #expect(!probe.output.contains("\u{1b}_G"))
  }

  @Test func `a picture is removed before the terminal is given back`() throws {
    let probe = try kitty()
    #expect(showsPlaceholders(probe))
    probe.send("q")
    #expect(probe.waitForExit() == 0)
    #expect(
      probe.wait { $0.output.contains(/\u{1b}_Ga=d,d=I,i=\d+,q=2\u{1b}\\.*\u{1b}\[\?1049l/.dotMatchesNewlines()) })
  }

  // MARK: Sixels

  /// The sixels of the cover at its place: rows 3 to 19, in the middle of 80 columns, erased before.
  private func sixels() throws -> String {
    let bytes = try #require(cover).sixels(width: 68 * 8, height: 17 * 16)
    let blank = (3...19).map { "\u{1b}[\($0);7H\u{1b}[68X" }.joined()
    return "\u{1b}7\u{1b}[m\(blank)\u{1b}[3;7H" + String(decoding: bytes, as: UTF8.self) + "\u{1b}8"
  }

  /// The number of times that the sixels were sent.
  private func count(of sixels: String, _ probe: ProbeOnTerminal) -> Int { probe.output.ranges(of: sixels).count }

  @Test(arguments: ["xterm-256color", "xterm"])
  func `a terminal with sixels gets them at the place of the cover, and again after a redraw`(term: String) throws {
    // xterm has eight colours.
    let probe = try probe(["TERM": term], question: "\u{1b}[c", answer: "\u{1b}[?62;4;22c")
    let sixels = try sixels()
    #expect(probe.writes(sixels))
    // A change elsewhere on the screen leaves them alone.
    probe.send("+")
    #expect(probe.wait { $0.commands.contains("changeVolume") })
    probe.send("\u{c}")
    #expect(probe.wait { count(of: sixels, $0) == 2 })
    // The heads of the columns, which the view Cover lacks.
    let heads = probe.output.ranges(of: "Title").count
    probe.send("1")
    #expect(probe.wait { $0.output.ranges(of: "Title").count > heads })
    probe.send("8")
    #expect(probe.wait { count(of: sixels, $0) == 3 })
    probe.send("q")
    #expect(probe.waitForExit() == 0)
    #expect(count(of: sixels, probe) == 3)
  }

  @Test func `eight colours without sixels show the cover as block characters`() throws {
    let probe = try probe(["TERM": "xterm"], question: "\u{1b}[c", answer: "\u{1b}[?62;22c")
    #expect(probe.wait { $0.output.contains("▀") })
    probe.send("q")
    #expect(probe.waitForExit() == 0)
  }

  @Test func `without colours there is no cover`() throws {
    let probe = try probe(["NO_COLOR": "1"], question: "\u{1b}[c", answer: "\u{1b}[?62;22c")
    #expect(probe.writes("too few colours"))
    probe.send("q")
    #expect(probe.waitForExit() == 0)
    #expect(!probe.output.contains(/[▌▀▘▝▖▞▛]/))
  }

  @Test(arguments: [
    ("\u{1b}[?62;22c", nil), ("\u{1b}[?4c", nil), ("", nil), ("\u{1b}[?62;4c", "10.0.0.1 5 10.0.0.2 22"),
  ])
  func `without sixels, and over a network, block characters are shown`(answer: String, connection: String?) throws {
    let probe = try probe(["SSH_CONNECTION": connection], question: "\u{1b}[c", answer: answer)
    #expect(probe.wait { $0.output.contains(/[▌▀▘▝▖▞▛]/) })
    #expect(!probe.output.contains("\u{1b}P"))
  }
}
