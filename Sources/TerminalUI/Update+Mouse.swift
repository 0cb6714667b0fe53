internal import Playback
internal import Player

extension ScreenState {
  /// Two presses on one row within this time are a double click.
  private static let doubleClickTime: UInt64 = 400_000_000

  mutating func handle(_ event: MouseEvent) -> [ScreenCommand] {
    switch event.kind {
    case .press(.left):
      notice = nil
      return press(event)
    case .press(.right): return [.player(.togglePause)]
    case .drag(.left): drag(event)
    case .release(.left) where slider.ghost?.dragColumn != nil: return commitGhost()
    case .wheelUp: return wheel(event, direction: 1)
    case .wheelDown: return wheel(event, direction: -1)
    default: break
    }
    return []
  }

  private mutating func press(_ event: MouseEvent) -> [ScreenCommand] {
    let layout = layout
    if event.row == layout.slider {
      let slider = SliderLayout(self)
      guard slider.bar.contains(event.column) else { return [] }
      placeGhost(at: place(atFraction: slider.fraction(at: event)), dragColumn: event.place)
    } else if layout.list.contains(event.row) {
      return pressRow(at: shownList.firstPlace + event.row - layout.list.lowerBound)
    } else if event.row == layout.header, let item = headerItems.first(where: { $0.columns.contains(event.column) }) {
      return show(item.view)
    }
    return []
  }

  private mutating func pressRow(at place: Int) -> [ScreenCommand] {
    guard place < shownList.shownCount else { return [] }
    let isDouble = lastClick.map { $0.index == place && now - $0.at < Self.doubleClickTime } ?? false
    lastClick = isDouble ? nil : (place, now)
    focus = .list
    shownList.select(place: place)
    return isDouble ? playSelected() : []
  }

  /// On the bar the thumb is where the mouse is; with Shift, or away from the bar, it moves the finer.
  private mutating func drag(_ event: MouseEvent) {
    guard let ghost = slider.ghost, let last = ghost.dragColumn, let range = seekRange else { return }
    let bar = SliderLayout(self)
    let distance = abs(event.row - (layout.slider ?? event.row))
    var target = place(atFraction: bar.fraction(at: event))
    if event.modifiers.contains(.shift) || distance > 1 {
      let step = (range.upperBound - range.lowerBound) / Double(max(1, bar.bar.count)) / Double(max(4, 2 * distance))
      target = ghost.target + (event.place - last) * step
    }
    placeGhost(at: target, dragColumn: event.place)
  }

  private mutating func wheel(_ event: MouseEvent, direction: Int) -> [ScreenCommand] {
    if event.row == layout.slider {
      let slider = SliderLayout(self)
      if slider.volumeColumns.contains(event.column) { return [.player(.changeVolume(by: 0.05 * Double(direction)))] }
      guard slider.bar.contains(event.column) else { return [] }
      return seek(by: (event.modifiers.contains(.shift) ? 1 : 5) * Double(direction))
    }
    if layout.list.contains(event.row) { shownList.scroll(by: -3 * direction) }
    return []
  }
}
