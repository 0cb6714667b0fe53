internal import ByteIO

/// Finds the tracks on servers that the library has at another place, too: in a folder, or on another server
/// (docs/decisions/0062-one-row-for-a-track.md). Tracks of folders are never joined with each other. Pure.
struct Twins {
  struct Outcome {
    /// The recordings of files that have no row of their own, by file.
    var hidden: [Int64: Int64] = [:]
    /// The recordings that files get from now on, by file.
    var recordings: [Int64: Int64] = [:]
    /// The recordings whose facts go to others.
    var merged: [Int64: Int64] = [:]
  }

  private struct Place {
    var file: Int64
    var recording: Int64
    /// 0 for a folder, else the number of the server.
    var server: Int
    var isHere: Bool
    var duration: Double
    /// The recording of MusicBrainz.
    var id: Int?
    /// Hashes of what a twin has in common: the recording of MusicBrainz with the place on the album, and the names.
    var keys: (id: Int?, names: Int?)
  }

  private var folders: [Place] = []
  private var servers: [Place] = []
  private var numbers: [[UInt8]: Int] = [:]
  private var bytes: [UInt8] = []
  /// Servers round to seconds.
  private static let tolerance = 1.001
  /// Of more tracks with the same names only the first are compared.
  private static let candidateLimit = 32

  /// Adds a file. `tags` is the stored form of `CatalogueTags`.
  mutating func add(_ row: IndexBuilder.Row, tags: UnsafeRawBufferPointer) {
    guard row.recording > 0 else { return }
    var fields: [UnsafeRawBufferPointer?] = [nil, nil, nil, nil, nil, nil]
    CatalogueTags.forEach(stored: tags) { field, text in
      let index: Int? =
        switch field {
        case .artist: 0
        case .title: 1
        case .recordingID: 2
        case .album: 3
        case .disc: 4
        case .track: 5
        default: nil
        }
      if let index, fields[index] == nil { fields[index] = text }
    }
    func number(_ index: Int) -> Int? { fields[index].flatMap { Int(String(decoding: $0, as: UTF8.self)) } }
    let isOnServer = BytePath(row.folder).isOnServer
    // Servers say 1 for a number that is not known.
    let disc = max(1, number(4) ?? AlbumGrouping.disc(ofFolder: row.folder[...]) ?? 1)
    let track = max(1, number(5) ?? 1)
    func key(_ parts: [UnsafeRawBufferPointer?]) -> Int? {
      bytes.removeAll(keepingCapacity: true)
      for part in parts {
        guard let part else { return nil }
        TextFolding.append(part, to: &bytes)
        bytes.append(0)
      }
      var hasher = Hasher()
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
      hasher.combine(disc)
      hasher.combine(track)
      return hasher.finalize()
    }
    let album = fields[3] ?? UnsafeRawBufferPointer(start: nil, count: 0)
    let place = Place(
      file: row.file, recording: row.recording, server: isOnServer ? server(row.folder) : 0, isHere: row.state == .here,
      duration: row.duration, id: fields[2].map { Self.hash($0) },
      keys: (key([fields[2], album]), key([fields[0], fields[1], album])))
    if isOnServer { servers.append(place) } else { folders.append(place) }
  }

  private mutating func server(_ root: [UInt8]) -> Int {
    if let known = numbers[root] { return known }
    numbers[root] = numbers.count + 1
    return numbers.count
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }

  /// The twins among the files that were added.
  func outcome() -> Outcome {
    var byKey: [Int: [Place]] = [:]
    func note(_ place: Place) {
      for key in [place.keys.id, place.keys.names].compactMap(\.self) { byKey[key, default: []].append(place) }
    }
    func twin(of place: Place) -> Place? {
      for (key, isID) in [(place.keys.id, true), (place.keys.names, false)] {
        let found = (key.flatMap { byKey[$0] } ?? []).prefix(Self.candidateLimit).filter { other in
          other.server != place.server && (isID || Self.areAlike(place, other))
        }
        if let twin = found.first(where: \.isHere) ?? found.first { return twin }
      }
      return nil
    }
    // Only what a server has can have a twin.
    let wanted = Set(servers.flatMap { [$0.keys.id, $0.keys.names] }.compactMap(\.self))
    for place in folders where [place.keys.id, place.keys.names].contains(where: { $0.map(wanted.contains) ?? false }) {
      note(place)
    }
    let kept = Set(folders.lazy.map(\.recording))
    var outcome = Outcome()
    // The row of a file that is away, of which the first twin that is here takes the place.
    var shown: [Int64: Place] = [:]
    for place in servers {
      guard let first = twin(of: place) else {
        note(place)
        continue
      }
      let row = shown[first.file] ?? first
      if !row.isHere, place.isHere {
        outcome.hidden[row.file] = first.recording
        shown[first.file] = place
      } else {
        outcome.hidden[place.file] = first.recording
      }
      guard place.recording != first.recording else { continue }
      outcome.recordings[place.file] = first.recording
      // It may have been the twin of another file, which keeps its rating.
      if !kept.contains(place.recording) { outcome.merged[place.recording] = first.recording }
    }
    return outcome
  }

  private static func areAlike(_ place: Place, _ other: Place) -> Bool {
    (place.id == nil || other.id == nil || place.id == other.id)
      && place.duration > 0 && other.duration > 0 && abs(place.duration - other.duration) <= tolerance
  }
}
