import AudioModel
import Testing

@testable import Cells

/// The bytes that terminals send, and their meaning, from the terminfo entries and ctlseqs of xterm, tmux, rxvt, linux
/// and kitty, without ISO 2022.
struct InputDecoderTests {
  static let rows: [(String, [TerminalInput])] = [
    ("q", [.key("q")]), ("Q", [.key("Q")]), (" ", [.key(" ")]), ("é", [.key("é")]), ("好", [.key("好")]),
    ("😀", [.key("😀")]), ("\r", [.key(Key(.enter))]), ("\n", [.key(Key(.enter))]), ("\t", [.key(Key(.tab))]),
    ("\u{7f}", [.key(Key(.backspace))]), ("\u{8}", [.key(Key(.backspace))]), ("\u{c}", [.key(Key("l", .control))]),
    ("\u{0}", [.key(Key(" ", .control))]), ("\u{1a}", [.key(Key("z", .control))]),
    ("\u{1b}[A", [.key(Key(.up))]), ("\u{1b}OA", [.key(Key(.up))]), ("\u{1b}[1;2C", [.key(Key(.right, .shift))]),
    ("\u{1b}[1;5D", [.key(Key(.left, .control))]), ("\u{1b}[1;8B", [.key(Key(.down, [.shift, .alt, .control]))]),
    ("\u{1b}[c", [.key(Key(.right, .shift))]), ("\u{1b}Od", [.key(Key(.left, .control))]),
    ("\u{1b}[H", [.key(Key(.home))]), ("\u{1b}OF", [.key(Key(.end))]), ("\u{1b}[1~", [.key(Key(.home))]),
    ("\u{1b}[7~", [.key(Key(.home))]), ("\u{1b}[4~", [.key(Key(.end))]), ("\u{1b}[8~", [.key(Key(.end))]),
    ("\u{1b}[5~", [.key(Key(.pageUp))]), ("\u{1b}[6;5~", [.key(Key(.pageDown, .control))]),
    ("\u{1b}[3~", [.key(Key(.delete))]), ("\u{1b}[2~", [.key(Key(.insert))]), ("\u{1b}[Z", [.key(Key(.tab, .shift))]),
    ("\u{1b}OP", [.key(Key(.function(1)))]), ("\u{1b}[[A", [.key(Key(.function(1)))]),
    ("\u{1b}[11~", [.key(Key(.function(1)))]), ("\u{1b}[15~", [.key(Key(.function(5)))]),
    ("\u{1b}[17~", [.key(Key(.function(6)))]), ("\u{1b}[24~", [.key(Key(.function(12)))]),
    ("\u{1b}OM", [.key(Key(.enter))]), ("\u{1b}x", [.key(Key("x", .alt))]),
    ("\u{1b}[<0;10;5M", [.mouse(MouseEvent(.press(.left), column: 9, row: 4))]),
    ("\u{1b}[<0;10;5m", [.mouse(MouseEvent(.release(.left), column: 9, row: 4))]),
    ("\u{1b}[<2;1;1M", [.mouse(MouseEvent(.press(.right), column: 0, row: 0))]),
    ("\u{1b}[<32;300;5M", [.mouse(MouseEvent(.drag(.left), column: 299, row: 4))]),
    ("\u{1b}[<36;3;5M", [.mouse(MouseEvent(.drag(.left), column: 2, row: 4, modifiers: .shift))]),
    ("\u{1b}[<64;3;5M", [.mouse(MouseEvent(.wheelUp, column: 2, row: 4))]),
    ("\u{1b}[<69;3;5M", [.mouse(MouseEvent(.wheelDown, column: 2, row: 4, modifiers: .shift))]),
    // Unknown sequences press no key.
    ("\u{1b}[<0;0;5M", []), ("\u{1b}[<0;5M", []), ("\u{1b}[<999999999999;1;1M", []), ("\u{1b}[<66;1;1M", []),
    ("\u{1b}[M !!", []), ("\u{1b}[?62;4c", []), ("\u{1b}[12;40R", []), ("\u{1b}[97;5u", []),
    ("\u{1b}]11;rgb:0000/0000/0000\u{7}", []), ("\u{1b}]0;q\u{1b}\\", []), ("\u{1b}P1+r436f=323536\u{1b}\\", []),
    ("\u{1b}[200~qQ\u{1b}[A\r\u{3}\u{1b}[201~", [.paste("qQ\u{1b}[A\r\u{3}")]),
    ("\u{1b}[200~\u{1b}[201\u{1b}[201~p", [.paste("\u{1b}[201"), .key("p")]), ("\u{1b}[200~\u{1b}[201~", []),
    ("\u{1b}[1;2\u{1b}[A", [.key(Key(.up))]), ("\u{1b}\u{1b}[A", [.key(Key(.escape)), .key(Key(.up))]),
    ("\u{1b}[" + String(repeating: "1;", count: 5000) + "Aq", [.key("q")]),
  ]

  @Test(arguments: [
    ("kitty(0.32.1)", true), ("kitty(0.28.0)", true), ("kitty(1.0)", true), ("kitty(0.26.5)", false), ("kitty", false),
    ("ghostty 1.0.1", true), ("WezTerm 20240203", false), ("XTerm(379)", false), ("", false),
  ])
  func `the name of a terminal decides whether it places pictures`(name: String, isAble: Bool) {
    for end in ["\u{1b}\\", "\u{7}"] {
      var decoder = InputDecoder()
      #expect(decoder.decode("\u{1b}P>|\(name)\(end)a".utf8) == [.key(Key("a"))])
      #expect(decoder.placesPictures == isAble)
    }
  }

  @Test(arguments: [
    ("kitty(0.32.1)", true), ("foot(1.16.2)", true), ("WezTerm 20240203", true), ("XTerm(379)", false),
    ("tmux 3.4", false), ("", false),
  ])
  func `the name of a terminal decides whether it has true colour`(name: String, isAble: Bool) {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1b}P>|\(name)\u{1b}\\".utf8) == [])
    #expect(decoder.hasTrueColor == isAble)
  }

  @Test(arguments: rows.indices)
  func `a sequence means one thing, however it is cut`(index: Int) {
    let (text, messages) = Self.rows[index]
    var whole = InputDecoder()
    #expect(whole.decode(text.utf8) == messages)
    #expect(whole.deadline == nil)
    var dripping = InputDecoder()
    #expect(text.utf8.flatMap { dripping.decode([$0]) } == messages)
  }

  /// The messages of two pieces with a pause between them.
  private func messages(_ pieces: [ArraySlice<UInt8>], apart pause: TimeSpan) -> (
    first: [TerminalInput], all: [TerminalInput]
  ) {
    var decoder = InputDecoder()
    var first: [TerminalInput] = []
    var now = MonotonicTime.zero
    var all: [TerminalInput] = []
    for piece in pieces {
      all += decoder.decode(piece, at: now)
      now += pause
      first = decoder.expire(at: now)
      all += first
    }
    return (first, all)
  }

  /// Sequences that can be told from keys after an Escape.
  private static let unmistakable = rows.indices.filter { index in
    let bytes = Array(rows[index].0.utf8)
    return bytes.first == 0x1b && bytes != Array("\u{1b}x".utf8) && !bytes.starts(with: "\u{1b}[M".utf8)
  }

  @Test(arguments: rows.indices)
  func `bytes of a sequence may come apart by as much as a network holds them up`(index: Int) {
    let (text, messages) = Self.rows[index]
    let bytes = Array(text.utf8)
    guard bytes.count < 1000 else { return }
    for cut in 0...bytes.count {
      let pieces = [bytes[..<cut], bytes[cut...]]
      #expect(self.messages(pieces, apart: InputDecoder.escapeTime - .milliseconds(1)).all == messages, "cut at \(cut)")
    }
    for pause in [1, 30, 49] as [Int64] {
      let all = self.messages(bytes.indices.map { bytes[$0...$0] }, apart: .milliseconds(pause)).all
      #expect(all == messages, "\(pause) ms")
    }
  }

  @Test(arguments: unmistakable)
  func `what comes late after an Escape, or later in a sequence, presses no other key`(index: Int) {
    let (text, messages) = Self.rows[index]
    let bytes = Array(text.utf8)
    guard bytes.count < 1000 else { return }
    let isOther = { (message: TerminalInput) in message != .key(Key(.escape)) }
    for pause in [51, 500, 999] as [Int64] {
      for cut in 1..<bytes.count {
        let (_, all) = self.messages([bytes[..<cut], bytes[cut...]], apart: .milliseconds(pause))
        #expect(all.filter(isOther) == messages.filter(isOther), "cut at \(cut), \(pause) ms")
        #expect(all.count <= messages.count + 1, "one Escape: cut at \(cut), \(pause) ms")
      }
      let all = self.messages(bytes.indices.map { bytes[$0...$0] }, apart: .milliseconds(pause)).all
      #expect(all.filter(isOther) == messages.filter(isOther), "\(pause) ms")
    }
  }

  @Test(arguments: rows.indices)
  func `parameters, answers and characters wait without a deadline`(index: Int) {
    let (text, messages) = Self.rows[index]
    let bytes = Array(text.utf8)
    guard bytes.count < 1000 else { return }
    for cut in 1..<max(1, bytes.count) {
      var decoder = InputDecoder()
      let first = decoder.decode(bytes[..<cut], at: .zero)
      guard decoder.deadline == nil else { continue }
      #expect(first + decoder.decode(bytes[cut...], at: .zero + .milliseconds(2900)) == messages, "cut at \(cut)")
    }
  }

  @Test(
    arguments: [
      ("\u{1b}", 50, [.key(Key(.escape))]), ("\u{1b}[", 1000, [.key(Key("[", .alt))]),
      ("\u{1b}O", 1000, [.key(Key("O", .alt))]), ("\u{1b}]", 1000, [.key(Key("]", .alt))]),
      ("\u{1b}P", 1000, [.key(Key("P", .alt))]), ("\u{1b}_", 1000, [.key(Key("_", .alt))]),
    ] as [(String, Int64, [TerminalInput])])
  func `a sequence that does not continue counts as keys`(text: String, milliseconds: Int64, messages: [TerminalInput])
  {
    var decoder = InputDecoder()
    #expect(decoder.decode(text.utf8) == [])
    #expect(decoder.deadline == .zero + .milliseconds(milliseconds))
    #expect(decoder.expire(at: .zero + .milliseconds(milliseconds - 1)) == [])
    #expect(decoder.expire(at: .zero + .milliseconds(milliseconds)) == messages)
    #expect(decoder.deadline == nil)
    #expect(decoder.decode("q".utf8, at: .zero + .milliseconds(milliseconds)) == [.key("q")])
  }

  @Test func `keys that are typed after Escape are keys`() {
    let escape = TerminalInput.key(Key(.escape))
    for (typed, keys) in [
      ("[j", [.key("["), .key("j")]), ("[[[", [.key("["), .key("["), .key("[")]), ("Oq", [.key("O"), .key("q")]),
      ("Px", [.key("P"), .key("x")]), ("]q", [.key("]"), .key("q")]), ("x", [.key("x")]), ("\\", [.key("\\")]),
      ("\r", [.key(Key(.enter))]), ("[\r", [.key("["), .key(Key(.enter))]), ("é", [.key("é")]),
      ("\u{1b}[A", [.key(Key(.up))]),
    ] as [(String, [TerminalInput])] {
      var decoder = InputDecoder()
      _ = decoder.decode([0x1b])
      #expect(decoder.expire(at: .zero + .milliseconds(50)) == [escape])
      #expect(decoder.decode(typed.utf8, at: .zero + .milliseconds(300)) == keys, "\(typed)")
    }
    for (typed, keys) in [("[", [.key("[")]), ("O", [.key("O")]), ("[[", [.key("["), .key("[")])]
      as [(String, [TerminalInput])]
    {
      var decoder = InputDecoder()
      _ = decoder.decode([0x1b])
      _ = decoder.expire(at: .zero + .milliseconds(50))
      #expect(decoder.decode(typed.utf8, at: .zero + .milliseconds(300)) == [])
      #expect(decoder.expire(at: .zero + .milliseconds(1300)) == keys)
    }
    var decoder = InputDecoder()
    _ = decoder.decode([0x1b])
    _ = decoder.expire(at: .zero + .milliseconds(50))
    #expect(
      decoder.decode("[A".utf8, at: .zero + .milliseconds(1001)) == [.key("["), .key("A")], "too late for the rest")
  }

  @Test func `broken UTF-8 is not a key, and the next byte is`() {
    for broken in [[0xff], [0xc3], [0xe5, 0xa5], [0xf0, 0x9f, 0x98], [0xc0, 0x80], [0xed, 0xa0, 0x80]] as [[UInt8]] {
      var decoder = InputDecoder()
      #expect(decoder.decode(broken + [UInt8(ascii: "q")]) == [.key("q")])
    }
  }

  @Test func `a paste is text, cut anywhere, and as much of it as anybody types`() {
    let bytes = Array("\u{1b}[200~é\u{1b}[A 1:2\u{1b}[201~q".utf8)
    for cut in 0...bytes.count {
      var decoder = InputDecoder()
      let messages = decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...])
      #expect(messages == [.paste("é\u{1b}[A 1:2"), .key("q")])
    }
  }

  @Test func `a mouse that reports pixels is placed in its cell`() {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1b}[?1016;0$y".utf8) == [])
    #expect(!decoder.canReportPixels)
    #expect(decoder.decode("\u{1b}[?1016;2$y".utf8) == [])
    #expect(decoder.canReportPixels)
    decoder.cellSize = (10, 20)
    #expect(
      decoder.decode("\u{1b}[<0;36;41M".utf8)
        == [.mouse(MouseEvent(.press(.left), column: 3, row: 2, offset: 0.55))])
  }

  @Test func `a terminal reports synchronized output`() {
    for (state, isThere) in [("0", false), ("1", true), ("2", true), ("3", true), ("4", false)] {
      var decoder = InputDecoder()
      #expect(decoder.decode("\u{1b}[?2026;\(state)$y".utf8) == [])
      #expect(decoder.canSynchronize == isThere && !decoder.canReportPixels)
    }
  }

  @Test(
    arguments: [
      ("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\", .light), ("\u{1b}]11;rgb:fd/f6/e3\u{7}", .light),
      ("\u{1b}]11;rgb:0000/2b2b/3636\u{7}", .dark), ("\u{1b}]11;rgba:0/0/0/ffff\u{1b}\\", .dark),
      ("\u{1b}]11;rgb:7f7f/7f7f/7f7f\u{7}", .light), ("\u{1b}]11;rgb:7070/7070/7070\u{7}", .dark),
      ("\u{1b}]10;rgb:ffff/ffff/ffff\u{7}", nil), ("\u{1b}]11;white\u{7}", nil), ("\u{1b}]11;rgb:/ff/ff\u{7}", nil),
      ("\u{1b}P11;rgb:ffff/ffff/ffff\u{1b}\\", nil), ("\u{1b}]11;rgb:fffff/0/0\u{7}", nil),
      ("\u{1b}]11;rgb:ff/ff\u{7}", nil),
    ] as [(String, Background?)])
  func `a terminal reports its background, cut anywhere and at any speed`(
    reply: String, background: Background?
  ) {
    let bytes = Array(reply.utf8)
    for cut in 0...bytes.count {
      var decoder = InputDecoder()
      var messages = decoder.decode(bytes[..<cut])
      // ESC alone is a key, and with one byte more another one.
      if cut != 2 { messages += decoder.expire(at: .zero + .milliseconds(999)) }
      messages += decoder.decode(bytes[cut...] + Array("q".utf8), at: .zero + .milliseconds(999))
      #expect(messages == (cut == 1 ? [.key(Key(.escape))] : []) + [.key("q")], "cut at \(cut)")
      #expect(decoder.background == background)
    }
  }

  @Test func `an answer that never ends is given up, and one that is long is no key`() {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1b}]11;".utf8) == [])
    #expect(decoder.decode("q".utf8, at: .zero + .seconds(3)) == [], "it may still be on its way")
    #expect(decoder.decode("q".utf8, at: .zero + .milliseconds(6001)) == [.key("q")])
    #expect(decoder.decode(Array("\u{1b}]1".utf8) + Array(repeating: UInt8(ascii: "q"), count: 1 << 16)) == [])
    #expect(decoder.decode("\u{7}p".utf8) == [.key("p")])
    #expect(decoder.decode("\u{1b}[1;".utf8) == [])
    #expect(decoder.decode("q".utf8, at: .zero + .milliseconds(3001)) == [.key("q")], "a sequence, too")
  }

  @Test func `Alt and a letter that could begin an answer is a key, also with others in one read`() {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1b}X2".utf8) == [.key(Key("X", .alt)), .key("2")])
    #expect(decoder.decode("\u{1b}^2".utf8) == [.key(Key("^", .alt)), .key("2")])
    #expect(decoder.decode("\u{1b}P\u{1b}[A2".utf8) == [.key(Key("P", .alt)), .key(Key(.up)), .key("2")])
    #expect(decoder.decode("\u{1b}Pj".utf8) == [.key(Key("P", .alt)), .key("j")])
    #expect(decoder.decode("\u{1b}]j".utf8) == [.key(Key("]", .alt)), .key("j")])
    #expect(decoder.decode("\u{1b}_j".utf8) == [.key(Key("_", .alt)), .key("j")])
  }

  @Test(
    arguments: [
      ("15;0", .dark), ("0;15", .light), ("0;default;15", .light), ("7;8", .dark), ("0;7", .light), ("", .unknown),
      ("15;default", .unknown), ("12;99", .unknown),
    ] as [(String, Background)])
  func `COLORFGBG ends with the background`(text: String, background: Background) {
    #expect(Background(variable: text) == background)
  }

  @Test func `focus that comes and goes is no key`() {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1b}[O\u{1b}[I\u{1b}OA".utf8) == [.focused(false), .focused(true), .key(Key(.up))])
  }

  @Test func `a megabyte of paste presses nothing`() {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1b}[200~".utf8) == [])
    #expect(decoder.deadline == nil, "nobody waits for the end of a paste")
    for _ in 0..<64 { #expect(decoder.decode(Array(repeating: UInt8(ascii: "q"), count: 16384)) == []) }
    let end = decoder.decode("\u{1b}[201~p".utf8)
    #expect(end == [.excessivePaste, .key("p")], "a part of a paste would be wrong")
    #expect(decoder.decode("\u{1b}[200~q\u{1b}[201~".utf8) == [.paste("q")])
  }

  @Test func `hundreds of dropped files arrive whole`() {
    let paths = (1...300).map { "'/music/Some artist/Some album with a long name, remastered/Track \($0).mp3'" }
    for text in [paths.joined(separator: " "), String(repeating: "s", count: InputDecoder.pasteLimit)] {
      var decoder = InputDecoder()
      #expect(decoder.decode("\u{1b}[200~\(text)\u{1b}[201~".utf8) == [.paste(text)])
      #expect(
        decoder.decode("\u{1b}[200~\(text)".utf8) + decoder.decode("\u{1b}[201~".utf8) == [.paste(text)])
    }
  }

  @Test func `a paste that is one byte too long is refused`() {
    var decoder = InputDecoder()
    let text = String(repeating: "s", count: InputDecoder.pasteLimit + 1)
    #expect(decoder.decode("\u{1b}[200~\(text)\u{1b}[201~".utf8) == [.excessivePaste])
  }

  @Test func `a paste whose end was lost can be abandoned`() {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1b}[200~qq".utf8) == [])
    #expect(decoder.isInPaste)
    #expect(decoder.decode("p\u{1b}[A".utf8, at: .zero + .milliseconds(3001)) == [.key("p"), .key(Key(.up))])
    #expect(!decoder.isInPaste)
  }

  @Test func `a paste that was held up for seconds goes on`() {
    let (start, rest) = ("\u{1b}[200~" + String(repeating: "s", count: 100), String(repeating: "v", count: 100))
    for pieces in [[start, rest, "p\u{1b}[201~q"], [start, rest + "p\u{1b}[201~q"]] {
      var decoder = InputDecoder()
      var messages: [TerminalInput] = []
      for (index, piece) in pieces.enumerated() {
        messages += decoder.decode(piece.utf8, at: .zero + .seconds(Double(index * 5)))
      }
      #expect(messages == [.paste(start.dropFirst(6) + rest + "p"), .key("q")])
    }
  }
}

extension InputDecoder {
  /// Bytes that arrive together with those before them.
  fileprivate mutating func decode(_ bytes: some Collection<UInt8>) -> [TerminalInput] { decode(bytes, at: .zero) }
}
