internal import AudioModel
internal import ByteIO
internal import Commands
internal import Library
internal import Playback
internal import Streaming

extension TrackFacts {
  /// Reads tags and duration of a track; nothing of an address, which is read when it plays, not when its row is visible.
  /// Of a track on a server it has what the library knows.
  static func read(_ entry: QueueEntry, in library: LibraryConnection?) -> TrackFacts {
    switch entry.location {
    case .url:
      guard let path = entry.location.libraryPath, let library, library.exists,
        let facts = (try? library.open()).flatMap({ try? StoredTags($0) })?.facts(ofTrack: path)
      else { return TrackFacts() }
      return TrackFacts(facts.tags, duration: facts.duration)
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
