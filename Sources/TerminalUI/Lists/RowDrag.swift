/// The mouse on the rows of a list while a button is held: it moves the row to another place, or marks rows. A *place*
/// counts the rows that are shown, as in `ListView`.
struct RowDrag: Sendable {
  /// The place at which the button was pressed.
  let start: Int
  /// True if the drag marks rows.
  let marks: Bool
  private var hasBegun = false

  init(from start: Int, marks: Bool) { (self.start, self.marks) = (start, marks) }

  /// The mouse is on a place now; `nil` outside the rows. A drag begins when it leaves its row.
  mutating func move(to place: Int?, in list: inout ListView) {
    guard hasBegun || place != start else { return }
    if marks {
      if !hasBegun { list.beginRange(at: start) }
      if let place { list.select(place: place) }
    } else {
      list.dropPlace = place == start ? nil : place
    }
    hasBegun = true
  }

  /// The button is released. Returns the number of rows to move by.
  func end(in list: inout ListView) -> Int? {
    defer { list.dropPlace = nil }
    if marks {
      if hasBegun { list.endRange() }
      return nil
    }
    guard let old = list.row(at: start), let new = list.dropPlace.flatMap({ list.row(at: $0) }) else { return nil }
    return new - old
  }

  /// The drag ends without an effect; marks that it has made stay.
  func cancel(in list: inout ListView) {
    list.dropPlace = nil
    _ = end(in: &list)
  }
}
