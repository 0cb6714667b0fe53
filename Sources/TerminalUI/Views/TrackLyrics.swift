internal import AudioModel
internal import Library
internal import Playback
internal import Commands

/// The lyrics of the current track, for the views that show or search them.
struct TrackLyrics: Sendable {
  /// The effect of `refresh`.
  enum Change { case none, times, all }

  /// The lines, with the times that the listener has chosen.
  private(set) var lyrics = Lyrics(lines: [])
  /// Seconds by which the listener has shifted the times.
  private(set) var shift = 0.0
  /// The sources that `lyrics` were made of.
  private var source = Source()
  /// The entry whose files were requested.
  private var requested: QueueEntry.ID?
  private var setting = Settings().lyrics
  /// True if the setting has changed since the request.
  private var isOutdated = false
  private var files: LyricsFiles?

  /// The texts of a track, the most wanted first.
  private struct Source: Hashable {
    var entry: QueueEntry.ID?
    var texts: [String] = []
    var shift = 0.0
  }

  mutating func receive(_ message: Message, _ model: ScreenModel) {
    switch message {
    case .answer(.lyrics(let new, model.playback.entry?.id)):
      // Those of a service come later than the files, which tracks of cue sheets and on the web do not have.
      if new.online == nil { files = new } else { files = files ?? LyricsFiles() }
      if let online = new.online { files?.online = online }
    case .answer(.lyricsShift(let seconds, model.playback.entry?.id)): shift = seconds
    case .settings(let new):
      isOutdated = isOutdated || new.lyrics != setting
      setting = new.lyrics
    default: break
    }
  }

  /// The request for the files and the shift of a new track, and again after a change of the setting. The shift is found
  /// by the tags.
  mutating func request(_ model: ScreenModel) -> [Command] {
    guard let entry = model.playback.entry, entry.id != requested || isOutdated,
      model.playback.information != MediaInformation()
    else { return [] }
    (requested, isOutdated) = (entry.id, false)
    return [.ask(.lyrics(LyricsInquiry(entry, model.playback.information)))]
  }

  mutating func refresh(_ model: ScreenModel) -> Change {
    if model.playback.entry?.id != requested { (files, shift) = (nil, 0) }
    let (old, new) = (source, source(model))
    guard new != old else { return .none }
    source = new
    lyrics = new.texts.first.map { Lyrics(text: $0).shifted(by: new.shift) } ?? Lyrics(lines: [])
    return new.entry == old.entry && new.texts == old.texts ? .times : .all
  }

  /// Files with times, tags with times, other tags, other files, a service.
  private func source(_ model: ScreenModel) -> Source {
    let tags = model.playback.information.tags
    let texts = [files?.timed, tags.syncedLyrics, tags.lyrics, files?.plain, files?.online].compactMap(\.self)
    return Source(
      entry: model.playback.entry?.id, texts: Array(texts.filter { !$0.isEmpty }.prefix(1)), shift: shift)
  }
}
