internal import Cells
internal import Playback

/// The view Cover: the cover of the current track, as large as possible.
struct CoverView: Pane {
  var list = ListView()

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool { false }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    if let picture = model.cover.picture {
      painter.show(picture, inRows: 0..<painter.rowCount)
    } else if let hint = hint(model) {
      painter.write(hint, row: 0, column: 3, style: .faint)
    }
  }

  private func hint(_ model: ScreenModel) -> String? {
    if model.playback.entry == nil { return model.noTrack("cover is") }
    if model.configuration.settings.cover == .off { return "Covers are off: set cover=auto shows them." }
    if !model.canShowPictures { return "This terminal has too few colours or characters for covers." }
    guard model.cover.isKnown else { return nil }
    return "No cover: \(model.cover.failure ?? "neither in the tags nor in the folder")."
  }
}
