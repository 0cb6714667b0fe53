extension StringProtocol where SubSequence == Substring {
  /// The text without white space at both ends.
  package var trimmed: Substring {
    let start = drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? start
  }
}
