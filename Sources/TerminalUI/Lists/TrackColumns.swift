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
      end = time.lowerBound - 1
    }
    let room = end - start
    let parts = columns >= 70 ? [42, 28, 30] : columns >= 45 ? [60, 40] : [100]
    let ends = parts.indices.map { start + room * parts[...$0].reduce(0, +) / 100 }
    title = start..<max(start, ends[0])
    // Two columns between the fields.
    if ends.count > 1 { artist = (ends[0] + 2)..<ends[1] }
    if ends.count > 2 { album = (ends[1] + 2)..<ends[2] }
  }
}
