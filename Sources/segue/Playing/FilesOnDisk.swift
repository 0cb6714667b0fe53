internal import AudioModel
internal import ByteIO
internal import Containers

/// The audio files of these locations, and the cue sheets among them.
func filesOnDisk(of locations: [MediaLocation]) -> [BytePath] {
  var sheets: Set<BytePath> = []
  return locations.flatMap { location -> [BytePath] in
    switch location {
    case .file(let path): return [path]
    case .url: return []
    case .track(let path, _):
      guard sheets.insert(path).inserted, let sheet = try? CueSheet(at: path) else { return [] }
      return [path] + sheet.tracks.compactMap { sheet.location(of: $0, in: path)?.path }
    }
  }
}
