/// A column of lists of tracks that can be hidden; the title cannot.
enum TrackColumn: String, Sendable, Hashable, CaseIterable {
  case number, artist, album, time
}

/// The columns that are shown beside the title, the value of the setting `columns`: `number,time` or `none`.
public struct ShownColumns: RawRepresentable, Sendable, Hashable {
  let columns: Set<TrackColumn>

  init(_ columns: Set<TrackColumn>) { self.columns = columns }

  public init?(rawValue text: String) {
    let words = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    columns = Set(words.compactMap { TrackColumn(rawValue: $0) })
    guard columns.count == words.count else { return nil }
  }

  public var rawValue: String {
    let words = TrackColumn.allCases.filter(columns.contains).map(\.rawValue)
    return words.isEmpty ? "none" : words.joined(separator: ",")
  }
}
