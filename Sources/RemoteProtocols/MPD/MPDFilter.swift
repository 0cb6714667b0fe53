internal import Player

/// A filter of songs: pairs of a tag and a text, or an expression in parentheses (MPD's "Filters").
struct MPDFilter: Equatable {
  indirect enum Node: Equatable {
    case all([Node])
    case not(Node)
    case compare(tag: String, Comparison, String)
    case always
  }

  enum Comparison: String, Equatable {
    case equals = "==", differs = "!=", contains, startsWith = "starts_with"
  }

  private let root: Node
  private let foldsCase: Bool

  /// Reads `TAG TEXT...` or an expression; `window` and `sort` behind it must have been taken off.
  init(_ words: ArraySlice<String>, isExact: Bool) throws(MPDError) {
    foldsCase = !isExact
    guard let first = words.first else { throw MPDError(code: .argument, text: "not enough arguments") }
    if first.hasPrefix("(") {
      guard words.count == 1 else { throw MPDError(code: .argument, text: "Unexpected argument behind the filter") }
      var scanner = Scanner(rest: first[...])
      root = try scanner.node(depth: 0)
      guard scanner.isAtEnd else { throw Self.malformed }
      return
    }
    guard words.count % 2 == 0 else { throw MPDError(code: .argument, text: "Incorrect number of filter arguments") }
    var nodes: [Node] = []
    var rest = words
    while let tag = rest.popFirst(), let value = rest.popFirst() {
      nodes.append(.compare(tag: try Self.tag(tag), isExact ? .equals : .contains, value))
    }
    root = .all(nodes)
  }

  private static let malformed = MPDError(code: .argument, text: "Malformed filter expression")

  fileprivate static func tag(_ name: String) throws(MPDError) -> String {
    let folded = name.lowercased()
    if ["any", "file", "base", "filename"].contains(folded) { return folded == "filename" ? "file" : folded }
    guard let tag = MPDSong.tagType(folded) else {
      throw MPDError(code: .argument, text: "Unknown filter type: \(name)")
    }
    return tag
  }

  /// True if a song matches.
  func matches(_ facts: TrackFacts?, _ name: String) -> Bool { matches(root, MPDSong.tags(facts), name) }

  private func matches(_ node: Node, _ tags: [(String, String)], _ name: String) -> Bool {
    switch node {
    case .always: return true
    case .all(let nodes): return nodes.allSatisfy { matches($0, tags, name) }
    case .not(let node): return !matches(node, tags, name)
    case .compare("base", _, let value): return value.isEmpty || name == value || name.hasPrefix(value + "/")
    case .compare(let tag, let comparison, let value):
      var values = tag == "file" ? [name] : tags.filter { tag == "any" || $0.0 == tag }.map(\.1)
      // The artist replaces a missing album artist, and a missing value counts as empty.
      if values.isEmpty, tag == "AlbumArtist" { values = tags.filter { $0.0 == "Artist" }.map(\.1) }
      if values.isEmpty { values = [""] }
      return comparison == .differs
        ? values.allSatisfy { !compare($0, .equals, value) } : values.contains { compare($0, comparison, value) }
    }
  }

  private func compare(_ text: String, _ comparison: Comparison, _ value: String) -> Bool {
    let (text, value) = foldsCase ? (text.lowercased(), value.lowercased()) : (text, value)
    return switch comparison {
    case .equals, .differs: text == value
    case .contains: value.isEmpty || text.contains(value)
    case .startsWith: text.hasPrefix(value)
    }
  }

  /// Reads `(TAG == 'text')`, `((a) AND (b))`, `(!(a))`.
  private struct Scanner {
    var rest: Substring

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

    mutating func node(depth: Int) throws(MPDError) -> Node {
      guard depth < 16, take("(") else { throw MPDFilter.malformed }
      if take("!") {
        let node = Node.not(try node(depth: depth + 1))
        guard take(")") else { throw MPDFilter.malformed }
        return node
      }
      skip()
      if rest.hasPrefix("(") {
        var nodes = [try node(depth: depth + 1)]
        while take("AND") { nodes.append(try node(depth: depth + 1)) }
        guard take(")") else { throw MPDFilter.malformed }
        return .all(nodes)
      }
      let name = String(rest.prefix { $0.isLetter || $0 == "-" || $0 == "_" })
      rest = rest.dropFirst(name.count)
      if name.lowercased() == "base" {
        let node = Node.compare(tag: "base", .equals, try value())
        guard take(")") else { throw MPDFilter.malformed }
        return node
      }
      // Songs have no such facts here, so all of them match.
      let isIgnored = ["modified-since", "added-since", "audioformat", "prio"].contains(name.lowercased())
      let tag = isIgnored ? "" : try MPDFilter.tag(name)
      var comparison = Comparison.equals
      if take("==") || take("eq_cs") || take("eq_ci") {
        comparison = .equals
      } else if take("!=") {
        comparison = .differs
      } else if take("contains_cs") || take("contains_ci") || take("contains") {
        comparison = .contains
      } else if take("starts_with_cs") || take("starts_with_ci") || take("starts_with") {
        comparison = .startsWith
      } else if !isIgnored {
        throw MPDError(code: .argument, text: "Unknown filter operator")
      }
      let value = try value()
      guard take(")") else { throw MPDFilter.malformed }
      return isIgnored ? .always : .compare(tag: tag, comparison, value)
    }

    private mutating func value() throws(MPDError) -> String {
      skip()
      guard let quote = rest.popFirst(), quote == "'" || quote == "\"" else { throw MPDFilter.malformed }
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
      throw MPDFilter.malformed
    }
  }
}
