public import ByteIO

/// The programs that the settings name, which run outside the sandbox.
public struct ProgramSettings: Sendable, Hashable {
  /// The program that gets events; `nil` for none.
  public var onEvent: ProgramLine?
  /// The programs that know where the bytes of some addresses are; `nil` for none.
  public var resolver: Resolvers?

  public init() {}
}

/// A program and its arguments, in the quotes of the command language. No shell reads them.
public struct ProgramLine: Sendable, Hashable, CustomStringConvertible {
  /// The program, by its path or its name in PATH, then its arguments.
  public let words: [String]

  /// `nil` without a program, or if a quote is not closed.
  public init?(_ text: String) {
    var scanner = CommandScanner(text)
    guard let words = try? scanner.words() else { return nil }
    self.init(words: words[...])
  }

  init?(words: ArraySlice<String>) {
    guard words.first?.isEmpty == false else { return nil }
    self.words = Array(words)
  }

  /// The form that `init` reads.
  public var description: String { words.map { quoted($0) }.joined(separator: " ") }
}

/// Patterns of addresses with the programs that resolve them: `HOST,HOST/PATH* PROGRAM ARGUMENT… ; PATTERN PROGRAM…`.
public struct Resolvers: Sendable, Hashable, CustomStringConvertible {
  private struct Rule: Hashable {
    var patterns: [String]
    var program: ProgramLine
  }

  private let rules: [Rule]

  /// `nil` if it is not in that form.
  public init?(_ text: String) {
    var scanner = CommandScanner(text)
    guard let words = try? scanner.words() else { return nil }
    let rules = words.split(separator: ";").map { words in
      ProgramLine(words: words.dropFirst()).map { program in
        Rule(patterns: words.first?.split(separator: ",").map(String.init) ?? [], program: program)
      }
    }
    guard !rules.isEmpty, rules.allSatisfy({ $0?.patterns.isEmpty == false }) else { return nil }
    self.rules = rules.compactMap(\.self)
  }

  /// The form that `init` reads.
  public var description: String {
    rules.map { "\(quoted($0.patterns.joined(separator: ","))) \($0.program)" }.joined(separator: " ; ")
  }

  /// The program of the first pattern that fits. A pattern without a slash is a host, with those below it; `*` stands for
  /// any text.
  public func program(for address: WebAddress) -> ProgramLine? {
    guard address.isHTTP, let host = address.hostName?.lowercased() else { return nil }
    let path = (address.path.isEmpty ? "/" : address.path) + (address.query.map { "?" + $0 } ?? "")
    return rules.first { rule in
      rule.patterns.contains { pattern in
        let (place, pattern) = pattern.contains("/") ? (host + path, pattern) : (host, pattern.lowercased())
        return fits(pattern, place) || !pattern.contains("/") && fits("*." + pattern, place)
      }
    }?.program
  }
}

/// True if a text is that of a pattern, in which `*` stands for any text.
private func fits(_ pattern: String, _ text: String) -> Bool {
  let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
  guard let first = parts.first, let last = parts.last, parts.count > 1 else { return pattern == text }
  guard text.hasPrefix(first) else { return false }
  var rest = text.dropFirst(first.count)
  // The first place of each part leaves the most for the others.
  for part in parts.dropFirst().dropLast() where !part.isEmpty {
    guard let place = rest.firstRange(of: part) else { return false }
    rest = rest[place.upperBound...]
  }
  return rest.hasSuffix(last)
}
