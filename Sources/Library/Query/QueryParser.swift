extension LibraryQuery {
  /// Parses a query.
  ///
  /// - Parameter now: Seconds since 1970, from which ages count ("added:<30d").
  public init(_ text: String, now: Int64) throws(QueryError) {
    var parser = QueryParser(text, now: now)
    self = try parser.parse()
  }

  /// The fields that a query may name, for completion and messages.
  public static var fieldNames: [String] {
    sortableNames + ["playlist", "state", "loved", "sort", "limit", "shuffle"]
  }

  /// True if a word begins as a term with a field does: `genre:jazz`, `-(genre:`.
  public static func namesField(_ word: String) -> Bool {
    let text = word.lowercased().drop { "-(".contains($0) }
    return fieldNames.contains { text.hasPrefix($0 + ":") }
  }

  /// The query that a person wrote in a shell, which has taken the quotes away: one argument `album:kind of blue` is
  /// `album:"kind of blue"`.
  public static func text(ofArguments arguments: [String]) -> String {
    arguments.map { argument in
      let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, namesField(argument), !argument.contains(where: { "\"()|".contains($0) }),
        case let words = parts[1].split(whereSeparator: \.isWhitespace), words.count > 1,
        !words.contains(where: { $0.hasPrefix("-") || namesField(String($0)) })
      else { return argument }
      let sign = parts[1].hasPrefix("=") ? "=" : ""
      return "\(parts[0]):\(sign)\"\(parts[1].dropFirst(sign.count))\""
    }.joined(separator: " ")
  }

  /// The fields by which results can be sorted.
  static var sortableNames: [String] { TextField.named.map(\.name) + NumberField.allCases.map(\.rawValue) }
}

private struct QueryParser {
  private let characters: [Character]
  private var position = 0
  private let now: Int64
  private var query = LibraryQuery()
  private var depth = 0
  private static let (depthLimit, lengthLimit) = (50, 4000)

  init(_ text: String, now: Int64) {
    characters = Array(text)
    self.now = now
  }

  mutating func parse() throws(QueryError) -> LibraryQuery {
    guard characters.count <= Self.lengthLimit else {
      throw QueryError(reason: "a query has at most \(Self.lengthLimit) characters", place: Self.lengthLimit)
    }
    let condition = try alternatives()
    query.now = now
    if position < characters.count { throw fail("there is no ( for this )") }
    query.condition = condition
    return query
  }

  private func fail(_ reason: String, at place: Int? = nil) -> QueryError {
    QueryError(reason: reason, place: place ?? position)
  }

  private mutating func skipBlanks() {
    while position < characters.count, characters[position].isWhitespace { position += 1 }
  }

  private mutating func alternatives() throws(QueryError) -> LibraryQuery.Condition {
    var parts = [try conjunction()]
    while position < characters.count, characters[position] == "|" {
      position += 1
      parts.append(try conjunction())
    }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func conjunction() throws(QueryError) -> LibraryQuery.Condition {
    var parts: [LibraryQuery.Condition] = []
    while true {
      skipBlanks()
      guard position < characters.count, characters[position] != ")", characters[position] != "|" else { break }
      if let part = try term() { parts.append(part) }
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  /// `nil` for a term without a condition: an order or a limit.
  private mutating func term() throws(QueryError) -> LibraryQuery.Condition? {
    let start = position
    switch characters[position] {
    case "-" where position + 1 < characters.count && !characters[position + 1].isWhitespace:
      position += 1
      guard characters[position] != ")", characters[position] != "|", let part = try term() else {
        throw fail("- stands before a condition", at: start)
      }
      return .not(part)
    case "(":
      guard depth < Self.depthLimit else { throw fail("too many parentheses in each other") }
      depth += 1
      defer { depth -= 1 }
      position += 1
      let part = try alternatives()
      guard position < characters.count, characters[position] == ")" else {
        throw fail("there is no ) for this (", at: start)
      }
      position += 1
      return part
    case "\"": return .text(nil, TextFolding.folded(try phrase()), isExact: false)
    default: return try word()
    }
  }

  private mutating func phrase() throws(QueryError) -> String {
    let start = position
    position += 1
    guard let end = characters[position...].firstIndex(of: "\"") else {
      throw fail("there is no second \" for this one", at: start)
    }
    defer { position = end + 1 }
    return String(characters[position..<end])
  }

  private mutating func bareWord(stoppingAtColon: Bool) -> String {
    let start = position
    while position < characters.count, case let character = characters[position], !character.isWhitespace,
      character != "(", character != ")", character != "|", character != "\"",
      !(stoppingAtColon && character == ":")
    {
      position += 1
    }
    return String(characters[start..<position])
  }

  private mutating func word() throws(QueryError) -> LibraryQuery.Condition? {
    let start = position
    let name = bareWord(stoppingAtColon: true)
    guard position < characters.count, characters[position] == ":", !name.isEmpty else {
      if name.isEmpty { _ = bareWord(stoppingAtColon: false) }
      if position == start { position += 1 }
      return .text(nil, TextFolding.folded(String(characters[start..<position])), isExact: false)
    }
    position += 1
    return try field(name.lowercased(), at: start)
  }

  private mutating func field(_ name: String, at start: Int) throws(QueryError) -> LibraryQuery.Condition? {
    let valueStart = position
    if let field = LibraryQuery.TextField(named: name) { return try text(field, named: name) }
    if let field = LibraryQuery.NumberField(rawValue: name) {
      let value = bareWord(stoppingAtColon: false)
      return .number(field, try limits(value, field, at: valueStart))
    }
    if name == "playlist" {
      let isPhrase = position < characters.count && characters[position] == "\""
      let value = isPhrase ? try phrase() : bareWord(stoppingAtColon: false)
      guard !value.isEmpty else { throw fail("playlist: takes a name; put one with blanks in \"…\"") }
      return .playlist(value)
    }
    let value = bareWord(stoppingAtColon: false).lowercased()
    switch (name, value) {
    case ("sort", _):
      query.sorts.append(try sort(value, at: valueStart))
      return nil
    case ("limit", _):
      guard let limit = Int(value), limit >= 0 else { throw fail("limit takes a number", at: valueStart) }
      query.limit = limit
      return nil
    case ("shuffle", _), ("albums", "shuffle"):
      let word = name == "albums" ? "albums" : value
      guard let shuffle = LibraryQuery.Shuffle(rawValue: word) else {
        throw fail("shuffle takes tracks, albums or weighted", at: valueStart)
      }
      query.shuffle = shuffle
      return nil
    case ("state", "here"): return .state(.here)
    case ("state", "away"): return .state(.away)
    case ("state", "missing"): return .state(.missing)
    case ("state", _): throw fail("state takes here, away or missing", at: valueStart)
    case ("loved", "yes"): return .loved(true)
    case ("loved", "no"): return .loved(false)
    case ("loved", _): throw fail("loved takes yes or no", at: valueStart)
    default:
      let names = LibraryQuery.fieldNames.joined(separator: ", ")
      throw fail("no field \"\(name)\": there are \(names); put text with a colon in \"…\"", at: start)
    }
  }

  private mutating func text(
    _ field: LibraryQuery.TextField, named name: String
  ) throws(QueryError) -> LibraryQuery.Condition {
    var isExact = false
    if position < characters.count, characters[position] == "=" {
      isExact = true
      position += 1
    }
    let isPhrase = position < characters.count && characters[position] == "\""
    let value = isPhrase ? try phrase() : bareWord(stoppingAtColon: false)
    guard isExact || !value.isEmpty else { throw fail("\(name): takes a text") }
    return .text(field, TextFolding.folded(value), isExact: isExact)
  }

  private func sort(_ value: String, at place: Int) throws(QueryError) -> LibraryQuery.Sort {
    let isDescending = value.hasSuffix("-")
    let name = isDescending || value.hasSuffix("+") ? String(value.dropLast()) : value
    if let field = LibraryQuery.TextField(named: name) {
      return LibraryQuery.Sort(key: .text(field), isDescending: isDescending)
    }
    if let field = LibraryQuery.NumberField(rawValue: name) {
      return LibraryQuery.Sort(key: .number(field), isDescending: isDescending)
    }
    throw fail("sort takes a field, with - behind it for the reverse order: sort:added-", at: place)
  }

  // MARK: Numbers

  private func limits(
    _ text: String, _ field: LibraryQuery.NumberField, at place: Int
  ) throws(QueryError) -> ClosedRange<Double> {
    func bounds(_ part: some StringProtocol) throws(QueryError) -> ClosedRange<Double> {
      guard let bounds = value(String(part), field) else {
        throw fail("\(field.rawValue): takes \(Self.examples(field))", at: place)
      }
      return bounds
    }
    // The times before the first one and after the last one.
    let (least, most) = (-Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude)
    let lessThan = { (bound: Double) in bound.nextDown }
    let isAge = field == .added || field == .played
    if text == "none" { return 0...0 }
    for (sign, isGreater, includes) in [
      (">=", true, true), ("<=", false, true), (">", true, false), ("<", false, false),
    ]
    where text.hasPrefix(sign) {
      let rest = text.dropFirst(sign.count)
      let bound = try bounds(rest)
      // An age of less than 30 days means a time after the time 30 days ago.
      if isGreater != (isAge && Self.isAge(rest)) {
        return includes ? bound.lowerBound...most : max(bound.upperBound.nextUp, least)...most
      }
      return includes ? least...bound.upperBound : least...lessThan(bound.lowerBound)
    }
    guard let dots = text.firstRange(of: "..") else {
      let bound = try bounds(text)
      return isAge && Self.isAge(text[...]) ? bound.lowerBound...most : bound
    }
    let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...])
    let low = first.isEmpty ? least : try bounds(first).lowerBound
    let high = last.isEmpty ? most : try bounds(last).upperBound
    return min(low, high)...max(low, high)
  }

  private static func isAge(_ text: Substring) -> Bool { text.last.map { "hdwmy".contains($0) } ?? false }

  private static func examples(_ field: LibraryQuery.NumberField) -> String {
    switch field {
    case .added, .played: "a date (2025-06), a span of dates (2024..2025-06) or an age (<30d)"
    case .length: "seconds or minutes (4:30), with >, < or .."
    default: "a number, with >, >=, <, <= or .. (1720..1750)"
    }
  }

  /// The range of numbers for a value: a year means all times in it.
  private func value(_ text: String, _ field: LibraryQuery.NumberField) -> ClosedRange<Double>? {
    switch field {
    case .added, .played:
      if Self.isAge(text[...]), let unit = text.last, let count = Int64(text.dropLast()), 0...100_000 ~= count {
        let seconds: Int64 =
          switch unit {
          case "h": 3600
          case "d": 86_400
          case "w": 604_800
          case "m": 2_629_800
          default: 31_557_600
          }
        let moment = Double(now - count * seconds)
        return moment...moment
      }
      return CalendarDate.moments(in: text)
    case .length:
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
      guard parts.count <= 3, !parts.isEmpty else { return nil }
      var seconds = 0.0
      for part in parts {
        guard let part, part.isFinite, part >= 0 else { return nil }
        seconds = seconds * 60 + part
      }
      return seconds...seconds
    default:
      guard let number = Double(text), number.isFinite else { return nil }
      return number...number
    }
  }
}
