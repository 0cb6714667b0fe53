/// Rows of a name and a text: Help and Info.
struct TextTable: Sendable {
  /// A row.
  struct Row: Sendable, Hashable {
    var name: String
    var text: String
    /// Where in the track it is about; Enter goes there.
    var seconds: Double?

    init(_ name: String, _ text: String, seconds: Double? = nil) {
      (self.name, self.text, self.seconds) = (name, text, seconds)
    }
  }

  private(set) var rows: [Row] = []
  var list = ListView()

  mutating func show(_ rows: [Row]) {
    guard rows != self.rows else { return }
    self.rows = rows
    list.setCount(rows.count, matching: matches)
  }

  func matches(_ pattern: SearchPattern, _ row: Int) -> Bool { pattern.matches(rows[row].name, rows[row].text) }
}
