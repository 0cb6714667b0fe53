/// A column of lists of tracks. All but the title can be hidden.
enum TrackColumn: String, Sendable, Hashable, CaseIterable {
  case number, title, artist, album, time

  var isText: Bool { ![.number, .time].contains(self) }
}

/// The columns that are shown, from left to right, the value of the setting `columns`: `artist,title,time`. Without
/// `title` the title is the first one after the number: `number,time`; alone it is `none`.
public struct ShownColumns: RawRepresentable, Sendable, Hashable {
  /// The title is among them.
  private(set) var columns: [TrackColumn]

  init(_ columns: [TrackColumn]) {
    self.columns = columns
    if !columns.contains(.title) { self.columns.insert(.title, at: columns.first == .number ? 1 : 0) }
  }

  public init?(rawValue text: String) {
    let words = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let columns = words.compactMap { TrackColumn(rawValue: $0) }
    guard Set(columns).count == words.count else { return nil }
    self.init(columns)
  }

  public var rawValue: String {
    let others = columns.filter { $0 != .title }
    let words = ShownColumns(others).columns == columns ? others : columns
    return words.isEmpty ? "none" : words.map(\.rawValue).joined(separator: ",")
  }
}
