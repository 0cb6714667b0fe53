/// A number without an empty fraction: `2`, `2.5`.
public func written(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? String(number) }

/// A change of a number: `+2`, `-0.5`.
func signed(_ change: Double) -> String { (change < 0 ? "" : "+") + written(change) }

/// A word quoted so that the command language reads it as one word.
public func quoted(_ word: String) -> String {
  guard word.isEmpty || word.contains(where: { " \t'\"\\#".contains($0) }) else { return word }
  return "'" + word.replacing("'", with: "'\\''") + "'"
}

/// A list of words as people say it: `off, all or one`.
public func listed(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}
