internal import AudioModel
internal import Library
internal import Playback
internal import Player

/// The lyrics of the current track, for the views that show or search them.
struct TrackLyrics: Sendable {
  private(set) var lyrics = Lyrics(lines: [])
  /// The sources that `lyrics` were made of.
  private var source = Source()
  /// The entry whose files were requested.
  private var requested: QueueEntry.ID?
  private var files: LyricsFiles?

  /// The texts of a track, the most wanted first.
  private struct Source: Hashable {
    var entry: QueueEntry.ID?
    var texts: [String] = []
  }

  mutating func receive(_ message: Message, _ model: ScreenModel) {
    guard case .lyrics(let new, let id) = message, id == model.playback.entry?.id else { return }
    // Those of a service come later than the files.
    if new.online != nil { files?.online = new.online } else { files = new }
  }

  /// The request for the files of a new track.
  mutating func request(_ model: ScreenModel) -> [Command] {
    guard let id = model.playback.entry?.id, id != requested else { return [] }
    requested = id
    return [.requestLyrics(id)]
  }

  /// Returns true if the lyrics have changed.
  mutating func refresh(_ model: ScreenModel) -> Bool {
    if model.playback.entry?.id != requested { files = nil }
    let new = source(model)
    guard new != source else { return false }
    source = new
    lyrics = new.texts.first.map { Lyrics(text: $0) } ?? Lyrics(lines: [])
    return true
  }

  /// Files with times, tags with times, other tags, other files, a service.
  private func source(_ model: ScreenModel) -> Source {
    let tags = model.playback.information.tags
    let texts = [files?.timed, tags.syncedLyrics, tags.lyrics, files?.plain, files?.online].compactMap(\.self)
    return Source(entry: model.playback.entry?.id, texts: Array(texts.filter { !$0.isEmpty }.prefix(1)))
  }
}
