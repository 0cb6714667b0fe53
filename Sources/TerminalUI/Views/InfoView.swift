internal import AudioModel
internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands
internal import SignalProcessing

/// The view Info: details of the current track.
struct InfoView: TablePane {
  var table = TextTable()
  /// What the library knows of the track, and the path that it was asked for.
  private var heard: HeardTrack?
  private var asked: BytePath?

  func emptyText(_ model: ScreenModel) -> String { model.noTrack("details are") }

  func hints(_ model: ScreenModel) -> [(key: String, word: String)] {
    model.keyMap.hints(table.selectedRow?.seconds == nil ? [] : [(.playSelected, "play from here")])
  }

  mutating func receive(_ message: Message, _ model: ScreenModel) -> [ScreenEffect] {
    switch message {
    case .answer(.library(.track(let track, let path))) where path == asked: heard = track
    case .answer(.library(.changed)): asked = nil
    default: break
    }
    return []
  }

  mutating func requestVisible(_ model: ScreenModel) -> [Command] {
    guard let path = model.playback.entry?.location.libraryPath, path != asked else { return [] }
    asked = path
    return [.ask(.library(.track(path)))]
  }

  mutating func handle(_ action: Action, isShown: Bool, _ model: ScreenModel) -> [ScreenEffect]? {
    guard isShown, action == .playSelected else { return nil }
    return table.selectedRow?.seconds.map { [.obey(.player(.playback(.seek(to: $0))))] } ?? []
  }

  mutating func refresh(_ model: ScreenModel) {
    if model.playback.entry?.location.libraryPath != asked { heard = nil }
    table.show(rows(model), columns: model.paneColumns, typography: model.typography)
  }

  private func rows(_ model: ScreenModel) -> [TextTable.Row] {
    let (playback, typography) = (model.playback, model.typography)
    guard let entry = playback.entry else { return [] }
    let place = TextTable.Row(
      entry.location.isFile ? "path" : "address", model.shown(entry.location.description))
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
    return [place] + station + (heard.map { Self.rows(on: $0, typography) } ?? []) + facts + (gain ?? []) + sound
      + (effects ?? []) + (samples ?? []) + chapters
  }
}

extension InfoView {
  private static func rows(on heard: HeardTrack, _ typography: Typography) -> [TextTable.Row] {
    let rating = heard.rating.map { "\(typography.stars($0))  \($0) of 10" } ?? (heard.isLoved ? nil : "not rated")
    let last = heard.lastPlayed.map { ", last on \(CalendarDate.text($0).prefix(10))" } ?? ""
    return [
      TextTable.Row("rating", [rating, heard.isLoved ? "loved" : nil].compactMap(\.self).joined(separator: ", ")),
      TextTable.Row("plays", grouped(heard.plays) + last),
      TextTable.Row("added", String(CalendarDate.text(heard.added).prefix(10))),
    ]
  }
}

extension MediaLocation {
  fileprivate var isFile: Bool { if case .url = self { false } else { true } }
}
