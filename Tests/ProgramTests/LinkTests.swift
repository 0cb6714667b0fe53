import Glibc
import SoundServerSupport
import Testing

// Addresses as links (OSC 8).
extension `The terminal` {
  /// Two that look the same where they are cut.
  private var addresses: [String] { ["c", "d"].map { "http://me:pw@127.0.0.1:9/a%20b/\($0).mp3" } }

  private func playLinked(_ environment: [String: String?]) throws -> ChildProcess {
    let player = try ChildProcess(
      [Program.path, "--output", "null", fixture("vbr-60s-without-header.mp3")] + addresses,
      environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SEGUE_HOME": folder("home")].merging(environment) {
        $1
      },
      output: .terminal(terminal), errors: folder("errors"))
    try #require(eventually { terminal.output.contains("▶") && terminal.output.contains("127.0.0.1") })
    return player
  }

  /// Each link that was written, in order: row and column from 1, address, text without its looks.
  private var links: [String] {
    let looks = /\u{1b}\[[\d;:]*m|\u{1b}\(B/
    let written = /\u{1b}\[(\d+;\d+)H\u{1b}\]8;id=\d+;([!-~]*)\u{1b}\\(.*?)\u{1b}\]8;;\u{1b}\\/
    return terminal.output.matches(of: written).map { link in
      let text = String(link.3).replacing(looks, with: "")
      return "\(link.1) \(link.2) \(text)"
    }
  }

  @Test func `addresses are links, redrawn only with the cells around them`()
    throws
  {
    let player = try playLinked(["TERM_PROGRAM": "ghostty"])
    func link(_ row: Int, _ name: String) -> String {
      "\(row);8 http://127.0.0.1:9/a%20b/\(name).mp3 http://127.0.0.1:9/a%20b/\(name).mp3"
    }
    let whole = [link(5, "c"), link(6, "d")]
    #expect(eventually { links.starts(with: whole) }, "\(terminal.output)")
    // Once it has failed nothing but the time changes.
    #expect(eventually { terminal.output.contains("failed") || terminal.output.contains("--:--") })
    let isKept = eventually(milliseconds: 1) {
      let (count, size) = (links.count, terminal.bytes.count)
      usleep(2_200_000)
      return links.count == count && terminal.bytes.count > size
    }
    #expect(isKept)
    var count = links.count
    terminal.send("\u{c}")
    #expect(eventually { links.count > count && links.suffix(2) == whole }, "Ctrl-L: \(links)")
    count = links.count
    terminal.send("j")
    #expect(eventually { links.count > count })
    #expect(links.allSatisfy(whole.contains), "\(links)")
    // Its replacement looks the same and links to another address.
    terminal.send("d")
    #expect(eventually { links.last == link(5, "d") }, "\(links)")
    terminal.send("q")
    #expect(player.wait() == 0)
    #expect(!terminal.output.contains("pw@"))
  }

  @Test func `a terminal that is not known for it gets none`() throws {
    let player = try playLinked([:])
    terminal.send("jq")
    #expect(player.wait() == 0)
    #expect(!terminal.output.contains("\u{1b}]8"))
  }
}
