internal import AudioModel
internal import Cells

/// The mouse on the rows of the shown view: clicks, marks, and rows that are dragged.
struct RowMouse: Sendable {
  /// Two presses on one row within this time are a double click.
  private static let doubleClickTime = TimeSpan.milliseconds(400)

  private var lastClick: (place: Int, at: MonotonicTime)?
  /// A button that was pressed on a row and is held.
  private var drag: RowDrag?

  var isDragging: Bool { drag != nil }

  /// Selects the row at a place, and begins a drag. Returns the action that follows.
  ///
  /// - Parameter marks: True for the button that marks; Control does so with the left one, and Shift marks up to there.
  mutating func press(
    at place: Int, marks: Bool, _ modifiers: Key.Modifiers, on pane: inout any Pane, at now: MonotonicTime
  ) -> Action? {
    let marks = marks || modifiers.contains(.control)
    let isDouble = !marks && lastClick.map { $0.place == place && now - $0.at < Self.doubleClickTime } ?? false
    lastClick = isDouble || marks ? nil : (place, now)
    let former = pane.list.selectedPlace
    pane.list.select(place: place)
    if pane is any MusicPane, marks || modifiers.contains(.shift) {
      drag = RowDrag(from: place, marks: true)
      if marks { return .markRow(0) }
      pane.list.beginRange(at: former)
      pane.list.endRange()
      return nil
    }
    if marks { return .markRow(0) }
    if !isDouble, pane.traits.movesRows { drag = RowDrag(from: place, marks: false) }
    return isDouble ? .playSelected : nil
  }

  /// The mouse is on a place now; `nil` outside the rows.
  mutating func move(to place: Int?, on pane: inout any Pane) { drag?.move(to: place, in: &pane.list) }

  /// Moves the dragged row, or the marked rows if it is one of them, to the row under the mouse. Outside nothing moves.
  mutating func release(at place: Int?, on pane: inout any Pane, _ model: ScreenModel) -> [ScreenEffect] {
    move(to: place, on: &pane)
    guard let drag else { return [] }
    self.drag = nil
    guard let step = drag.end(in: &pane.list), let row = pane.list.row(at: drag.start) else { return [] }
    let isMarked = pane.list.hasMarks && pane.list.isMarked(place: drag.start)
    return pane.handle(.drop(isMarked ? pane.list.chosenRows : [row], by: step), model) ?? []
  }

  mutating func cancel(on pane: inout any Pane) {
    drag?.cancel(in: &pane.list)
    drag = nil
  }
}
