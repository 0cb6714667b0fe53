/// The columns of a list of tracks, from left to right; columns without room are empty.
struct TrackColumns {
  var number = 0..<0
  var title = 0..<0
  var artist = 0..<0
  var album = 0..<0
  var time = 0..<0

  init(columns: Int, entryCount: Int) {
    var start = columns >= 20 ? 3 : 2  // After the mark.
    var end = columns - (columns >= 20 ? 1 : 0)
    if columns >= 30 {
      number = start..<(start + max(2, String(entryCount).count))
      start = number.upperBound + 2
    }
    if columns >= 16 {
      time = (end - min(7, columns / 4))..<end
      end = time.lowerBound - (columns >= 100 ? 2 : 1)
    }
    let room = end - start
    // The title has two fifths of the screen.
    let titleEnd = start + (columns >= 70 ? columns * 2 / 5 : columns >= 45 ? room * 3 / 5 : room)
    title = start..<max(start, titleEnd)
    // Two columns between the fields.
    guard columns >= 45 else { return }
    let artistEnd = columns >= 70 ? titleEnd + (end - titleEnd) / 2 : end
    artist = (titleEnd + 2)..<artistEnd
    if columns >= 70 { album = (artistEnd + 2)..<end }
  }

  /// Cuts the texts where marks begin.
  mutating func end(at end: Int) {
    for range in [\Self.title, \.artist, \.album] {
      let texts = self[keyPath: range]
      self[keyPath: range] = min(texts.lowerBound, end)..<min(texts.upperBound, end)
    }
  }
}
