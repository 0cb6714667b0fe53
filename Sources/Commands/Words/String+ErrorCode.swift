extension String {
  /// An error message without the code in brackets at its end, which the log keeps, and without the byte offset if it is
  /// 0 or not to be kept: `not an audio file ('typ?', byte offset 0)`, `cannot open: No such file or directory (-43)`.
  public func withoutErrorCode(keepsOffset: Bool) -> String {
    guard hasSuffix(")"), let open = ranges(of: " (").last else { return self }
    let parts = self[open.upperBound...].dropLast().split(separator: ", ")
    let offsets = parts.filter { $0.hasPrefix("byte offset ") || $0.hasPrefix("first at byte offset ") }
    let isCode = parts.first.map { Self.isErrorCode($0) } ?? false
    guard isCode || !keepsOffset && !offsets.isEmpty else { return self }
    let kept = keepsOffset ? offsets.filter { $0 != "byte offset 0" } : []
    return self[..<open.lowerBound] + (kept.isEmpty ? "" : " (\(kept.joined(separator: ", ")))")
  }

  /// Four characters in quotes, or a negative number.
  private static func isErrorCode(_ text: Substring) -> Bool {
    text.first == "'" && text.dropFirst(5).first == "'" || text.first == "-" && Int(text) != nil
  }
}
