/// A line that is being typed, at the foot of the lists.
struct Prompt: Sendable {
  /// What it is for.
  enum Kind: Sendable, Hashable { case command, search, filter }

  /// What a Tab goes round: what stood there, what can stand there, and which of these does.
  private struct Round: Sendable {
    var start: Int
    var candidates: [String]
    var current: Int?
  }

  /// Longer lines are cut.
  private static let limit = 4000

  let kind: Kind
  /// How it was before: the selected row, and the filter.
  let origin: (row: Int, filter: String)
  private(set) var text: [Character]
  /// Before which character of `text` one types.
  private(set) var cursor: Int
  private var round: Round?
  /// The place in the history that is shown, and what was typed before that.
  private var recalled: (place: Int, draft: [Character])?
  /// The beginning of a file's name that is being looked up.
  private(set) var lookup: String?

  init(_ kind: Kind, text: String = "", origin: (row: Int, filter: String) = (0, "")) {
    (self.kind, self.origin) = (kind, origin)
    self.text = Array(text.prefix(Self.limit))
    cursor = self.text.count
  }

  var line: String { String(text) }
  var lineToCursor: String { String(text[..<cursor]) }

  // MARK: Editing

  mutating func insert(_ characters: some Collection<Character>) {
    settle()
    let room = characters.prefix(max(0, Self.limit - text.count))
    text.insert(contentsOf: room, at: cursor)
    cursor += room.count
  }

  /// Whether the key edits; those that end the line do not.
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

  private mutating func erase(_ range: Range<Int>) {
    text.removeSubrange(range)
    cursor = range.lowerBound
  }

  /// The start of the word before the cursor.
  private var wordStart: Int {
    var start = cursor
    while start > 0, text[start - 1].isWhitespace { start -= 1 }
    while start > 0, !text[start - 1].isWhitespace { start -= 1 }
    return start
  }

  /// What is shown is what was typed: neither Tab nor history goes on from before.
  private mutating func settle() { (round, recalled, lookup) = (nil, nil, nil) }

  // MARK: History

  /// Goes back (-1) or forth in lines that begin as what was typed.
  mutating func recall(_ step: Int, in history: [String]) {
    let draft = recalled?.draft ?? text
    var place = recalled?.place ?? history.count
    repeat { place += step } while history.indices.contains(place) && !history[place].hasPrefix(String(draft))
    guard place >= 0 else { return }
    let isBack = place >= history.count
    recalled = isBack ? nil : (place, draft)
    text = isBack ? draft : Array(history[place].prefix(Self.limit))
    cursor = text.count
    (round, lookup) = (nil, nil)
  }

  // MARK: Completion

  /// The next candidate, or the one before; whether there is a round to go.
  mutating func cycle(_ step: Int) -> Bool {
    guard let round, !round.candidates.isEmpty else { return false }
    let count = round.candidates.count
    show(candidate: ((round.current ?? (step > 0 ? -1 : 0)) + step + count) % count)
    return true
  }

  private mutating func show(candidate: Int) {
    guard let start = round?.start, let word = round?.candidates[candidate] else { return }
    text.replaceSubrange(start..<cursor, with: word)
    cursor = start + word.count
    round?.current = candidate
    if round?.candidates.count == 1 { round = nil }
  }

  /// What the characters from `start` to the cursor can become; shows the first of it.
  mutating func offer(_ candidates: [String], from start: Int) {
    lookup = nil
    guard !candidates.isEmpty, start <= cursor else { return }
    round = Round(start: start, candidates: candidates)
    show(candidate: 0)
  }

  /// Names of files have been asked for.
  mutating func lookUp(_ lookup: String) { self.lookup = lookup }

  /// Which of how many candidates is shown.
  var progress: String? {
    guard let round, let current = round.current, round.candidates.count > 1 else { return nil }
    return "\(current + 1)/\(round.candidates.count)"
  }
}
