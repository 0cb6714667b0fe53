/// The columns of a list of tracks, from left to right; columns without room, and hidden ones, are empty.
struct TrackColumns {
  var number = 0..<0
  var title = 0..<0
  var artist = 0..<0
  var album = 0..<0
  var time = 0..<0

  init(columns: Int, entryCount: Int, shown: ShownColumns) {
    let shown = shown.columns
    var start = columns >= 20 ? 3 : 2  // After the mark.
    var end = columns - (columns >= 20 ? 1 : 0)
    if columns >= 30, shown.contains(.number) {
      number = start..<(start + max(2, String(entryCount).count))
      start = number.upperBound + 2
    }
    if columns >= 16 {
      time = (shown.contains(.time) ? end - min(7, columns / 4) : end)..<end
      if !time.isEmpty { end = time.lowerBound - (columns >= 100 ? 2 : 1) }
    }
    let room = end - start
    // Two columns between the fields.
    let hasArtist = columns >= 45 && shown.contains(.artist)
    let hasAlbum = columns >= (hasArtist ? 70 : 45) && shown.contains(.album)
    // The title has two fifths of the screen.
    let titleEnd = start + (hasArtist && hasAlbum ? columns * 2 / 5 : hasArtist || hasAlbum ? room * 3 / 5 : room)
    title = start..<max(start, titleEnd)
    let artistEnd = hasAlbum ? titleEnd + (end - titleEnd) / 2 : end
    if hasArtist { artist = (titleEnd + 2)..<artistEnd }
    if hasAlbum { album = ((hasArtist ? artistEnd : titleEnd) + 2)..<end }
  }

  /// Cuts the texts where marks begin.
  mutating func end(at end: Int) {
    for range in [\Self.title, \.artist, \.album] {
      let texts = self[keyPath: range]
      self[keyPath: range] = min(texts.lowerBound, end)..<min(texts.upperBound, end)
    }
  }
}
