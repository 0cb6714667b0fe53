import AudioModel
import ByteIO
import Library
import Playback

@testable import Cells
@testable import Commands
@testable import TerminalUI

/// One pane by itself on a screen of its own, without the rest of the screen.
struct PaneBench<Shown: Pane> {
  var pane: Shown
  var model: ScreenModel

  init(_ pane: Shown, columns: Int = 60, rows: Int = 6) {
    self.pane = pane
    model = ScreenModel(
      size: Size(columns: columns, rows: rows), typography: .wide, configuration: Configuration())
    self.pane.list.settle(height: rows)
  }

  @discardableResult
  mutating func receive(_ message: Message) -> [ScreenEffect] {
    model.note(message)
    return pane.receive(message, model)
  }

  @discardableResult
  mutating func receive(_ answer: Answer) -> [ScreenEffect] { receive(.answer(answer)) }

  mutating func handle(_ action: Action, isShown: Bool = true) -> [ScreenEffect]? {
    pane.handle(action, isShown: isShown, model)
  }

  /// The rows as text, without spaces at their ends.
  mutating func lines() -> [String] {
    pane.refresh(model)
    var painter = Painter(size: model.size, typography: .wide)
    pane.draw(on: &painter, selection: .selected, model)
    return painter.grid.lines.map { $0.trimmingTrailingSpaces }
  }

  var heads: String {
    var painter = Painter(size: Size(columns: model.size.columns, rows: 1), typography: .wide)
    pane.drawHeads(on: &painter, model)
    return painter.grid.lines[0].trimmingTrailingSpaces
  }
}
