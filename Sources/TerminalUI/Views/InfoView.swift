internal import AudioModel
internal import ByteIO
internal import Cells
internal import Playback
internal import Commands
internal import SignalProcessing

/// The view Info: details of the current track.
struct InfoView: TablePane {
  var table = TextTable()

  var emptyText: String { "No track is loaded." }

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    guard isShown, action == .playSelected else { return nil }
    return table.selectedRow?.seconds.map { [.obey(.player(.playback(.seek(to: $0))))] } ?? []
  }

  mutating func refresh(_ model: ScreenModel) {
    table.show(rows(model.playback), columns: model.paneColumns, typography: model.typography)
  }

  private func rows(_ playback: PlaybackSnapshot) -> [TextTable.Row] {
    guard let entry = playback.entry else { return [] }
    let place = TextTable.Row(entry.location.isFile ? "path" : "address", entry.location.description)
    let station = [
      ("station", playback.stream?.stationName), ("on air", playback.stream?.title),
      ("text", playback.stream?.titleCharset),
    ].compactMap { name, text in text.map { TextTable.Row(name, $0) } }
    let facts = playback.information.described(method: playback.method, withCodes: false).map {
      TextTable.Row($0.name, $0.value)
    }
    let chapters = playback.information.tags.chapters.prefix(1000).enumerated().map { index, chapter in
      TextTable.Row("chapter \(index + 1)", "\(timeText(chapter.start))  \(chapter.title)", seconds: chapter.start)
    }
    let gain = playback.gain.flatMap { gain in
      gain.isMeasured ? [TextTable.Row("gain", "\(gainText(gain.decibels)), measured")] : nil
    }
    let effects = playback.effects.map { work in
      let cost = "\(work.processorPercent) % of a processor, latency \(Int((work.latency * 1000).rounded())) ms"
      return playback.sound.effects.effects.filter { !$0.isNeutral }.map { TextTable.Row("effect", $0.words) }
        + [TextTable.Row("effects", cost)]
    }
    let samples = sampleChanges(playback).map {
      [TextTable.Row("samples", $0.isEmpty ? "exact" : "not exact: \($0)")]
    }
    let sound = playback.soundTexts.isEmpty ? [] : [TextTable.Row("sound", playback.soundTexts.joined(separator: ", "))]
    return [place] + station + facts + (gain ?? []) + sound + (effects ?? []) + (samples ?? []) + chapters
  }
}

extension MediaLocation {
  fileprivate var isFile: Bool { if case .url = self { false } else { true } }
}
