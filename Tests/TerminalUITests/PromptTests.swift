import ByteIO
import Library
import Playback
import Testing

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// The command line with completion and history; search and filter while they are typed.
struct PromptTests {
  /// Types a text.
  private func type(_ text: String, into bench: inout Bench) { for character in text { bench.press(Key(character)) } }

  /// The line with the keys, without spaces at its end.
  private func line(_ bench: Bench) -> String { bench.message }

  @Test func `a typed line is performed, remembered, and never treated as keys`() {
    var bench = Bench.playing()
    #expect(bench.press(":") == [.player(.ask(.history))])
    type("seek 50%q", into: &bench)
    #expect(line(bench) == ":seek 50%q")
    #expect(
      bench.press(Key(.backspace), Key(.enter)) == [
        .player(.ask(.remember("seek 50%"))), .player(.playback(.seek(to: 61.5))),
      ])
    #expect(bench.state.promptLine.prompt == nil)
    #expect(bench.press(":", Key(.escape)) == [])
    #expect(bench.press(":", Key(.backspace), "m") == [.player(.toggleMute)], "what is empty is left")
  }

  @Test(
    arguments: [
      ([Key(.left), Key(.left), "X"], "abXcd"), ([Key(.home), "X"], "Xabcd"), ([Key(.home), Key(.end), "X"], "abcdX"),
      ([Key(.home), Key(.delete)], "bcd"), ([Key(.left), Key("u", .control)], "d"),
      ([Key(.left), Key("k", .control)], "abc"), ([" ", "e", " ", Key("w", .control), "X"], "abcd X"),
      ([Key("a", .control), Key("f", .control), Key("d", .control)], "acd"), ([Key("h", .control)], "abc"),
      ([Key(.left, .control), "X"], "Xabcd"), ([Key(.function(5)), Key(.pageUp)], "abcd"),
    ] as [([Key], String)])
  func `the line is edited as in a shell`(keys: [Key], text: String) {
    var bench = Bench.playing()
    bench.press(":")
    type("abcd", into: &bench)
    for key in keys { bench.press(key) }
    #expect(bench.state.promptLine.prompt?.line == text)
  }

  @Test func `the arguments of a command are shown until the first is typed`() {
    var bench = Bench.playing()
    bench.press("*")
    #expect(line(bench) == ":rate    [+|-]0-10 | none")
    bench.press("8")
    #expect(line(bench) == ":rate 8")
    bench.press(Key(.backspace), Key(.left))
    #expect(line(bench) == ":rate", "the cursor is inside the line")
    var narrow = Bench.playing(columns: 12)
    narrow.press("*")
    #expect(line(narrow).hasPrefix(":rate    "))
  }

  @Test func `an error is reported with its place, and can be corrected`() {
    var bench = Bench.playing()
    bench.press(":")
    type("seek soon", into: &bench)
    #expect(bench.press(Key(.enter)) == [.player(.ask(.remember("seek soon")))])
    #expect(line(bench) == " \"soon\" is not a time. Try 1:23:45, +30 or 50%")
    bench.press(":", Key(.up))
    #expect(line(bench) == ":seek soon")
  }

  @Test func `a server is added by name and password, which is neither shown nor remembered`() {
    var bench = Bench.playing()
    bench.press(":")
    type("library add https://music.home/", into: &bench)
    #expect(bench.press(Key(.enter)) == [.player(.ask(.remember("library add https://music.home/")))])
    #expect(line(bench) == "user (none: API key):")
    type("me", into: &bench)
    #expect(bench.press(Key(.enter)) == [] && line(bench) == "password:")
    bench.send(.terminal(.paste("sesame\n")))
    #expect(bench.press(Key(.up)) == [] && bench.press(Key(.tab)) == [])
    #expect(line(bench) == "password: ******" && !bench.lines.joined().contains("sesame"))
    let commands = bench.press(Key(.enter))
    let secret = TypedSecret("sesame")
    #expect(
      commands.contains(.player(.library(.addServer(WebAddress("https://music.home/"), user: "me", secret)))))
    #expect(!"\(commands)".contains("sesame") && !commands.contains { $0 == .player(.ask(.remember("sesame"))) })
    bench.press(":", Key(.up))
    #expect(line(bench) == ":library add https://music.home/")
    bench.press(Key(.enter), Key(.enter))
    #expect(line(bench) == "API key:")
    #expect(bench.press(Key(.enter)) == [] && line(bench) == " nothing was typed: the server is not added")
  }

  @Test func `the certificate of a server is accepted by yes only, and its whole fingerprint is shown`() {
    let server = WebAddress("https://music.home")
    let fingerprint = String(repeating: "3f", count: 32)
    let request = LibraryRequest.addServer(server, user: "me", TypedSecret("sesame"), accepted: fingerprint)
    let question = CertificateQuestion(fingerprint, isChanged: true, request: request)
    for (words, isAccepted) in [("yes", true), ("y", false), ("", false)] {
      var bench = Bench.playing()
      bench.send(.answer(.library(.certificate(question))))
      #expect(line(bench) == "\(fingerprint) CHANGED yes?")
      type(words, into: &bench)
      #expect(!bench.lines.joined().contains("sesame"))
      #expect(bench.press(Key(.enter)).contains(.player(.library(request))) == isAccepted)
    }
    var bench = Bench.playing()
    bench.press(":")
    bench.send(.answer(.library(.certificate(question))))
    #expect(line(bench) == ":", "a line that is typed stays")
  }

  @Test func `Up and Down recall lines that begin with the typed text`() {
    var bench = Bench.playing()
    bench.press(":")
    bench.send(.history(["seek 5", "mute", "seek 9"]))
    type("se", into: &bench)
    for (key, text) in [
      (Key(.up), "seek 9"), (Key(.up), "seek 5"), (Key(.up), "seek 5"), (Key(.down), "seek 9"), (Key(.down), "se"),
    ] {
      bench.press(key)
      #expect(bench.state.promptLine.prompt?.line == text)
    }
    bench.press(Key(.up), "9", Key(.up))
    #expect(bench.state.promptLine.prompt?.line == "seek 99", "a line that was changed is a new one")
    bench.press(Key(.escape), ":")
    #expect(bench.send(.tick) == [], "history is asked for once")
  }

  @Test(
    arguments: [
      ("shu", 1, "shuffle "), ("shuffle o", 1, "shuffle on "), ("shuffle o", 2, "shuffle off "),
      ("shuffle o", 3, "shuffle on "), ("set ke", 1, "set keymap="), ("set theme=so", 1, "set theme=solarized"),
      ("bind x mu", 1, "bind x mute"), ("nothing x", 1, "nothing x"), ("command sa", 1, "command save "),
      ("view i", 1, "view info "), ("style selected-i", 1, "style selected-idle "),
    ])
  func `Tab completes words`(typed: String, tabs: Int, text: String) {
    var bench = Bench.playing()
    bench.press(":")
    type(typed, into: &bench)
    for _ in 0..<tabs { bench.press(Key(.tab)) }
    #expect(bench.state.promptLine.prompt?.line == text)
  }

  @Test func `Tab asks for names of files and shows them one after the other`() {
    var bench = Bench.playing()
    bench.press(":")
    type("add x '~/My M", into: &bench)
    #expect(bench.press(Key(.tab)) == [.player(.ask(.completions("~/My M", onlyFolders: false, in: nil)))])
    bench.send(.completions(["other"], beginning: "~/My"))
    #expect(bench.state.promptLine.prompt?.line == "add x '~/My M", "what comes too late is of no use")
    bench.send(.completions(["~/My Music/", "~/My Maps's/"], beginning: "~/My M"))
    #expect(line(bench).hasPrefix(":add x ~/My\\ Music/"))
    #expect(line(bench).hasSuffix(" 1/2"))
    bench.press(Key(.tab))
    #expect(bench.state.promptLine.prompt?.line == "add x ~/My\\ Maps\\'s/")
    bench.press(Key(.tab, .shift))
    #expect(bench.state.promptLine.prompt?.line == "add x ~/My\\ Music/")
    bench.press(Key("a"))
    #expect(bench.press(Key(.tab)) == [.player(.ask(.completions("~/My Music/a", onlyFolders: false, in: nil)))])
    bench.send(.completions(["~/My Music/a.mp3"], beginning: "~/My Music/a"))
    #expect(bench.state.promptLine.prompt?.line == "add x ~/My\\ Music/a.mp3 ")
  }

  @Test(arguments: ["กิน", "नमस्ते", "Cafe\u{301}"])
  func `Tab completes the word behind letters with marks, which arrive one by one`(word: String) {
    var bench = Bench.playing()
    bench.press(":")
    for scalar in "add \(word) bet".unicodeScalars { bench.press(Key(Character(scalar))) }
    #expect(bench.press(Key(.tab)) == [.player(.ask(.completions("bet", onlyFolders: false, in: nil)))])
    bench.send(.completions(["beta/"], beginning: "bet"))
    #expect(bench.state.promptLine.prompt?.line == "add \(word) beta/")
    bench.press(Key(.home), Key(.right), Key(.right), Key(.right), Key(.right), Key(.delete))
    #expect(bench.state.promptLine.prompt?.line == "add \(word.dropFirst()) beta/")
  }

  @Test(
    arguments: [
      ("add artist:bj", "artist:bj"), ("play-next x -genre:", "-genre:"), ("playlist smart New ge", "ge"),
      ("playlist add Mix album:\"a b", "album:\"a b"),
    ])
  func `Tab completes a query where one can be typed`(line: String, query: String) {
    var bench = Bench.playing()
    bench.press(":")
    type(line, into: &bench)
    #expect(bench.press(Key(.tab)) == [.player(.library(.complete(query)))])
    var completion = QueryCompletion("", in: nil)
    (completion.start, completion.candidates) = (0, ["genre:", "artist:Björk"])
    bench.send(.library(.completions(completion, of: "other")))
    #expect(bench.state.promptLine.prompt?.line == line, "too late")
    bench.send(.library(.completions(completion, of: query)))
    #expect(bench.state.promptLine.prompt?.line == line.dropLast(query.count) + "genre:")
    #expect(bench.press(Key(.tab)) == [])
    #expect(bench.state.promptLine.prompt?.line == line.dropLast(query.count) + "artist:Björk ")
  }

  @Test(arguments: ["add genr", "add smart", "playlist add Mix artis", "load artist"])
  func `Tab completes the name of a file where it may be one`(line: String) {
    var bench = Bench.playing()
    bench.press(":")
    type(line, into: &bench)
    let word = String(line.split(separator: " ").last ?? "")
    #expect(bench.press(Key(.tab)) == [.player(.ask(.completions(word, onlyFolders: false, in: nil)))])
  }

  @Test func `a paste is text for the line, or plays or adds files without one; it is never keys`() {
    var bench = Bench.playing()
    #expect(bench.send(.paste("q\nq")) == [])
    #expect(bench.state.promptLine.prompt == nil)
    #expect(bench.text.contains("The pasted text is not a path or an address"))
    #expect(bench.send(.paste("'/a b' /c")) == [.player(.find(WrittenNames("'/a b' /c"), .turn(.end), in: nil))])
    bench.show(PlaybackSnapshot())
    #expect(bench.send(.paste("/a b.mp3")) == [.player(.find(WrittenNames("/a b.mp3"), .played, in: nil))])
    #expect(bench.send(.paste(" \n")) == [])
    bench.press(":")
    bench.send(.paste("/a b.mp3\nfile:///c.mp3\n"))
    #expect(bench.state.promptLine.prompt?.line == "'/a b.mp3' file:///c.mp3")
    bench.press(Key(.escape))
    bench.press("o")
    bench.send(.paste("http://radio.example/a\nb\u{1b}]2;EVIL\u{7}"))
    #expect(bench.state.promptLine.prompt?.line.hasPrefix("open http://radio.example/a b") == true)
    let seen = bench.text.unicodeScalars
    #expect(!seen.contains("\u{1b}") && !seen.contains("\u{7}"))
  }

  @Test func `a paste that is too long is refused, and never cut`() {
    var bench = Bench.playing()
    #expect(bench.send(.excessivePaste) == [])
    #expect(bench.text.contains("The pasted text is too long"))
    bench.press(":")
    type("add ", into: &bench)
    bench.send(.paste(String(repeating: "/a.mp3 ", count: 1000)))
    #expect(bench.state.promptLine.prompt?.line == "add ")
    #expect(bench.lines.contains { $0.hasPrefix(":add ") && $0.contains("too long for this line") })
    bench.send(.paste("/a.mp3"))
    #expect(bench.state.promptLine.prompt?.line == "add /a.mp3" && !bench.text.contains("too long"))
    bench.send(.excessivePaste)
    #expect(bench.text.contains("The pasted text is too long"))
  }

  @Test(arguments: [(80, 24), (40, 10), (20, 4), (10, 1), (1, 1)])
  func `the cursor of a long line is always seen`(columns: Int, rows: Int) {
    var bench = Bench.playing(columns: columns, rows: rows)
    bench.press(":")
    type(String(repeating: "長e\u{301}x ", count: 40), into: &bench)
    for key in [Key(.end), Key(.home)] + Array(repeating: Key(.right), count: 90) {
      bench.press(key)
      let grid = view(bench.state)
      #expect(grid.cells.contains { $0.style == .selected && $0.width > 0 })
      for row in 0..<rows { #expect(grid.row(row).reduce(0) { $0 + Int($1.width) } == columns) }
    }
  }

  // MARK: Search

  @Test(
    arguments: [
      ("aria", "Aria"), ("CAFÉ", "Café"), ("cafe", "CAFE\u{301} "), ("strasse", "Straße"), ("ostgota", "Östgöta"),
      ("bach goldberg", "Goldberg - J. S. Bach"), ("バッハ", "バッハ：ゴルトベルク"), ("smørrebrod", "Smorrebrød"),
      ("щука", "ЩУКА"),
    ]) func `case and accents make no difference`(pattern: String, text: String)
  {
    #expect(SearchPattern(pattern)?.matches(text) == true)
  }

  @Test(arguments: [("arie", "Aria"), ("a b", "a c"), ("café x", "café"), ("long pattern", "long")])
  func `missing text is not found`(pattern: String, text: String) {
    #expect(SearchPattern(pattern)?.matches(text) == false)
  }

  @Test func `the search goes along while one types, from where one was, and back on Escape`() {
    var bench = Bench.playing()
    bench.press("j", "/")
    type("caf", into: &bench)
    #expect(bench.state.shownPane.list.selected == 4)
    #expect(line(bench) == "/caf")
    bench.press(Key(.escape))
    #expect(bench.state.shownPane.list.selected == 2)
    bench.press("/")
    type("BACH", into: &bench)
    #expect(bench.state.shownPane.list.selected == 0, "round the end")
    bench.press(Key(.enter))
    for (key, row) in [("n", 1), ("n", 0), ("N", 1), ("N", 0)] as [(Key, Int)] {
      bench.press(key)
      #expect(bench.state.shownPane.list.selected == row)
    }
    bench.press("/", "x", "q", "x", Key(.enter))
    #expect(line(bench) == " no match for \"xqx\" in this list. F finds all music")
    bench.press("n")
    #expect(line(bench) == " no match for \"xqx\" in this list. F finds all music")
  }

  @Test func `the filter shows matching rows in every list, and Escape clears it`() {
    var bench = Bench.playing()
    bench.press("f")
    type("bach", into: &bench)
    #expect(bench.lines[3].contains("Aria") && bench.lines[4].contains("Variatio") && bench.lines[5].isEmpty)
    #expect(bench.press("x", Key(.backspace), Key(.enter), "j", Key(.enter)) == [.player(.play(2))])
    #expect(line(bench).hasPrefix("── filter: bach ──") && line(bench).hasSuffix(" 2 of 9 ── track 2 of 9 ──"))
    bench.send(.queue(Array(album.dropFirst())))
    #expect(bench.lines[3].contains("Variatio") && bench.lines[4].isEmpty, "rows that come and go are filtered, too")
    #expect(bench.press("d") == [.player(.edit(.remove([2])))])
    bench.press(Key(.escape))
    #expect(bench.state.shownView == .queue && bench.lines[4].contains("バッハ"))
    #expect(bench.state.shownPane.list.selected == 0, "the chosen track stays chosen")
    bench.press("5")
    bench.send(.log(LogEntry(time: "1", text: "paused")))
    bench.send(.log(LogEntry(time: "2", text: "playing")))
    bench.press("f", "p", "a", "u")
    #expect(bench.lines[2].contains("paused") && bench.lines[3].isEmpty)
    bench.press(Key(.escape))
    #expect(bench.lines[3].contains("playing"), "as it was before")
  }

  @Test func `files are found by names of any encoding, and by their folders`() {
    let names = [Array("/m/Bach/Goldberg/01.mp3".utf8), Array("/m/Bach/".utf8) + [0xe9] + Array("tude.mp3".utf8)]
    var bench = Bench(entries: names.enumerated().map { QueueEntry(id: $0, location: .file(BytePath($1))) })
    bench.press("/", "t", "u", "d", "e")
    #expect(bench.state.shownPane.list.selected == 1)
    bench.press(Key(.escape), "/", "g", "o", "l", "d", " ", "b", "a", "c", "h")
    #expect(bench.state.shownPane.list.selected == 0)
  }

  @Test func `a hundred thousand rows are searched and filtered`() {
    var bench = Bench(entries: (0..<100_000).map { entry($0, "\($0).mp3") })
    bench.press("/", "9", "9", "9", "9", "8")
    #expect(bench.state.shownPane.list.selected == 99_998)
    bench.press(Key(.enter), "f", "9", "9", "9", "9")
    #expect(bench.state.shownPane.list.shownCount == 19)
    bench.press(Key(.escape))
    #expect(bench.state.shownPane.list.shownCount == 100_000)
    #expect(bench.state.shownPane.list.selected == 99_998)
  }
}
