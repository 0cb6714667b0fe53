internal import ByteIO
internal import Cells
internal import Commands

/// A line that is being typed, below the lists.
struct Prompt: Sendable {
  enum Kind: Sendable, Hashable {
    case command, search, filter
    /// The name on a server that is to be added; empty for an API key.
    case serverUser(WebAddress)
    /// The password there, or the key: not shown, and not remembered.
    case serverSecret(WebAddress, user: String)
    /// The token for ListenBrainz, not shown and not remembered.
    case token
    /// `yes` accepts the certificate of the server.
    case serverCertificate(CertificateQuestion)

    /// True if the view follows the line while it is typed.
    var actsOnView: Bool { self == .search || self == .filter }
    /// True if the line is not shown.
    var isSecret: Bool { if case .serverSecret = self { true } else { self == .token } }
  }

  /// The cycle of a Tab: the original text, the candidates, and the shown one.
  private struct Round: Sendable {
    var start: Int
    var candidates: [String]
    var current: Int?
  }

  /// Longer lines are cut.
  private static let limit = 4000
  /// The number of characters that can be inserted.
  var room: Int { max(0, Self.limit - text.count) }

  let kind: Kind
  /// The selected row and the filter before the line was opened. No row if the selection moves with the music.
  let origin: (row: Int?, filter: String)
  private(set) var text: [Character]
  /// The index of the character of `text` before which text is inserted.
  private(set) var cursor: Int
  private var round: Round?
  /// The shown place in the history, and the text that was typed before.
  private var recalled: (place: Int, draft: [Character])?
  /// The names that were requested for the word before the cursor.
  private(set) var lookup: Completion.Lookup?
  /// The reason why a paste was not inserted, until the next key that edits the line.
  private(set) var refusal: String?

  init(_ kind: Kind, text: String = "", origin: (row: Int?, filter: String) = (0, "")) {
    (self.kind, self.origin) = (kind, origin)
    self.text = Array(text.prefix(Self.limit))
    cursor = self.text.count
  }

  /// The characters as they are shown.
  var shownText: [Character] { kind.isSecret ? text.map { _ in "*" } : text }
  var line: String { String(text) }
  var lineToCursor: String { String(text[..<cursor]) }

  // MARK: Editing

  mutating func insert(_ characters: some Collection<Character>) {
    settle()
    replace(cursor..<cursor, with: characters.prefix(room))
  }

  /// Puts the cursor behind the new characters. A terminal sends a mark as a character of its own: it joins the letter
  /// before.
  private mutating func replace(_ range: Range<Int>, with characters: some Sequence<Character>) {
    let start = String(text[..<range.lowerBound]) + String(characters)
    text = Array(start + String(text[range.upperBound...]))
    cursor = min(start.count, text.count)
  }

  /// Edits the line. Returns false for other keys, such as those that end the line.
  mutating func edit(_ key: Key) -> Bool {
    switch (key.symbol, key.modifiers) {
    case (.character(let character), []): insert(CollectionOfOne(character))
    case (.backspace, _), (.character("h"), .control): erase(max(0, cursor - 1)..<cursor)
    case (.delete, _), (.character("d"), .control): erase(cursor..<min(text.count, cursor + 1))
    case (.character("w"), .control): erase(wordStart..<cursor)
    case (.character("u"), .control): erase(0..<cursor)
    case (.character("k"), .control): erase(cursor..<text.count)
    case (.left, []), (.character("b"), .control): cursor = max(0, cursor - 1)
    case (.right, []), (.character("f"), .control): cursor = min(text.count, cursor + 1)
    case (.left, _), (.character("b"), .alt): cursor = wordStart
    case (.home, _), (.character("a"), .control): cursor = 0
    case (.end, _), (.character("e"), .control): cursor = text.count
    default: return false
    }
    settle()
    return true
  }

  private mutating func erase(_ range: Range<Int>) { replace(range, with: "") }

  /// The start of the word before the cursor.
  private var wordStart: Int {
    var start = cursor
    while start > 0, text[start - 1].isWhitespace { start -= 1 }
    while start > 0, !text[start - 1].isWhitespace { start -= 1 }
    return start
  }

  /// Makes the shown text the typed text: ends the cycle of Tab and of the history.
  private mutating func settle() { (round, recalled, lookup, refusal) = (nil, nil, nil, nil) }

  /// Shows the reason why a paste was not inserted.
  mutating func refuse(_ reason: String) { refusal = reason }

  // MARK: History

  /// Moves back (-1) or forward among former lines that begin with the typed text.
  mutating func recall(_ step: Int, in history: [String]) {
    let draft = recalled?.draft ?? text
    var place = recalled?.place ?? history.count
    repeat { place += step } while history.indices.contains(place) && !history[place].hasPrefix(String(draft))
    guard place >= 0 else { return }
    let isBack = place >= history.count
    recalled = isBack ? nil : (place, draft)
    text = isBack ? draft : Array(history[place].prefix(Self.limit))
    cursor = text.count
    (round, lookup, refusal) = (nil, nil, nil)
  }

  // MARK: Completion

  /// Shows the next candidate, or the one before. Returns false if there are none.
  mutating func cycle(_ step: Int) -> Bool {
    guard let round, !round.candidates.isEmpty else { return false }
    let count = round.candidates.count
    show(candidate: ((round.current ?? (step > 0 ? -1 : 0)) + step + count) % count)
    return true
  }

  private mutating func show(candidate: Int) {
    guard let start = round?.start, let word = round?.candidates[candidate] else { return }
    replace(start..<cursor, with: word)
    round?.current = candidate
    if round?.candidates.count == 1 { round = nil }
  }

  /// Sets the candidates for the characters from `start` to the cursor, and shows the first one.
  mutating func offer(_ candidates: [String], from start: Int) {
    lookup = nil
    guard !candidates.isEmpty, start <= cursor else { return }
    round = Round(start: start, candidates: candidates)
    show(candidate: 0)
  }

  /// Remembers that these names were requested, so that they are requested once.
  mutating func lookUp(_ lookup: Completion.Lookup) { self.lookup = lookup }

  /// The position of the shown candidate, and the number of candidates.
  var progress: String? {
    guard let round, let current = round.current, round.candidates.count > 1 else { return nil }
    return "\(current + 1)/\(round.candidates.count)"
  }
}
