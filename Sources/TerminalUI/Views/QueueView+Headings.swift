internal import Commands
internal import Playback

// A heading stands before tracks of one album that follow each other.
extension QueueView {
  /// A list of fewer lines has none to spare.
  private static let leastLines = 8
  /// Tracks of an album that are looked at for its playing time.
  private static let timedTrackLimit = 500

  /// The rows with headings among the visible ones, those around them, and the last ones.
  func headings(_ model: ScreenModel) -> Set<Int> {
    guard list.filterText.isEmpty, list.height >= Self.leastLines else { return [] }
    let all = 0..<entries.count
    let near = (list.firstPlace - list.height)..<(list.firstPlace + 2 * list.height)
    let last = (entries.count - list.height)..<entries.count
    return Set(
      [near, last].flatMap { rows in rows.clamped(to: all).filter { beginsAlbum($0, model) } })
  }

  private func beginsAlbum(_ row: Int, _ model: ScreenModel) -> Bool {
    continuesAlbum(row + 1, model) && !continuesAlbum(row, model)
  }

  /// True if a row and the one before have the same album in their tags.
  private func continuesAlbum(_ row: Int, _ model: ScreenModel) -> Bool {
    guard row > 0, row < entries.count, let facts = model.facts[entries[row].id], facts.album != nil,
      let former = model.facts[entries[row - 1].id], former.album != nil
    else { return false }
    return entries[row].isOfAlbum(of: entries[row - 1], facts, former)
  }

  /// True if a row stands below a heading, which may be far above.
  func isHeaded(_ row: Int, _ model: ScreenModel) -> Bool {
    guard list.filterText.isEmpty, list.height >= Self.leastLines else { return false }
    return continuesAlbum(row, model) || continuesAlbum(row + 1, model)
  }

  /// The artist of a row below a heading; `nil` if the heading or the row before has the same.
  func ownArtist(_ row: Int, _ model: ScreenModel) -> String? {
    let facts = model.facts[entries[row].id]
    let former = continuesAlbum(row, model) ? model.facts[entries[row - 1].id]?.artist : facts?.artist
    return facts?.artist == facts?.albumArtist ?? former ? nil : facts?.artist
  }

  /// Artist and year of the album that begins at a row, and its playing time if it is known.
  func headingTexts(_ row: Int, _ model: ScreenModel) -> (album: String, credits: String, time: String) {
    let facts = model.facts[entries[row].id]
    let credits = [facts?.albumArtist ?? facts?.artist, facts?.date.map { String($0.prefix(4)) }]
    var (end, seconds): (Int, Double?) = (row, 0)
    repeat {
      seconds = seconds.flatMap { sum in model.facts[entries[end].id]?.duration.map { sum + $0 } }
      end += 1
    } while seconds != nil && end - row < Self.timedTrackLimit && continuesAlbum(end, model)
    let isWhole = end - row < Self.timedTrackLimit
    return (
      facts?.album ?? "", credits.compactMap(\.self).joined(separator: ", "),
      isWhole ? seconds.map { timeText($0) } ?? "" : ""
    )
  }
}
