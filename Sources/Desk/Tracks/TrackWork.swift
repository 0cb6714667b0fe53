internal import AudioModel
internal import ByteIO
internal import Commands
internal import Playback
internal import Streaming

extension TrackFacts {
  /// Reads tags and duration of a track; nothing of an address, which is read when it plays, not when its row is visible.
  static func read(_ entry: QueueEntry) -> TrackFacts {
    switch entry.location {
    case .url: return TrackFacts()
    case .file(let path) where path.isPipe || path == .standardInput: return TrackFacts()
    case .file, .track: break
    }
    do throws(TrackError) {
      return TrackFacts(try TrackReader.information(of: entry.location)).narrowed(to: entry.part)
    } catch {
      var information = MediaInformation()
      information.tags = TrackReader.tags(ofUnplayable: entry.location)
      var facts = TrackFacts(information).narrowed(to: entry.part)
      facts.failure = error
      return facts
    }
  }
}
