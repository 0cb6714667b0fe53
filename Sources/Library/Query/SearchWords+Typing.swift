extension SearchWords {
  /// The words without typing errors: each that stands nowhere in some lines becomes the nearest word, or beginning of a
  /// word, that does: with one letter wrong, missing, too many or swapped, of eight letters or more with two. The first
  /// letter may be wrong where nothing is nearer, and all others are right. Words of fewer than four letters stay. `nil`
  /// if none is wrong, or a wrong one has nothing near.
  ///
  /// - Parameter isWanted: Called often; false ends the search early.
  func corrected(by lines: UnsafeRawBufferPointer, isWanted: () -> Bool = { true }) -> SearchWords? {
    var corrected = self
    for (index, word) in words.enumerated() where ByteFinder(word).first(in: lines) == nil {
      let near = Self.nearest(to: word, in: lines, isWanted)
      guard isWanted(), let near = near ?? Self.sameRest(as: word, in: lines) else { return nil }
      corrected.words[index] = near
    }
    return corrected == self ? nil : corrected
  }

  private static func nearest(
    to word: [UInt8], in lines: UnsafeRawBufferPointer, _ isWanted: () -> Bool
  ) -> [UInt8]? {
    let letters = scalars(word)
    let limit = letters.count < 4 ? 0 : letters.count < 8 ? 1 : 2
    guard limit > 0 else { return nil }
    var best: (word: [UInt8]?, distance: Int) = (nil, limit + 1)
    var seen: Set<[UInt8]> = []
    var start = 0
    for place in 0...lines.count {
      if place < lines.count, isLetter(lines[place]) { continue }
      defer { start = place + 1 }
      // The first two letters may be swapped, or the first one missing.
      guard place - start + limit >= letters.count, lines[start] == word[0] || lines[start] == word[1],
        case let candidate = Array(lines[start..<place]), seen.insert(candidate).inserted
      else { continue }
      if seen.count.isMultiple(of: 1000), !isWanted() { return nil }
      let other = scalars(candidate)
      let near = editDistance(letters, other).beginning
      guard near.distance < best.distance else { continue }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: other.prefix(near.count))
      best = (Array(String(text).utf8), near.distance)
    }
    return best.word
  }

  /// The first word, or beginning of one, that differs in its first letter only. Costs as much as a search.
  private static func sameRest(as word: [UInt8], in lines: UnsafeRawBufferPointer) -> [UInt8]? {
    let letters = scalars(word)
    guard letters.count > 3 else { return nil }
    let rest = Array(word.dropFirst(Unicode.UTF8.width(letters[0])))
    let finder = ByteFinder(rest)
    var next = 0
    while let place = finder.first(in: lines, from: next) {
      next = place + 1
      var start = place
      while start > 0, place - start < 5, isLetter(lines[start - 1]) { start -= 1 }
      let first = Array(lines[start..<place])
      if scalars(first).count == 1 { return first + rest }
    }
    return nil
  }

  private static func scalars(_ word: [UInt8]) -> [Unicode.Scalar] {
    Array(String(decoding: word, as: UTF8.self).unicodeScalars)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7f && !TextFolding.isMark(byte) }
}

extension LibrarySearch {
  /// The words without typing errors, by the texts of the tracks; `nil` if none is wrong, or nothing is near.
  public func corrected(_ words: SearchWords) -> SearchWords? {
    words.corrected(by: view.index.lines, isWanted: isWanted)
  }
}

extension SearchLines {
  /// Longer lines would take too long on the thread of the screen.
  private static let correctedLimit = 1 << 20

  /// The rows with all words without typing errors, in order.
  public func nearMatches(_ words: SearchWords) -> [Match] {
    guard byteCount <= Self.correctedLimit, let near = withBytes({ words.corrected(by: $0) }) else { return [] }
    return matches(near)
  }
}
