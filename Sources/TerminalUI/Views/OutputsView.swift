internal import AudioModel
internal import Cells
internal import Commands

/// The view Outputs: the devices of the sound server. Enter moves the sound to the selected one.
struct OutputsView: Pane {
  var list = ListView()
  private var outputs = OutputList()

  var traits: PaneTraits { PaneTraits(hasHeads: true) }

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    model.keyMap.hints(list.selected == nil ? [] : [(.playSelected, "play here")])
  }

  /// The device of a row; `nil` for the first one, the server's default.
  private func device(_ row: Int) -> AudioRoute? { row == 0 ? nil : outputs.devices.all[row - 1] }

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool {
    pattern.matches(device(row)?.description ?? Self.standard, device(row)?.device)
  }

  func name(ofRow row: Int, _ model: ScreenModel) -> String { device(row)?.description ?? Self.standard }

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    guard case .news(.outputs(let new)) = message else { return [] }
    let selected = list.selected.map { device($0)?.device }
    outputs = new
    setCount(new.devices.all.isEmpty ? 0 : new.devices.all.count + 1, model)
    if let selected, let row = new.devices.all.firstIndex(where: { $0.device == selected }) { list.select(row + 1) }
    return []
  }

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    switch action {
    case .player(.showOutputs): return [.show(.outputs)]
    case .playSelected where isShown:
      return list.selected.map { [.send(.setOutput(device($0)?.device ?? Settings.standardOutput))] } ?? []
    default: return nil
    }
  }

  // MARK: Drawing

  private static let standard = "the server's default"

  func drawHeads(on painter: inout Painter, _ model: ScreenModel) {
    let (start, split) = painter.columnsOfNameAndAddress
    painter.write("Device", row: 0, column: start, columns: split - start - 2, style: .faint)
    painter.write("Name", row: 0, column: split, columns: painter.columns - split - 1, style: .faint)
  }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let (start, split) = painter.columnsOfNameAndAddress
    let end = max(start, split - (painter.columns >= 45 ? 2 : 0))
    drawRows(on: &painter, selection: selection, ifEmpty: "There are no devices to choose from.") {
      painter, index, selection in
      let device = device(index)
      let isPresent = device != nil && device?.device == outputs.present
      let style = !isPresent ? selection : selection == .selected ? .selectedPlaying : .playing
      painter.fill(row: 0, style: style)
      let chosen = model.configuration.player.output
      let mark = isPresent ? ">" : chosen == device?.device ?? Settings.standardOutput ? "*" : " "
      painter.write(mark, row: 0, column: start - 2, style: style)
      let text = device?.description ?? Self.standard
      painter.write(text, row: 0, column: start, columns: end - start, style: style)
      let name = device?.device ?? outputs.devices.standard ?? ""
      painter.write(name, row: 0, column: split, columns: max(0, painter.columns - split - 1), style: style)
    }
  }
}
