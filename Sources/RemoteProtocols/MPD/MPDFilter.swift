internal import AudioModel
internal import ByteIO
internal import Library

/// A filter of songs: pairs of a tag and a text, or an expression in parentheses (MPD's "Filters").
struct MPDFilter: Sendable {
  private indirect enum Node: Sendable {
    case all([Node])
    case not(Node)
    case text(tag: String, TextCondition)
    /// Songs in a folder.
    case base(String)
    /// Seconds since 1970.
    case modifiedSince(Int64)
    case addedSince(Int64)
    /// Rate, bits and channels; `nil` for any.
    case audioFormat([String?])
    /// This priority or a higher one.
    case priority(Int)
  }

  private enum TextCondition: Sendable {
    /// The text is folded.
    case compare(Comparison, String, Folding)
    case pattern(TextPattern)

    /// The condition on songs without the tag: no value is an empty one.
    var isMetByNothing: Bool { if case .compare(_, "", _) = self { true } else { false } }

    func isMet(by text: String) -> Bool {
      switch self {
      case .pattern(let pattern): pattern.matches(text)
      case .compare(let comparison, let value, let folding): MPDFilter.compare(text, comparison, value, folding)
      }
    }
  }

  private enum Comparison: Sendable {
    case equals, contains, startsWith
  }

  /// Differences between texts that a comparison ignores.
  private struct Folding: Sendable {
    var ignoresCase: Bool
    var ignoresAccents: Bool

    func callAsFunction(_ text: String) -> String {
      let text = ignoresAccents ? text.withoutDiacritics : text
      return ignoresCase ? text.lowercased() : text
    }
  }

  private let root: Node
  private let effort: TextPattern.Effort

  /// The reason why not all songs were compared, because a regular expression was too costly.
  var failure: MPDError? { effort.failure.map { MPDError(code: .system, text: $0) } }

  /// Reads `TAG TEXT...` or expressions; `window` and `sort` behind them must have been taken off.
  ///
  /// - Parameters:
  ///   - isExact: False for `search`, which finds parts of texts, whatever their case.
  ///   - state: The client may have asked for texts without accents.
  ///   - patience: The time that regular expressions may take.
  init(
    _ words: ArraySlice<String>, isExact: Bool, _ state: MPDState, patience: TimeSpan = .seconds(5)
  ) throws(MPDError) {
    effort = TextPattern.Effort(limit: patience)
    let folding = Folding(
      ignoresCase: !isExact, ignoresAccents: state.normalizations.contains(MPDSession.stripsDiacritics))
    var nodes: [Node] = []
    var rest = words
    while let first = rest.popFirst() {
      if first.hasPrefix("(") {
        var scanner = Scanner(rest: first[...], folding: folding, effort: effort)
        nodes.append(try scanner.node(depth: 0))
        guard scanner.isAtEnd else { throw Self.failure("Unparsed garbage after expression") }
        continue
      }
      guard let value = rest.popFirst() else { throw Self.failure("Incorrect number of filter arguments") }
      switch try Self.subject(first, orElse: "Unknown filter type") {
      case .condition(let make): nodes.append(try make(value))
      case .tag(let tag):
        let isWhole = isExact || tag == "file" && value.isEmpty
        nodes.append(.text(tag: tag, .compare(isWhole ? .equals : .contains, folding(value), folding)))
      case .audioFormat, .priority: throw Self.failure("Unknown filter type")
      }
    }
    root = .all(nodes)
  }

  private static func failure(_ text: String) -> MPDError { MPDError(code: .argument, text: text) }

  /// The part of a song that a condition is about.
  private enum Subject {
    case tag(String)
    /// Its folder, or one of its times.
    case condition((String) throws(MPDError) -> Node)
    case audioFormat, priority
  }

  private static func subject(_ name: String, orElse text: String) throws(MPDError) -> Subject {
    switch name.lowercased() {
    case "any": return .tag("any")
    case "file", "filename": return .tag("file")
    case "base": return .condition { .base($0) }
    case "modified-since": return .condition { (text) throws(MPDError) in .modifiedSince(try time(text)) }
    case "added-since": return .condition { (text) throws(MPDError) in .addedSince(try time(text)) }
    case "audioformat": return .audioFormat
    case "prio": return .priority
    case let folded:
      guard let tag = MPDTag.named(folded) else { throw failure(text) }
      return .tag(tag)
    }
  }

  private static func time(_ text: String) throws(MPDError) -> Int64 {
    guard let time = UTCTime.seconds(text) else { throw failure("Failed to parse time stamp") }
    return time
  }

  // MARK: Matching

  func matches(_ song: MPDSong, _ places: MPDPlaces) -> Bool { matches(root, song, places) }

  private func matches(_ node: Node, _ song: MPDSong, _ places: MPDPlaces) -> Bool {
    switch node {
    case .all(let nodes): return nodes.allSatisfy { matches($0, song, places) }
    case .not(let node): return !matches(node, song, places)
    case .modifiedSince(let time): return song.modified >= time
    case .addedSince(let time): return song.added >= time
    case .base(let folder):
      guard let base = places.path(of: folder), let path = song.location.libraryPath else {
        return folder.isEmpty
      }
      return path.isInside(base)
    case .audioFormat(let mask):
      return song.audioFormat.map { format in
        zip(mask, format.split(separator: ":")).allSatisfy { wanted, part in wanted.map { $0 == part } ?? true }
      } ?? false
    case .priority(let least): return song.priority >= least
    case .text("file", let condition): return condition.isMet(by: song.name)
    case .text("any", let condition):
      return song.values(of: Self.allTags).contains { condition.isMet(by: $0.value) }
    case .text(let tag, let condition):
      let values = song.valuesOrStandIns(of: tag)
      return values.isEmpty ? condition.isMetByNothing : values.contains(where: condition.isMet)
    }
  }

  private static let allTags = Set(MPDTag.all)

  private static func compare(_ text: String, _ comparison: Comparison, _ value: String, _ folding: Folding) -> Bool {
    let text = folding(text)
    return switch comparison {
    case .equals: text.utf8.elementsEqual(value.utf8)
    case .contains: value.isEmpty || text.utf8.count >= value.utf8.count && text.contains(value)
    case .startsWith: text.utf8.starts(with: value.utf8)
    }
  }

  // MARK: Expressions

  /// Reads `(TAG == 'text')`, `((a) AND (b))`, `(!(a))`.
  private struct Scanner {
    var rest: Substring
    let folding: Folding
    let effort: TextPattern.Effort

    var isAtEnd: Bool {
      mutating get {
        skip()
        return rest.isEmpty
      }
    }

    private mutating func skip() { rest = rest.drop { $0 == " " || $0 == "\t" } }

    private mutating func take(_ text: String) -> Bool {
      skip()
      guard rest.hasPrefix(text) else { return false }
      rest = rest.dropFirst(text.count)
      return true
    }

    private mutating func need(_ text: String) throws(MPDError) {
      guard take(text) else { throw MPDFilter.failure("'\(text)' expected") }
    }

    mutating func node(depth: Int) throws(MPDError) -> Node {
      guard depth < 16 else { throw MPDFilter.failure("Too many nested expressions") }
      try need("(")
      if take("!") {
        let node = Node.not(try node(depth: depth + 1))
        try need(")")
        return node
      }
      skip()
      if rest.hasPrefix("(") {
        var nodes = [try node(depth: depth + 1)]
        while !take(")") {
          guard take("AND") else { throw MPDFilter.failure("'AND' expected") }
          nodes.append(try node(depth: depth + 1))
        }
        return .all(nodes)
      }
      let node = try condition()
      try need(")")
      return node
    }

    private mutating func condition() throws(MPDError) -> Node {
      let name = String(rest.prefix { $0.isLetter || $0 == "-" || $0 == "_" })
      rest = rest.dropFirst(name.count)
      guard !name.isEmpty else { throw MPDFilter.failure("Word expected") }
      switch try MPDFilter.subject(name, orElse: "Unknown filter type: \(name)") {
      case .condition(let make): return try make(try value())
      case .audioFormat:
        let isMask = take("=~")
        guard isMask || take("==") else { throw MPDFilter.failure("'==' or '=~' expected") }
        return .audioFormat(try audioFormat(try value(), isMask: isMask))
      case .priority:
        guard take(">=") else { throw MPDFilter.failure("'>=' expected") }
        skip()
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest = rest.dropFirst(digits.count)
        guard !digits.isEmpty else { throw MPDFilter.failure("Number expected") }
        guard let least = Int(digits), least <= 255 else { throw MPDFilter.failure("Invalid priority value") }
        return .priority(least)
      case .tag(let tag): return try comparison(of: tag)
      }
    }

    private mutating func comparison(of tag: String) throws(MPDError) -> Node {
      if take("=~") { return .text(tag: tag, .pattern(try pattern())) }
      if take("!~") { return .not(.text(tag: tag, .pattern(try pattern()))) }
      let isNegated = take("!=") || take("!")
      // "!=" is a negated "==".
      let isEqualSign = isNegated && !rest.hasPrefix("contains") && !rest.hasPrefix("starts") && !rest.hasPrefix("eq")
      var folding = folding
      var kind = Comparison.equals
      if !isEqualSign, !take("==") {
        let word = ["contains", "starts_with", "eq"].first { rest.hasPrefix($0) }
        guard let word else { throw MPDFilter.failure("'==' or '!=' expected") }
        rest = rest.dropFirst(word.count)
        kind = word == "eq" ? .equals : word == "contains" ? .contains : .startsWith
        if rest.hasPrefix("_cs") { (folding.ignoresCase, rest) = (false, rest.dropFirst(3)) }
        if rest.hasPrefix("_ci") { (folding.ignoresCase, rest) = (true, rest.dropFirst(3)) }
      }
      let node = Node.text(tag: tag, .compare(kind, folding(try value()), folding))
      return isNegated ? .not(node) : node
    }

    private mutating func pattern() throws(MPDError) -> TextPattern {
      let expression = try value()
      do throws(TextPattern.Refusal) {
        return try TextPattern(expression, ignoresCase: folding.ignoresCase, effort)
      } catch { throw MPDFilter.failure(error.text) }
    }

    /// `RATE:BITS:CHANNELS`; in a mask `*` is any of them.
    private func audioFormat(_ text: String, isMask: Bool) throws(MPDError) -> [String?] {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      let names = ["sample rate", "sample format", "channel count"]
      guard parts.count == names.count else { throw MPDFilter.failure("Failed to parse the audio format") }
      return try zip(parts, names).map { (part, name) throws(MPDError) in
        if isMask, part == "*" { return nil }
        let isKnown = name == "sample format" && part == "f" || (1...99_999_999).contains(Int(part) ?? 0)
        guard isKnown else { throw MPDFilter.failure("Failed to parse the \(name)") }
        return part
      }
    }

    private mutating func value() throws(MPDError) -> String {
      skip()
      guard let quote = rest.popFirst(), quote == "'" || quote == "\"" else {
        throw MPDFilter.failure("Quoted string expected")
      }
      var text = ""
      while let character = rest.popFirst() {
        if character == quote { return text }
        if character == "\\" {
          guard let next = rest.popFirst() else { break }
          text.append(next)
        } else {
          text.append(character)
        }
      }
      throw MPDFilter.failure("Closing quote not found")
    }
  }
}
