import AudioModel
import Glibc
import SoundServerSupport
import Testing

/// The real screen in tmux. One test at a time, since each keeps asking its tmux.
@Suite(.serialized) struct TmuxTests {
  @Test func `the screen is there, every column in its place, and follows every size`() throws {
    let tmux = try ProbeInTmux()
    #expect(
      tmux.wait {
        let lines = $0.screen.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count >= 24
          && lines[0] == " 0Home 1Queue 2Lib 3Files 4Streams 5Log 6Info 7Lyrics 8Cover F Find 9Out ?Help"
          && lines[19].hasSuffix("── track 2 of 9 ──")
          && lines[3].hasPrefix("       Goldberg Variations, BWV 988")
          && lines[4].hasPrefix("       Johann Sebastian Bach")
          && lines[6].hasPrefix(" >  2  バッハ：ゴルトベルク変奏曲  ") && lines[6].contains("     3:05")
          && lines[9].hasPrefix("    5  A\u{fffd}[31mB\u{fffd}C ") && lines[20].contains(" ▶ バッハ")
          && lines[23].contains(#/^ (0:[45]|1:[0-4])\d ━{12}/#)
          && lines[23].hasSuffix("─ 3:05   vol 80%")
      })
    tmux.resize(columns: 20, rows: 4)
    #expect(tmux.wait { $0.screen.contains(" ▶ バッハ：") && $0.screen.contains("━━") })
    tmux.resize(columns: 10, rows: 1)
    #expect(tmux.wait { $0.screen.contains(/^▶ \d:\d\d/) && $0.screen.count <= 11 })
    tmux.resize(columns: 1, rows: 1)
    #expect(tmux.wait { $0.screen == "▶\n" })
    tmux.resize(columns: 200, rows: 60)
    #expect(tmux.wait { $0.screen.contains("  MP3\n") })
    #expect(tmux.wait { $0.screen.split(separator: "\n").first?.hasSuffix("F5 Page  ? Help") == true })
  }

  @Test func `keys have their meaning, also with Shift and Control`() throws {
    let tmux = try ProbeInTmux()
    #expect(tmux.wait { $0.screen.contains("▶ ") })
    tmux.press(
      "Space", "S-Right", "Left", ".", ">", "x", "+", "m", "r", "S", "C-l", "Tab", "5", "Enter", "Tab", "BSpace")
    tmux.press("j", "Enter", "F7", "q")
    let expected = [
      "togglePause", "seekBy(1.0)", "seekBy(-5.0)", "seekBy(60.0)", "next", "playFromStart",
      "changeVolume(by: 0.05)", "toggleMute", "cycleRepeat", "toggleShuffle", "redraw", "seek(to: 92.5)",
    ]
    #expect(
      tmux.wait {
        let lines = $0.commands
        return lines.count == 15 && Array(lines.prefix(12)) == expected && lines[12].hasPrefix("seek(to: ")
          && lines[13...] == ["play(3)", "quit(savesSession: true)"]
      }, "\(tmux.commands)")
  }

  @Test func `Ctrl-L removes foreign output from the screen, after another size too`() throws {
    let tmux = try ProbeInTmux()
    for columns in [80, 90] {
      tmux.resize(columns: columns, rows: 24)
      // The rule is as long as the screen is wide only once that is known.
      let rule = "\n" + String(repeating: "─", count: columns - 16) + " track 2 of 9 ──\n"
      #expect(tmux.wait { $0.screen.contains(rule) && $0.screen.contains("─ 3:05   vol 80%") })
      tmux.spoil("\u{1b}[5;1Hwall: the disk is full\u{1b}[12;30Hand so on")
      #expect(tmux.wait { $0.screen.contains("wall: the disk is full") && $0.screen.contains("and so on") })
      tmux.press("C-l")
      #expect(
        tmux.wait {
          $0.screen.contains(" >  2  バッハ：ゴルトベルク変奏曲") && !$0.screen.contains("wall:")
            && !$0.screen.contains("and so on")
        })
    }
  }

  @Test(arguments: [nil, "1"])
  func `a screen that bypasses ncurses is the same as one from ncurses, and so are the next ones`(
    noColor: String?
  ) throws {
    let tmux = try ProbeInTmux(environment: ["NO_COLOR": noColor])
    #expect(tmux.wait { $0.screen.contains("─ 3:05   vol 80%") })
    tmux.press("Space")
    #expect(tmux.wait { $0.screen.contains("⏸ paused") })
    let elapsed = tmux.screenDrawnByNCurses()
    tmux.press("t", "j")
    let remaining = tmux.screenDrawnByNCurses()
    #expect(remaining.contains("-2:") && remaining != elapsed)
    tmux.press("k", "t")
    #expect(tmux.wait { $0.styledScreen == elapsed }, "\(elapsed)")
    tmux.spoil("\u{1b}[5;1Hwall: \u{1b}[1;31mthe disk is full")
    #expect(tmux.wait { $0.screen.contains("wall:") })
    tmux.press("C-l")
    #expect(tmux.wait { $0.styledScreen == elapsed })
    // From where the cursor was left, were that not known.
    tmux.press("t")
    #expect(tmux.wait { $0.screen.contains("-2:") })
    tmux.press("j")
    #expect(tmux.wait { $0.styledScreen == remaining })
    tmux.resize(columns: 120, rows: 40)
    #expect(tmux.wait { $0.screen.contains("  MP3\n") })
    tmux.resize(columns: 80, rows: 24)
    #expect(tmux.wait { $0.styledScreen == remaining })
    tmux.press("t", "k")
    #expect(tmux.wait { $0.styledScreen == elapsed })
  }

  @Test func `the mouse drags the thumb, and one seek follows`() throws {
    let tmux = try ProbeInTmux()
    #expect(tmux.wait { $0.screen.contains("▶ ") })
    tmux.send("\u{1b}[<0;20;24M\u{1b}[<32;30;24M\u{1b}[<32;38;24M")
    #expect(tmux.wait { $0.screen.contains("○") && $0.screen.contains(" 1:40 ") })
    tmux.send("\u{1b}[<0;38;24m")
    tmux.send("\u{1b}[<65;79;24M\u{1b}[<2;5;5M")
    #expect(
      tmux.wait {
        $0.commands == [
          "seek(to: 100.47413793103449)", "changeVolume(by: -0.05)", "togglePause",
        ]
      }, "\(tmux.commands)")
  }

  @Test func `suspended, the terminal is the shell's again; resumed, the screen is back`() throws {
    let tmux = try ProbeInTmux()
    #expect(tmux.wait { $0.screen.contains("▶ ") })
    tmux.press("C-z")
    #expect(tmux.wait { $0.screen.hasPrefix("shell\n") && !$0.screen.contains("▶ ") })
    tmux.spoil("\u{1b}]2;shell\u{7}")
    #expect(tmux.wait { $0.title == "shell" })
    tmux.resize(columns: 66, rows: 12)
    #expect(tmux.resume())
    #expect(tmux.wait { $0.screen.contains(" ▶ ") && $0.screen.contains("─ track 2 of 9 ──\n") })
    #expect(tmux.wait { $0.title.hasSuffix(" - segue") })
    tmux.press("m")
    #expect(tmux.wait { $0.commands == ["suspend", "toggleMute"] }, "\(tmux.commands)")
  }

  @Test func `a locale without UTF-8 gets ASCII`() throws {
    let tmux = try ProbeInTmux(environment: ["LC_ALL": "C"])
    #expect(tmux.wait { $0.screen.contains("====---") && $0.screen.contains("Cafe etude") })
    #expect(tmux.screen.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func `a locale that is not installed but is UTF-8 gets Unicode`() throws {
    let tmux = try ProbeInTmux(environment: ["LC_ALL": "xx_YY.UTF-8"])
    #expect(tmux.wait { $0.screen.contains("バッハ") && $0.screen.contains("━━") })
  }

  @Test func `titles written by an enemy name the window and nothing else`() throws {
    let tmux = try ProbeInTmux()
    #expect(tmux.wait { $0.screen.contains("▶ ") })
    tmux.press("j", "j", "j", "Enter")
    #expect(tmux.wait { $0.screen.contains(" ▶ A\u{fffd}[31mB\u{fffd}C") })
    #expect(tmux.wait { $0.title == "A\u{fffd}[31mB\u{fffd}C - segue" })
  }

}

/// The real screen on a bare pseudo-terminal.
@Suite(.serialized) struct PseudoTerminalTests {
  private func started(_ environment: [String: String?] = [:]) throws -> ProbeOnTerminal {
    let probe = try ProbeOnTerminal(environment: environment)
    #expect(probe.wait { $0.output.contains("80%") })
    return probe
  }

  @Test(arguments: ["\u{1b}[A\u{1b}[<65;3;3MM", "\u{1b}OA", "\u{1b}[1;2A"])
  func `after quitting the terminal is as it was`(before: String) throws {
    let probe = try started()
    #expect(probe.terminal.currentModes != probe.terminal.initialModes)
    probe.send(before)
    probe.send("q")
    #expect(probe.waitForExit() == 0)
    #expect(probe.terminal.currentModes == probe.terminal.initialModes)
    for mode in ["?1002", "?1006", "?1004", "?2004", "?1049"] { #expect(probe.writes("\u{1b}[\(mode)l")) }
  }

  @Test(arguments: [SIGUSR1, SIGSEGV, SIGABRT, SIGBUS, SIGFPE])
  func `after a crash the terminal is as it was`(signal: CInt) throws {
    let probe = try started()
    probe.process.signal(signal)
    let status = try #require(probe.waitForExit())
    #expect(status < 0, "ended by a signal")
    #expect(probe.terminal.currentModes == probe.terminal.initialModes)
    for mode in ["?1002l", "?1006l", "?1004l", "?2004l", "?25h", "?1049l"] { #expect(probe.writes("\u{1b}[\(mode)")) }
    #expect(!probe.output.contains("\u{1b}]9;"), "to most it is a message to the desktop")
  }

  @Test(arguments: ["q", ""])
  func `a terminal that shows progress gets it, and a reset`(end: String) throws {
    let probe = try started(["TERM_PROGRAM": "ghostty"])
    #expect(probe.writes("\u{1b}]9;4;1;2"), "41 s of 185 and of 154")
    probe.send(" ")
    #expect(probe.writes("\u{1b}]9;4;4;2"))
    if end.isEmpty { probe.process.signal(SIGABRT) } else { probe.send(end) }
    _ = try #require(probe.waitForExit())
    #expect(probe.writes("\u{1b}]9;4;0\u{07}"))
  }

  @Test func `a title that is switched off leaves the window its own`() throws {
    let probe = try started()
    #expect(probe.writes(" - segue\u{7}"))
    probe.send(":set title=off\r")
    #expect(probe.writes("\u{1b}[23;2t\u{1b}[22;2t"), "restored, and kept for the end")
  }

  @Test func `a terminal that shows screens at once gets them whole, in one piece`() throws {
    let (begin, end) = ("\u{1b}[?2026h", "\u{1b}[?2026l")
    for (answer, isWhole) in [("", false), ("\u{1b}[?2026;0$y", false), ("\u{1b}[?2026;2$y", true)] {
      let probe = try started()
      #expect(probe.writes("\u{1b}[?2026$p") && !probe.output.contains(begin), "asked, and not before it is answered")
      probe.send(answer + " ")
      #expect(probe.wait { $0.output.contains("⏸") })
      probe.send("?")
      #expect(probe.writes("a radio station"))
      #expect(probe.output.contains(begin) == isWhole)
      guard isWhole, let start = probe.output.firstRange(of: begin) else { continue }
      #expect(probe.wait { $0.output.suffix(from: start.upperBound).contains(end) })
      let rest = probe.output.suffix(from: start.upperBound)
      #expect(rest.prefix(upTo: try #require(rest.firstRange(of: end)).lowerBound).contains("a radio station"))
    }
  }

  @Test func `a dumb terminal is refused in words, and left alone`() throws {
    let probe = try ProbeOnTerminal(environment: ["TERM": "dumb"])
    #expect(probe.waitForExit() == 3)
    #expect(probe.writes("no screen: a terminal of type dumb cannot place its cursor"))
    #expect(probe.terminal.currentModes == probe.terminal.initialModes)
  }

  @Test(arguments: ["no-such-terminal", "", "linux", "screen", "vt100"])
  func `an unknown terminal is treated as an xterm, known ones by their description`(term: String) throws {
    let probe = try started(["TERM": term])
    #expect(probe.output.contains("Queue"))
  }

  @Test(arguments: [("1", false), ("", true)])
  func `NO_COLOR is heeded`(value: String, hasColor: Bool) throws {
    let probe = try started(["NO_COLOR": value, "COLORFGBG": nil])
    #expect(probe.output.contains("38;5;29m") == hasColor)
    #expect(probe.output.contains("38;5;243m") == hasColor)
  }

  @Test func `the background is queried, and the answer sets the colours and presses no key`() throws {
    let probe = try started(["NO_COLOR": "", "COLORFGBG": nil])
    #expect(probe.writes("\u{1b}]11;?"))
    for (answer, playing) in [("rgb:0000/0000/0000", "\u{1b}[36m"), ("rgb:ffff/ffff/ffff", "\u{1b}[34m")] {
      #expect(!probe.output.contains(playing))
      probe.send("\u{1b}]11;\(answer)\u{1b}\\")
      #expect(probe.writes(playing))
    }
    probe.send("m")
    #expect(probe.writes("muted"))
    // The same answer again draws nothing: no row of a track.
    let (rows, volumes) = (probe.output.components(of: "Goldberg"), probe.output.components(of: "80%"))
    probe.send("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\m")
    #expect(probe.wait { $0.output.components(of: "80%") > volumes })
    #expect(probe.output.components(of: "Goldberg") == rows)
    let commands = probe.commands.split(separator: "\n").dropFirst().filter { !$0.hasPrefix("ask(") }
    #expect(commands == ["toggleMute", "toggleMute"])
  }

  @Test func `another colour of a style paints the cells of this style only`() throws {
    let probe = try started(["NO_COLOR": "", "COLORFGBG": nil])
    let rows = probe.output.components(of: "Variatio")
    probe.send(":style playing fg=200\r")
    #expect(probe.writes("38;5;200m"))
    probe.send("m")
    #expect(probe.writes("muted"))
    #expect(probe.output.components(of: "Variatio") == rows, "the rows of other tracks")
  }

  @Test(arguments: [("15;0", "\u{1b}[36m"), ("0;15", "\u{1b}[34m"), ("", "38;5;29m")])
  func `without an answer the variable decides`(variable: String, playing: String) throws {
    let probe = try started(["NO_COLOR": "", "COLORFGBG": variable])
    #expect(probe.output.contains(playing))
  }

  @Test(arguments: [["COLORTERM": "truecolor"], ["COLORTERM": nil]] as [[String: String?]])
  func `a second of playing costs 30 bytes at most, with the accent of a cover, too`(colors: [String: String?]) throws {
    let probe = try ProbeOnTerminal(environment: colors.merging(["NO_COLOR": ""]) { $1 }, arguments: "9 colors")
    // The time that is shown then, which comes last, has been read.
    #expect(probe.writes("80%") && probe.wait { 1..<100 ~= $0.output(milliseconds: 1300).count })
    let start = ContinuousClock.now
    let bytes = probe.output(milliseconds: 6000)
    // A busy machine may look later than after six seconds.
    let most = Int(30 * ((ContinuousClock.now - start) / Duration.seconds(1)))
    #expect(1...most ~= bytes.count, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
  }

  @Test func `nothing is written while paused`() throws {
    let probe = try started()
    probe.send(" ")
    #expect(probe.wait { $0.output.contains("⏸") })
    // Pending output may still arrive first; output in each second would appear in any interval of this length.
    #expect(probe.wait { $0.output(milliseconds: 1300) == [] })
  }

  @Test func `a paste presses no key, and neither does soup`() throws {
    let probe = try started()
    // A busy machine holds a paste up for seconds.
    let part = String(repeating: "qQ ", count: 50)
    probe.send("\u{1b}[200~\(part)")
    usleep(3_200_000)
    probe.send("\(part)\u{1b}[201~")
    probe.send("\u{1b}[200~qQ x\r\u{3}")
    probe.send("\u{1b}[20")
    probe.send("1~")
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let harmful = Set([UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 26])
    for _ in 0..<50 {
      let soup = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }.filter { !harmful.contains($0) }
      probe.terminal.send(soup)
      probe.terminal.resize(
        columns: Int.random(in: 1...300, using: &random), rows: Int.random(in: 1...100, using: &random))
      _ = probe.output(milliseconds: 10)
    }
    // Ends any sequence, paste or line that the soup began. The last key waits until all of it has been read.
    probe.send("\u{1b}[201~\u{1b}\\\u{7}m")
    // A thumb that the input has moved may seek after it.
    let isRead = probe.wait { $0.commands.split(separator: "\n").suffix(2).contains("toggleMute") }
    #expect(isRead, "seed \(seed): \(probe.commands.suffix(500))")
    #expect(probe.wait { $0.output(milliseconds: 200) == [] })
    probe.send("q")
    #expect(probe.waitForExit() == 0, "seed \(seed)")
    #expect(probe.commands.hasSuffix("quit(savesSession: true)\n"), "seed \(seed): \(probe.commands.suffix(500))")
  }

  @Test func `a terminal that goes away ends the program`() throws {
    let probe = try started()
    probe.terminal.hangUp()
    #expect(probe.waitForExit() != nil)
  }

  @Test func `an Escape alone is a key, and so is a sequence after it`() throws {
    let probe = try started()
    probe.send("?")
    #expect(probe.wait { $0.output.contains("pause or resume") })
    let count = probe.output.components(of: "Goldberg")
    probe.send("\u{1b}")
    #expect(probe.wait { $0.output.components(of: "Goldberg") > count }, "the tracks are back")
    // Parts that come late are tested where the time can be moved: `InputDecoderTests`.
    probe.send("\u{1b}[1;2C")
    #expect(probe.wait { $0.commands.contains("seekBy(1.0)") })
  }
}

extension String {
  /// The number of occurrences of `part`.
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
