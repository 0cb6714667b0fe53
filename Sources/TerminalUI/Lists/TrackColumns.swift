/// The columns of a list of tracks; those without room, and hidden ones, are empty.
struct TrackColumns {
  var number = 0..<0
  var title = 0..<0
  var artist = 0..<0
  var album = 0..<0
  var time = 0..<0
  /// From the first to the last of them.
  let all: Range<Int>
  /// The first column after the texts, where numbers and times begin that are right of them.
  private(set) var end: Int

  init(columns: Int, entryCount: Int, shown: ShownColumns) {
    let shown = shown.columns
    let start = columns >= 20 ? 3 : 2  // After the mark.
    all = start..<max(start, columns - (columns >= 20 ? 1 : 0))
    end = all.upperBound
    let hasArtist = columns >= 45 && shown.contains(.artist)
    let hasAlbum = columns >= (hasArtist ? 70 : 45) && shown.contains(.album)
    let visible = shown.filter { column in
      switch column {
      case .number: columns >= 30
      case .title: true
      case .artist: hasArtist
      case .album: hasAlbum
      case .time: columns >= 16
      }
    }
    let titlePlace = visible.firstIndex(of: .title) ?? 0
    // Each column but the title has space at its side towards the title.
    let isTimeLast = visible.last == .time && columns < 100
    let fixed = (number: max(2, String(entryCount).count) + 2, time: min(7, columns / 4) + (isTimeLast ? 1 : 2))
    let room =
      all.count - (visible.contains(.number) ? fixed.number : 0) - (visible.contains(.time) ? fixed.time : 0)
    // The title has two fifths of the screen.
    let titleWidth = max(0, hasArtist && hasAlbum ? columns * 2 / 5 : hasArtist || hasAlbum ? room * 3 / 5 : room)
    var (rest, others) = (room - titleWidth, (hasArtist ? 1 : 0) + (hasAlbum ? 1 : 0))
    var place = start
    for (index, column) in visible.enumerated() {
      let width: Int
      switch column {
      case .number: width = fixed.number
      case .time: width = fixed.time
      case .title: width = titleWidth
      case .artist, .album:
        width = rest / others
        (rest, others) = (rest - width, others - 1)
      }
      let space = column == .title ? 0 : column == .time && isTimeLast ? 1 : 2
      let lower = index > titlePlace ? place + space : place
      self[keyPath: Self.range(of: column)] = lower..<(lower + max(0, width - space))
      place += max(width, space)
      if column.isText {
        end = all.upperBound
      } else if index > 0, visible[index - 1].isText {
        end = lower
      }
    }
  }

  private static func range(of column: TrackColumn) -> WritableKeyPath<Self, Range<Int>> {
    switch column {
    case .number: \.number
    case .title: \.title
    case .artist: \.artist
    case .album: \.album
    case .time: \.time
    }
  }

  /// Gives the title the columns of the texts beside it.
  mutating func widenTitle() {
    for texts in [artist, album, artist] where !texts.isEmpty {
      if texts.lowerBound == title.upperBound + 2 { title = title.lowerBound..<texts.upperBound }
      if texts.upperBound + 2 == title.lowerBound { title = texts.lowerBound..<title.upperBound }
    }
  }

  /// Cuts the texts where marks begin.
  mutating func end(at end: Int) {
    for range in [\Self.title, \.artist, \.album] {
      let texts = self[keyPath: range]
      self[keyPath: range] = min(texts.lowerBound, end)..<min(texts.upperBound, end)
    }
  }
}
