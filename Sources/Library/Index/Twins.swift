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

    var allKeys: [Int] { [keys.id, keys.names].compactMap(\.self) }
  }

  /// Numbers of places by their keys, in the order in which they were noted. A list for each key would take much memory.
  private struct NotedPlaces {
    private var ends: [Int: (first: UInt32, last: UInt32)] = [:]
    /// Numbers, and the next one with the same key.
    private var links: [(place: UInt32, next: UInt32?)] = []

    mutating func note(_ place: Int, _ keys: [Int]) {
      for key in keys {
        let link = UInt32(links.count)
        links.append((UInt32(place), nil))
        if let end = ends[key] {
          links[Int(end.last)].next = link
          ends[key] = (end.first, link)
        } else {
          ends[key] = (link, link)
        }
      }
    }

    func places(of key: Int, limit: Int) -> [Int] {
      var (places, next) = ([Int](), ends[key]?.first)
      while let link = next, places.count < limit {
        places.append(Int(links[Int(link)].place))
        next = links[Int(link)].next
      }
      return places
    }
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
    guard numbers.count + (folders.isEmpty ? 0 : 1) > 1 else { return Outcome() }
    var noted = NotedPlaces()
    func twin(of place: Place) -> Place? {
      for (key, isID) in [(place.keys.id, true), (place.keys.names, false)] {
        var away: Place?
        for other in key.map({ noted.places(of: $0, limit: Self.candidateLimit) }) ?? [] {
          let other = other < folders.count ? folders[other] : servers[other - folders.count]
          guard other.server != place.server, isID || Self.areAlike(place, other) else { continue }
          if other.isHere { return other }
          away = away ?? other
        }
        if let away { return away }
      }
      return nil
    }
    // Only what a server has can have a twin.
    var wanted: Set<Int> = []
    if !folders.isEmpty { for place in servers { wanted.formUnion(place.allKeys) } }
    for (index, place) in folders.enumerated() where place.allKeys.contains(where: wanted.contains) {
      noted.note(index, place.allKeys)
    }
    let kept = Set(folders.lazy.map(\.recording))
    var outcome = Outcome()
    // The row of a file that is away, of which the first twin that is here takes the place.
    var shown: [Int64: Place] = [:]
    for (index, place) in servers.enumerated() {
      guard let first = twin(of: place) else {
        noted.note(folders.count + index, place.allKeys)
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
