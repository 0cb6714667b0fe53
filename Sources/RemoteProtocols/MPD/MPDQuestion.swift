public import ByteIO
public import Commands
public import Library

/// A question of an MPD client about songs: answered from the music library, or from files that are read for it. Pure,
/// but for the mapped index; on the thread that the disk has.
public struct MPDQuestion: LibraryQuestion {
  enum Subject: Sendable {
    /// The contents of a folder, or the song of that name.
    case folder(BytePath, isRecursive: Bool, withFacts: Bool)
    /// Songs, described, or only their places.
    case songs(MPDFilter, MPDOrder, isDescribed: Bool)
    /// The numbers of songs and seconds, for each group.
    case count(MPDFilter?, groups: [String])
    /// The different values of the last tag, for each group of the ones before.
    case values(MPDFilter?, tags: [String], MPDOrder)
    case stats
    case stickers(MPDStickerQuestion)
    case playlist(PlaylistPlace, PlaylistForm)
  }

  /// The facts about the songs of a playlist.
  enum PlaylistForm {
    case names, descriptions
    /// The descriptions of those that a filter finds.
    case found(MPDFilter, MPDOrder)
    /// Their number, and their length together.
    case length
  }

  let subject: Subject
  let places: MPDPlaces
  let tagTypes: Set<String>

  init(_ subject: Subject, _ state: MPDState) {
    (self.subject, places, tagTypes) = (subject, state.places, state.tagTypes)
  }

  /// The folder that is to be read where there is no library.
  public var listing: (folder: BytePath, isRecursive: Bool, withFacts: Bool)? {
    if case .folder(let path, let isRecursive, let withFacts) = subject { return (path, isRecursive, withFacts) }
    return (places.music, true, true)
  }

  /// The playlist that the question is about, and whether the tags of its songs are needed.
  public var playlist: (place: PlaylistPlace, withFacts: Bool)? {
    switch subject {
    case .playlist(let place, .names): (place, false)
    case .playlist(let place, _): (place, true)
    default: nil
    }
  }

  // MARK: Answers

  /// The answer of the library.
  ///
  /// - Parameters:
  ///   - tags: Reads the tags that the index lacks.
  ///   - stickers: Reads stickers of clients.
  ///   - written: When the library was scanned last: seconds since 1970.
  ///   - now: Seconds since 1970.
  public func answer(
    _ view: LibraryView, tags: @escaping (LibraryTrack) -> CatalogueTags,
    stickers: (StickerStore.Query) -> [Sticker], written: Int64, now: Int64
  ) -> Answer {
    switch subject {
    case .playlist(let place, let form):
      guard let playlist = view.playlist(exactly: place.name) else { return .missing }
      do throws(QueryError) {
        return answer(try view.items(of: playlist, now: now).lazy.map { MPDSong($0, tags, places) }, form)
      } catch { return .failed(error.description) }
    case .folder(let path, let isRecursive, let withFacts):
      return MPDFolder(view, tags, path, isRecursive: isRecursive, places).map { folder in
        .text(text(of: folder.entries, withFacts: withFacts))
      } ?? .missing
    case .stats: return .text(stats(view, written: written))
    case .stickers(let question): return question.answer(view, stickers, places)
    default:
      let tracks = (0..<view.index.trackCount).lazy.map(view.track).filter { $0.state == .here }
      return answer(tracks.map { MPDSong($0, tags, places) })
    }
  }

  /// The answer from files that were read.
  public func answer(_ items: [DiskItem]) -> Answer {
    switch subject {
    case .folder(_, _, let withFacts): return .text(text(of: items.map { MPDEntry($0, places) }, withFacts: withFacts))
    case .stats: return .text("")
    case .stickers: return .missing
    case .playlist(_, let form):
      return answer(items.lazy.map { MPDSong($0.location, $0.facts, modified: $0.modified, places) }, form)
    default:
      return answer(
        items.lazy.filter { $0.kind == .song }.map { MPDSong($0.location, $0.facts, modified: $0.modified, places) })
    }
  }

  private func answer(_ songs: some Sequence<MPDSong>) -> Answer {
    switch subject {
    case .songs(let filter, let order, let isDescribed):
      let found = order.applied(to: songs.filter { filter.matches($0, places) }) { $0 }
      return complete(
        isDescribed ? .text(found.map { $0.text(tagTypes: tagTypes) }.joined()) : .locations(found.map(\.location)),
        filter)
    case .count(let filter, let groups): return complete(.text(counts(songs, filter, groups)), filter)
    case .values(let filter, let tags, let order): return complete(.text(values(songs, filter, tags, order)), filter)
    case .folder, .stats, .stickers, .playlist: return .missing
    }
  }

  private func answer(_ songs: some Sequence<MPDSong>, _ form: PlaylistForm) -> Answer {
    switch form {
    case .names: return .lines(songs.map { "file: \($0.name)\n" })
    case .descriptions: return .lines(songs.map { $0.text(tagTypes: tagTypes) })
    case .found(let filter, let order):
      let found = order.applied(to: songs.filter { filter.matches($0, places) }) { $0 }
      return complete(.lines(found.map { $0.text(tagTypes: tagTypes) }), filter)
    case .length:
      let durations = songs.map { $0.duration ?? 0 }
      return .text("songs: \(durations.count)\nplaytime: \(Int(min(durations.reduce(0, +), 1e15).rounded()))\n")
    }
  }

  /// The answer, unless the filter has not compared all songs.
  private func complete(_ answer: Answer, _ filter: MPDFilter?) -> Answer {
    filter?.failure.map { .failed($0.text) } ?? answer
  }

  private func text(of entries: [MPDEntry], withFacts: Bool) -> String {
    entries.map { entry in
      let modified = withFacts && entry.modified > 0 ? "Last-Modified: \(UTCTime.text(entry.modified))\n" : ""
      return switch entry.content {
      case .folder(let path): "directory: \(places.name(of: path))\n" + modified
      case .playlist(let path): "playlist: \(places.name(of: path))\n" + modified
      case .song(let song): withFacts ? song.text(tagTypes: tagTypes) : "file: \(song.name)\n"
      case .other: ""
      }
    }.joined()
  }

  // MARK: Values

  /// All combinations of the values of tags; no value is an empty one.
  private func combinations(_ song: MPDSong, _ tags: [String]) -> [[String]] {
    tags.reduce([[]]) { rows, tag in
      let values = tag == "file" ? [song.name] : song.valuesOrStandIns(of: tag)
      return Array(
        rows.lazy.flatMap { row in (values.isEmpty ? [""] : values).lazy.map { row + [$0] } }
          .prefix(Self.combinationLimit))
    }
  }

  /// The combinations of one song. A file may have many values of each tag, and a client may ask for all tags.
  private static let combinationLimit = 1000

  private func values(
    _ songs: some Sequence<MPDSong>, _ filter: MPDFilter?, _ tags: [String], _ order: MPDOrder
  ) -> String {
    var rows: Set<[String]> = []
    for song in songs where filter?.matches(song, places) ?? true { rows.formUnion(combinations(song, tags)) }
    let sorted = rows.sorted(by: Self.precedes)
    var (text, last): (String, [String]) = ("", [])
    for row in sorted[order.window?.clamped(to: sorted.indices) ?? sorted.indices] {
      // A value of an outer tag is said once.
      let start = zip(row, last).prefix { $0 == $1 }.count
      for place in min(start, row.count - 1)..<row.count { text += "\(tags[place]): \(row[place].inOneLine)\n" }
      last = row
    }
    return text
  }

  private func counts(_ songs: some Sequence<MPDSong>, _ filter: MPDFilter?, _ groups: [String]) -> String {
    var counts: [[String]: (songs: Int, seconds: Double)] = groups.isEmpty ? [[]: (0, 0)] : [:]
    for song in songs where filter?.matches(song, places) ?? true {
      for row in combinations(song, groups) {
        counts[row, default: (0, 0)].songs += 1
        counts[row, default: (0, 0)].seconds += song.duration ?? 0
      }
    }
    return counts.sorted { Self.precedes($0.key, $1.key) }.map { row, count in
      zip(groups, row).map { "\($0): \($1.inOneLine)\n" }.joined()
        + "songs: \(count.songs)\nplaytime: \(Int(min(count.seconds, 1e15)))\n"
    }.joined()
  }

  /// By the bytes of texts, as MPD sorts them.
  private static func precedes(_ first: [String], _ second: [String]) -> Bool {
    first.lexicographicallyPrecedes(second) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func stats(_ view: LibraryView, written: Int64) -> String {
    var (artists, albums): (Set<String>, Set<Int>) = ([], [])
    var (count, seconds) = (0, 0.0)
    for number in 0..<view.index.trackCount {
      let track = view.track(number)
      guard track.state == .here else { continue }
      artists.formUnion(track.artists)
      if track.hasAlbum { albums.insert(track.albumNumber) }
      count += 1
      seconds += track.duration ?? 0
    }
    return """
      artists: \(artists.count)
      albums: \(albums.count)
      songs: \(count)
      db_playtime: \(Int(min(seconds, 1e15)))
      db_update: \(written)

      """
  }
}

/// The order and the part of an answer: `sort TAG` and `window START:END`.
struct MPDOrder: Equatable, Sendable {
  /// A tag, or one of MPD's times.
  var tag: String?
  var isDescending = false
  var window: Range<Int>?

  /// Elements in the order of their songs, and only the wanted ones.
  func applied<Element>(to elements: [Element], song: (Element) -> MPDSong) -> [Element] {
    let sorted = tag.map { sort(elements, by: $0, song) } ?? elements
    return window.map { Array(sorted[$0.clamped(to: sorted.indices)]) } ?? sorted
  }

  /// Songs without the tag come first, as those with an empty one.
  private func sort<Element>(_ elements: [Element], by tag: String, _ song: (Element) -> MPDSong) -> [Element] {
    switch tag {
    case "Track", "Disc": sort(elements) { Int(song($0).values(of: tag).first ?? "") ?? 0 }
    case "Last-Modified": sort(elements) { song($0).modified }
    case "Added": sort(elements) { song($0).added }
    default: sort(elements) { (song($0).valuesOrStandIns(of: tag).first ?? "").lowercased() }
    }
  }

  private func sort<Element>(_ elements: [Element], key: (Element) -> some Comparable) -> [Element] {
    let keyed = elements.enumerated().map { (place: $0.offset, key: key($0.element)) }
    let isDescending = isDescending
    return keyed.sorted { first, second in
      if first.key == second.key { return first.place < second.place }
      return (first.key < second.key) != isDescending
    }.map { elements[$0.place] }
  }
}

/// A line of a folder.
struct MPDEntry {
  enum Content {
    case folder(BytePath)
    case song(MPDSong)
    case playlist(BytePath)
    case other
  }

  let content: Content
  let modified: Int64

  init(_ content: Content, modified: Int64 = 0) { (self.content, self.modified) = (content, modified) }

  init(_ item: DiskItem, _ places: MPDPlaces) {
    let path = item.location.path ?? BytePath("")
    modified = item.modified
    switch item.kind {
    case .folder: content = .folder(path)
    case .song: content = .song(MPDSong(item.location, item.facts, modified: item.modified, places))
    case .playlist: content = .playlist(path)
    case .other: content = .other
    }
  }
}

/// A folder of the library: its songs, then the folders in it, as MPD orders them.
struct MPDFolder {
  private(set) var entries: [MPDEntry] = []

  /// `nil` if the library has nothing at this path.
  init?(
    _ view: LibraryView, _ tags: @escaping (LibraryTrack) -> CatalogueTags, _ path: BytePath, isRecursive: Bool,
    _ places: MPDPlaces
  ) {
    // Tracks by folder: most tracks follow one of the same folder.
    var tracks: [Int: [LibraryTrack]] = [:]
    var (last, isInside) = (-1, false)
    for number in 0..<view.index.trackCount {
      let track = view.track(number)
      if track.folderNumber != last {
        (last, isInside) = (track.folderNumber, track.folder.isInside(path))
      }
      guard isInside, track.state == .here else { continue }
      tracks[last, default: []].append(track)
    }
    var folders: [BytePath: [LibraryTrack]] = [:]
    for group in tracks.values { folders[group[0].folder, default: []] += group }
    if folders.isEmpty, path != places.music {
      // The path may be that of a song.
      guard let song = view.track(at: path) else { return nil }
      entries = [MPDEntry(.song(MPDSong(song, tags, places)))]
      return
    }
    // Folders that only have folders are between them.
    var inner: [BytePath: Set<BytePath>] = [:]
    for folder in folders.keys {
      var folder = folder
      while folder != path, folder.isInside(path), inner[folder.parent, default: []].insert(folder).inserted {
        folder = folder.parent
      }
    }
    if isRecursive, path != places.music { entries.append(MPDEntry(.folder(path))) }
    add(path, folders.mapValues { $0.sorted(by: Self.precedes).map { MPDSong($0, tags, places) } }, inner, isRecursive)
  }

  private mutating func add(
    _ folder: BytePath, _ songs: [BytePath: [MPDSong]], _ inner: [BytePath: Set<BytePath>], _ isRecursive: Bool
  ) {
    entries += (songs[folder] ?? []).map { MPDEntry(.song($0)) }
    for name in (inner[folder] ?? []).sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
      entries.append(MPDEntry(.folder(name)))
      if isRecursive { add(name, songs, inner, true) }
    }
  }

  /// By album, disc, number and name, as MPD sorts songs.
  private static func precedes(_ first: LibraryTrack, _ second: LibraryTrack) -> Bool {
    let (a, b) = (first.hasAlbum ? first.album.title : "", second.hasAlbum ? second.album.title : "")
    if a != b { return a < b }
    if first.disc != second.disc { return (first.disc ?? 0) < (second.disc ?? 0) }
    if first.track != second.track { return (first.track ?? 0) < (second.track ?? 0) }
    return first.path.bytes.lexicographicallyPrecedes(second.path.bytes)
  }
}
