extension String {
  /// One line that is safe for a terminal: U+FFFD replaces characters that could control it (control characters, line
  /// breaks, changes of writing direction).
  public var printable: String {
    guard !utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) else { return self }
    var text = UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: text.append("\u{fffd}")
      case .format where scalar.properties.isBidiControl: text.append("\u{fffd}")
      default: text.append(scalar)
      }
    }
    return String(text)
  }

  /// The same for text of several lines.
  public var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
  }
}
