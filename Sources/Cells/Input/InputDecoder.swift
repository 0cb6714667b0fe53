public import AudioModel

/// Turns the bytes that a terminal sends into keys and mouse events: those of xterm, tmux, screen, rxvt, kitty, foot,
/// alacritty and the Linux console, the mouse as SGR (mode 1006). Unknown sequences are dropped as a whole, so that no
/// stray sequence, reply or paste ever presses a key; a paste is text.
///
/// Over a network the bytes of one key may arrive apart. Only ESC alone soon counts as a key; sequences, answers and
/// characters wait for their rest. If that comes after ESC counted as Escape, it still presses no other key.
public struct InputDecoder: Sendable {
  /// The beginning of a sequence of several bytes.
  private enum State {
    case ground
    /// A character in UTF-8.
    case character([UInt8], count: Int)
    /// ESC.
    case escape
    /// ESC O.
    case singleShift
    /// ESC [ and the bytes after it.
    case sequence([UInt8])
    /// A number of bytes to skip.
    case skipping(Int)
    /// OSC, DCS or APC, by its letter, and the bytes after it: the answer to a question. No terminal answers with SOS or
    /// PM, which are M-X and M-^.
    case reply(UInt8, [UInt8])
    /// ESC after an answer, which most probably ends it as ESC \.
    case replyEnd
    /// Between ESC [ 200 ~ and ESC [ 201 ~; the number of bytes of the latter that have arrived.
    case paste(matched: Int)
  }

  private static let pasteEnd = Array("\u{1b}[201~".utf8)
  /// More bytes than any known sequence has. Longer sequences are dropped, too.
  private static let sequenceLimit = 64

  /// Bytes of a paste: some thousand paths. A longer one is refused as a whole, since a part of it would be wrong.
  static let pasteLimit = 1 << 18

  /// The time after which ESC alone is the key Escape: shorter than the time to the next key of a fast typist, longer
  /// than most gaps between packets of a wireless network.
  static let escapeTime = TimeSpan.milliseconds(50)
  /// The time in which the rest of a sequence arrives whose beginning would be a key by itself.
  static let sequenceTime = TimeSpan.seconds(1)
  /// The time after which the rest of a paste, an answer or a sequence is lost if a key arrives instead.
  static let lossTime = TimeSpan.seconds(3)

  private var state = State.ground
  /// True if the ESC of `state` was taken for the key Escape.
  private var isLate = false
  private var lastByteTime = MonotonicTime.zero
  private var pasted: [UInt8] = []
  /// True once the terminal has answered that it can report the mouse in pixels (mode 1016).
  public private(set) var canReportPixels = false
  /// True once the terminal has answered that it can show a frame at once (synchronized output, mode 2026).
  public private(set) var canSynchronize = false
  /// True once the terminal has named itself as one that shows pictures in place of placeholders (XTVERSION).
  public private(set) var placesPictures = false
  /// True once the terminal has named itself as one that shows any RGB colour (XTVERSION).
  public private(set) var hasTrueColor = false
  /// True once the terminal has answered that it can show sixels (primary device attributes).
  public private(set) var canShowSixels = false
  /// The background that the terminal has reported (OSC 11).
  public private(set) var background: Background?
  /// The size of a cell in pixels, if the terminal reports the mouse in pixels; `nil` if it reports cells.
  public var cellSize: (width: Int, height: Int)?

  public init() {}

  /// The time at which the beginning of a sequence is a key of its own; `nil` if it is none. Call `expire` then, unless
  /// more bytes have arrived.
  public var deadline: MonotonicTime? {
    switch state {
    case .escape where !isLate: lastByteTime + Self.escapeTime
    case .singleShift, .sequence([]), .reply(_, []): lastByteTime + Self.sequenceTime
    case .sequence where isLate: lastByteTime + Self.sequenceTime
    default: nil
    }
  }

  /// True if a paste has begun and not ended.
  public var isInPaste: Bool { if case .paste = state { true } else { false } }

  /// True if something has begun whose end may have been lost, and whose beginning is no key.
  private var isUnfinished: Bool {
    switch state {
    case .ground, .escape: false
    default: deadline == nil
    }
  }

  /// The input of these bytes, together with those that were waiting for them.
  ///
  /// - Parameter now: The time of their arrival.
  public mutating func decode(_ bytes: some Collection<UInt8>, at now: MonotonicTime) -> [TerminalInput] {
    let silence = now - lastByteTime
    var inputs: [TerminalInput] = []
    if silence > Self.sequenceTime {
      inputs = giveUp()
      if case .escape = state { state = .ground }
    }
    // A key has few bytes; the rest of a paste that was held up has many, or its end.
    let isKey = bytes.count < Self.sequenceLimit && bytes.firstRange(of: Self.pasteEnd) == nil
    if silence > Self.lossTime, isUnfinished, isKey { state = .ground }
    lastByteTime = now
    for byte in bytes { inputs += take(byte) }
    return inputs
  }

  /// The keys that the pending bytes are by themselves, if their deadline is over.
  public mutating func expire(at now: MonotonicTime) -> [TerminalInput] {
    guard let deadline, deadline <= now else { return [] }
    return giveUp()
  }

  private mutating func giveUp() -> [TerminalInput] {
    guard deadline != nil else { return [] }
    if case .escape = state {
      isLate = true
      return [.key(Key(.escape))]
    }
    let typed = bytesAfterEscape
    state = .ground
    return keys(typed)
  }

  /// The pending bytes after ESC.
  private var bytesAfterEscape: [UInt8] {
    switch state {
    case .singleShift: [UInt8(ascii: "O")]
    case .sequence(let parameters): [UInt8(ascii: "[")] + parameters
    case .reply(let letter, _): [letter]
    default: []
    }
  }

  /// Bytes after ESC as keys: with Alt, unless the ESC was the key Escape.
  private func keys(_ bytes: [UInt8]) -> [TerminalInput] {
    bytes.compactMap(asciiKey).map { .key(Key($0.symbol, isLate ? $0.modifiers : $0.modifiers.union(.alt))) }
  }

  private mutating func take(_ byte: UInt8) -> [TerminalInput] {
    switch state {
    case .ground: return takeInGround(byte)
    case .character(let bytes, let count): return take(byte, after: bytes, count: count)
    case .escape: return takeAfterEscape(byte)
    case .singleShift:
      let key = singleShiftKey(byte)
      if key == nil, isLate { return abandon(byte) }
      state = .ground
      return key.map { [.key($0)] } ?? []
    case .sequence(let parameters): return take(byte, after: parameters)
    case .skipping(let count): state = count > 1 ? .skipping(count - 1) : .ground
    case .reply(let letter, []) where !beginsReply(byte, to: letter): return abandon(byte)
    case .reply(let letter, let bytes): takeInReply(byte, letter, bytes)
    case .replyEnd:
      (state, isLate) = (.escape, false)
      return takeAfterEscape(byte)
    case .paste(let matched):
      let isNext = byte == Self.pasteEnd[matched]
      let matched = isNext ? matched + 1 : byte == 0x1b ? 1 : 0
      state = .paste(matched: matched)
      // One byte too many shows that the paste is too long.
      if pasted.count <= Self.pasteLimit + Self.pasteEnd.count { pasted.append(byte) }
      if matched == Self.pasteEnd.count { return endPaste() }
    }
    return []
  }

  /// Takes the pending bytes as keys, and then one that does not belong to them.
  private mutating func abandon(_ byte: UInt8) -> [TerminalInput] {
    let keys = keys(bytesAfterEscape)
    return keys + takeInGround(byte)
  }

  private mutating func takeInReply(_ byte: UInt8, _ letter: UInt8, _ bytes: [UInt8]) {
    let isOver = byte == 0x07 || byte == 0x1b  // ESC \ ends it, as would any other sequence.
    if isOver, letter == UInt8(ascii: "]") { background = Background(reply: bytes) ?? background }
    if isOver, letter == UInt8(ascii: "P"), bytes.starts(with: ">|".utf8) { note(name: bytes.dropFirst(2)) }
    let kept = bytes.count < Self.sequenceLimit ? bytes + [byte] : bytes
    state = byte == 0x07 ? .ground : isOver ? .replyEnd : .reply(letter, kept)
  }

  private mutating func endPaste() -> [TerminalInput] {
    state = .ground
    defer { pasted = [] }
    guard pasted.count <= Self.pasteLimit + Self.pasteEnd.count else { return [.excessivePaste] }
    let text = pasted.dropLast(Self.pasteEnd.count)
    return text.isEmpty ? [] : [.paste(String(decoding: text, as: UTF8.self))]
  }

  private mutating func takeInGround(_ byte: UInt8) -> [TerminalInput] {
    state = .ground
    switch byte {
    case 0x1b: (state, isLate) = (.escape, false)
    case 0xc2...0xdf: state = .character([byte], count: 2)
    case 0xe0...0xef: state = .character([byte], count: 3)
    case 0xf0...0xf4: state = .character([byte], count: 4)
    default: return asciiKey(byte).map { [.key($0)] } ?? []
    }
    return []
  }

  private mutating func take(_ byte: UInt8, after bytes: [UInt8], count: Int) -> [TerminalInput] {
    guard 0x80...0xbf ~= byte else { return takeInGround(byte) }
    let bytes = bytes + [byte]
    guard bytes.count == count else {
      state = .character(bytes, count: count)
      return []
    }
    state = .ground
    guard let character = String(validating: bytes, as: UTF8.self)?.first else { return [] }
    return [.key(Key(character))]
  }

  private mutating func takeAfterEscape(_ byte: UInt8) -> [TerminalInput] {
    switch byte {
    case UInt8(ascii: "["): state = .sequence([])
    case UInt8(ascii: "O"): state = .singleShift
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"): state = .reply(byte, [])
    case 0x1b where !isLate: return [.key(Key(.escape))]  // The first ESC was a key of its own.
    case _ where isLate: return takeInGround(byte)
    case UInt8(ascii: "\\"): state = .ground
    default:
      guard var key = asciiKey(byte) else { return takeInGround(byte) }
      state = .ground
      key.modifiers.insert(.alt)
      return [.key(key)]
    }
    return []
  }

  private mutating func take(_ byte: UInt8, after parameters: [UInt8]) -> [TerminalInput] {
    // Escape and other keys, unless numbers show that it is a sequence.
    let mayBeTyped = isLate && (parameters.isEmpty || parameters == [UInt8(ascii: "[")])
    switch byte {
    case 0x20...0x3f:
      if parameters.count < Self.sequenceLimit { state = .sequence(parameters + [byte]) }
    case UInt8(ascii: "[") where parameters.isEmpty: state = .sequence([byte])  // The Linux console's F1...F5.
    case UInt8(ascii: "M") where parameters.isEmpty && !isLate: state = .skipping(3)  // A mouse report of mode 1000.
    case 0x40...0x7e:
      let input = input(forSequence: parameters, final: byte).map(placed)
      let isPaste = byte == UInt8(ascii: "~") && parameters.elementsEqual("200".utf8)
      if mayBeTyped, input == nil { return abandon(byte) }
      state = isPaste ? .paste(matched: 0) : .ground
      pasted = []
      if byte == UInt8(ascii: "y") { note(mode: parameters) }
      if byte == UInt8(ascii: "c"), parameters.first == UInt8(ascii: "?") { note(attributes: parameters.dropFirst()) }
      return input.map { [$0] } ?? []
    default: return mayBeTyped ? abandon(byte) : takeInGround(byte)  // The sequence was cut off.
    }
    return []
  }
}

/// True if answers of this kind begin so: OSC with its number, DCS with that or a sign, kitty's APC with G.
private func beginsReply(_ byte: UInt8, to letter: UInt8) -> Bool {
  switch letter {
  case UInt8(ascii: "_"): byte == UInt8(ascii: "G")
  case UInt8(ascii: "P"): 0x21...0x3f ~= byte
  default: 0x30...0x39 ~= byte
  }
}

extension InputDecoder {
  /// ESC [ ? mode ; state $ y   0 unknown, 1 set, 2 reset, 3 and 4 permanently so (DECRPM).
  private mutating func note(mode parameters: [UInt8]) {
    let isThere = parameters.count == 8 && (UInt8(ascii: "1")...UInt8(ascii: "3")).contains(parameters[6])
    if parameters.starts(with: "?1016;".utf8) { canReportPixels = isThere }
    if parameters.starts(with: "?2026;".utf8) { canSynchronize = isThere }
  }

  /// ESC [ ? class ; extension ; ... c   The extension 4 is sixel graphics (DA1).
  private mutating func note(attributes parameters: ArraySlice<UInt8>) {
    canShowSixels = parameters.split(separator: UInt8(ascii: ";")).dropFirst().contains { $0.elementsEqual("4".utf8) }
  }

  /// ESC P > | kitty(0.32.1) ESC \   kitty has placeholders since 0.28, Ghostty from its first version on.
  private mutating func note(name bytes: ArraySlice<UInt8>) {
    let name = String(decoding: bytes, as: UTF8.self)
    let words = name.split { "(). ".contains($0) }
    let version = words.dropFirst().prefix(2).map { Int($0) ?? 0 }
    hasTrueColor = Self.showsTrueColor(terminal: name)
    placesPictures = words.first == "ghostty" || words.first == "kitty" && !version.lexicographicallyPrecedes([0, 28])
  }

  /// True if a terminal with this answer to XTVERSION shows any RGB colour. xterm shows the nearest of its palette, and
  /// tmux does not know the terminal around it.
  public static func showsTrueColor(terminal answer: String) -> Bool {
    let name = answer.prefix { $0 != "(" && $0 != " " }
    return ["contour", "foot", "ghostty", "iTerm2", "kitty", "Konsole", "mintty", "VTE", "WezTerm"].contains(name)
  }

  /// The event in cells, if it was reported in pixels.
  private func placed(_ input: TerminalInput) -> TerminalInput {
    guard case .mouse(var event) = input, let cellSize, cellSize.width > 0, cellSize.height > 0 else {
      return input
    }
    event.offset = (Double(event.column % cellSize.width) + 0.5) / Double(cellSize.width)
    event.column /= cellSize.width
    event.row /= cellSize.height
    return .mouse(event)
  }
}

/// A key that sends one byte.
private func asciiKey(_ byte: UInt8) -> Key? {
  switch byte {
  case 0x09: Key(.tab)
  case 0x0a, 0x0d: Key(.enter)
  case 0x08, 0x7f: Key(.backspace)
  case 0: Key(" ", .control)
  case 0x01...0x1a: Key(Character(Unicode.Scalar(byte + 0x60)), .control)
  case 0x1c...0x1f: Key(Character(Unicode.Scalar(byte + 0x40)), .control)
  case 0x20...0x7e: Key(Character(Unicode.Scalar(byte)))
  default: nil
  }
}

/// A key by the letter that ends its sequence, the same after ESC O and ESC [.
private func letterSymbol(_ letter: UInt8) -> Key.Symbol? {
  switch letter {
  case UInt8(ascii: "A"): .up
  case UInt8(ascii: "B"): .down
  case UInt8(ascii: "C"): .right
  case UInt8(ascii: "D"): .left
  case UInt8(ascii: "H"): .home
  case UInt8(ascii: "F"): .end
  case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(letter - UInt8(ascii: "P")) + 1)
  default: nil
  }
}

private func singleShiftKey(_ letter: UInt8) -> Key? {
  switch letter {
  case UInt8(ascii: "M"): Key(.enter)  // Of the keypad.
  case UInt8(ascii: "a")...UInt8(ascii: "d"): letterSymbol(letter - 0x20).map { Key($0, .control) }  // rxvt.
  default: letterSymbol(letter).map { Key($0) }
  }
}

/// A key by the number before `~`.
private func numberedSymbol(_ number: Int) -> Key.Symbol? {
  switch number {
  case 1, 7: .home
  case 2: .insert
  case 3: .delete
  case 4, 8: .end
  case 5: .pageUp
  case 6: .pageDown
  case 11...15: .function(number - 10)
  case 17...21: .function(number - 11)
  case 23, 24: .function(number - 12)
  default: nil
  }
}

private func input(forSequence parameters: [UInt8], final: UInt8) -> TerminalInput? {
  if parameters.first == UInt8(ascii: "<") {
    return mouseEvent(parameters.dropFirst(), final: final).map { .mouse($0) }
  }
  if parameters == [UInt8(ascii: "[")] {
    guard UInt8(ascii: "A")...UInt8(ascii: "E") ~= final else { return nil }
    return .key(Key(.function(Int(final - UInt8(ascii: "A")) + 1)))
  }
  // ESC [ n ; m final   m: 1 + modifiers; 8 and above are kitty's.
  guard let numbers = numbers(in: parameters[...]), numbers.count < 3 else { return nil }
  let modifiers = Key.Modifiers(rawValue: UInt8(truncatingIfNeeded: max(1, numbers.last ?? 1) - 1) & 7)
  switch final {
  case UInt8(ascii: "~"):
    return numbers.first.flatMap(numberedSymbol).map { .key(Key($0, numbers.count == 2 ? modifiers : [])) }
  case UInt8(ascii: "Z"): return .key(Key(.tab, .shift))
  case UInt8(ascii: "I") where parameters.isEmpty: return .focused(true)
  case UInt8(ascii: "O") where parameters.isEmpty: return .focused(false)
  case UInt8(ascii: "a")...UInt8(ascii: "d") where numbers.isEmpty:  // rxvt.
    return letterSymbol(final - 0x20).map { .key(Key($0, .shift)) }
  default:
    guard numbers.first ?? 1 == 1 else { return nil }  // A cursor position report.
    return letterSymbol(final).map { .key(Key($0, modifiers)) }
  }
}

// ESC [ < b ; x ; y M or m   b: 0-2 buttons, +4 Shift, +8 Alt, +16 Control, +32 motion, +64 wheel; x, y from 1.
private func mouseEvent(_ parameters: ArraySlice<UInt8>, final: UInt8) -> MouseEvent? {
  guard let numbers = numbers(in: parameters), numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
  let code = numbers[0]
  let button: MouseEvent.Button? = [0: .left, 1: .middle, 2: .right][code & 0b11]
  let kind: MouseEvent.Kind? =
    switch (code & 0b110_0000, final) {
    case (0b100_0000, UInt8(ascii: "M")): [0: .wheelUp, 1: .wheelDown][code & 0b11]
    case (0b010_0000, UInt8(ascii: "M")): button.map { .drag($0) }
    case (0, UInt8(ascii: "M")): button.map { .press($0) }
    case (0, UInt8(ascii: "m")), (0b010_0000, UInt8(ascii: "m")): button.map { .release($0) }
    default: nil
    }
  guard let kind, code < 128 else { return nil }
  let modifiers = Key.Modifiers(rawValue: UInt8(code >> 2 & 0b111))
  return MouseEvent(kind, column: numbers[1] - 1, row: numbers[2] - 1, modifiers: modifiers)
}

/// Numbers between semicolons; `nil` for other bytes or absurd numbers. Subparameters behind a colon, as kitty adds
/// them, are ignored.
private func numbers(in parameters: ArraySlice<UInt8>) -> [Int]? {
  guard !parameters.isEmpty else { return [] }
  var numbers: [Int] = []
  for field in parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
    let digits = field.prefix { $0 != UInt8(ascii: ":") }
    var number = 0
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit, number < 100_000 else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    numbers.append(number)
  }
  return numbers
}
