internal import Cells
internal import Commands

/// The view Page: the address of the page for browsers, and as a code for telephones.
struct WebView: Pane {
  var list = ListView()
  private var address: String?

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool { false }

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    if case .news(.page(let new)) = message { address = new }
    return []
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let place = model.configuration.player.stream.place
    guard let address, let place else {
      painter.write("There is no page: set web=on serves one.", row: 0, column: 3, style: .faint)
      return
    }
    let note =
      place.isLoopback
      ? "Only browsers of this computer reach it. For others set stream=0.0.0.0:8000 and a password in config."
      : "Any name, and the password of the stream."
    let code = place.isLoopback || !model.canShowPictures ? nil : QRCode(address)
    let side = code.map { $0.size + 4 } ?? 0
    let isBeside = painter.columns >= side + 50
    let row = isBeside ? 0 : 3
    // A part of it would be of no use.
    let hasRoom = row + (side + 1) / 2 <= painter.rowCount && side + 4 <= painter.columns
    let column = isBeside && hasRoom && code != nil ? side + 6 : 3
    painter.write(address, row: 0, column: column)
    painter.write(note, row: 1, column: column, columns: painter.columns - column - 1, style: .faint)
    if hasRoom, let code { painter.draw(code, row: row, column: 3) }
  }
}
