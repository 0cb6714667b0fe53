internal import AudioModel
public import ByteIO
internal import Library
internal import Playback
internal import Commands

/// The folders that MPD clients know.
public struct MPDPlaces: Sendable, Hashable {
  /// The folder of the music: names of songs are relative to it.
  public var music: BytePath
  /// The folder of saved playlists, if there is one.
  public var playlists: BytePath?

  /// The folder where relative paths start.
  public var current: BytePath
  /// True for clients that may name nothing outside the music folder.
  var isConfined = false

  public init(music: BytePath, playlists: BytePath?, current: BytePath = BytePath("/")) {
    (self.music, self.playlists, self.current) = (music, playlists, current)
  }

  /// The name of a song: relative to the music folder, absolute elsewhere, or an address. A name that is not UTF-8
  /// becomes a `file:` address, which keeps its bytes.
  func name(of location: MediaLocation) -> String {
    switch location {
    case .file(let path): name(of: path)
    case .track(let path, let number): Self.fitting("\(wholeName(of: path))#\(number)")
    case .url: Self.fitting(location.description.inOneLine)
    }
  }

  func name(of path: BytePath) -> String { Self.fitting(wholeName(of: path)) }

  /// The name, or if it does not fit into a line, one that is like no other. Clients cannot add a song by that name:
  /// they see it in its place, and rows keep their numbers. A name that was cut might be that of another song.
  private static func fitting(_ name: String) -> String {
    name.utf8.count <= MPDLines.nameByteLimit ? name : longNamePrefix + name.utf8.fnvDigits()
  }

  private static let longNamePrefix = "segue://long-name/"

  private func wholeName(of path: BytePath) -> String {
    let path = current.appending(path)
    let prefix = music.bytes.last == UInt8(ascii: "/") ? music.bytes : music.bytes + [UInt8(ascii: "/")]
    guard String(validating: path.bytes, as: UTF8.self) != nil,
      !path.bytes.contains(where: { $0 == 0x0a || $0 == 0x0d })
    else { return MPRIS.fileAddress(path) }
    let isInside = path.bytes.starts(with: prefix)
    return BytePath(isInside ? Array(path.bytes.dropFirst(prefix.count)) : path.bytes).description
  }

  /// The path of a name; `nil` if `..` leads out of the music folder, or if it stands for one that is too long. As in
  /// MPD `/` is the music folder.
  func path(of name: String) -> BytePath? {
    if name == "/" { return music }
    guard !name.hasPrefix(Self.longNamePrefix) else { return nil }
    let isDotted = name.split(separator: "/").contains("..")
    if name.hasPrefix("file://"), let path = MediaLocation(written: Array(name.utf8), in: BytePath("/")).path {
      return isConfined && (path.hasDots || !path.isInside(music)) ? nil : path
    }
    if name.hasPrefix("/") {
      return isConfined && (isDotted || !BytePath(name).isInside(music)) ? nil : BytePath(name)
    }
    if name.contains("://") {
      let isAddress = ["http://", "https://", "segue://"].contains { name.lowercased().hasPrefix($0) }
      return isConfined && !isAddress ? nil : BytePath(name)
    }
    guard !isDotted else { return nil }
    return name.isEmpty ? music : music.appending(BytePath(name))
  }
}

extension String {
  /// The text without line feeds, which values must not contain.
  var inOneLine: String {
    contains { $0.isNewline } ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}

extension Double {
  /// The number with so many decimals, as C prints it; no more than 1e9.
  func text(decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1 as UInt) { scale, _ in scale * 10 }
    let number = Int((max(-1e9, min(self, 1e9)) * Double(scale)).rounded())
    let fraction = String(number.magnitude % scale)
    return (number < 0 ? "-" : "") + "\(number.magnitude / scale)."
      + String(repeating: "0", count: decimals - fraction.count) + fraction
  }
}

/// A song as clients are told of it.
struct MPDSong {
  private enum Facts {
    case file(TrackFacts?)
    /// With the reader of the tags that the index lacks.
    case track(LibraryTrack, (LibraryTrack) -> CatalogueTags)
  }

  private let places: MPDPlaces
  private let facts: Facts
  private var givenTags: [GivenTag] = []
  /// The part that is to be played, of a row of the queue.
  private var part: TrackPart?
  private(set) var priority = 0
  /// `nil` for a track of the library, which knows its path.
  private let given: MediaLocation?
  /// The times of the file's last change and of its coming: seconds since 1970; 0 if they are unknown.
  let (modified, added): (Int64, Int64)

  /// A file or an address, with the facts that were read.
  init(_ location: MediaLocation, _ facts: TrackFacts?, modified: Int64 = 0, _ places: MPDPlaces) {
    (given, self.facts, self.modified, added, self.places) = (location, .file(facts), modified, 0, places)
  }

  /// A track of the library.
  ///
  /// - Parameter tags: Reads the tags that the index lacks.
  init(_ track: LibraryTrack, _ tags: @escaping (LibraryTrack) -> CatalogueTags, _ places: MPDPlaces) {
    (given, facts, modified, added, self.places) = (nil, .track(track, tags), track.modified, track.added, places)
  }

  init(_ item: PlaylistItem, _ tags: @escaping (LibraryTrack) -> CatalogueTags, _ places: MPDPlaces) {
    if let track = item.track {
      self.init(track, tags, places)
    } else {
      var facts = TrackFacts()
      (facts.title, facts.artist, facts.album) = (item.ownTitle, item.artist, item.album)
      self.init(item.location, facts, places)
    }
  }

  var location: MediaLocation {
    if let given { return given }
    guard case .track(let track, _) = facts else { return .file(BytePath("")) }
    return track.location
  }

  var name: String { places.name(of: location) }

  /// Seconds.
  var duration: Double? {
    switch facts {
    case .file(let facts): facts?.duration.flatMap { $0.isFinite && 0..<1e9 ~= $0 ? $0 : nil }
    case .track(let track, _): track.duration
    }
  }

  /// Rate, bits and channels: `44100:16:2`.
  var audioFormat: String? { rareTags.first(.audioFormat) }

  // MARK: Tags

  /// The values of a tag, which `MPDTag.named` has named.
  func values(of tag: String) -> [String] {
    if let field = MPDTag.fields[tag] { return rareTags[field] + given(tag) }
    let values: [String?] =
      switch facts {
      case .file(let facts): facts.map { Self.values(of: tag, $0) } ?? []
      case .track(let track, _): Self.values(of: tag, track)
      }
    return values.compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } } + given(tag)
  }

  private func given(_ tag: String) -> [String] { givenTags.filter { $0.tag == tag }.map(\.value) }

  func valuesOrStandIns(of tag: String) -> [String] {
    let values = values(of: tag)
    return values.isEmpty ? MPDTag.standIns[tag].map(valuesOrStandIns) ?? [] : values
  }

  /// Values for the rare tags. Those of the library are read now, so ask once for many tags.
  private var rareTags: CatalogueTags {
    switch facts {
    case .file(let facts): facts?.otherTags ?? CatalogueTags()
    case .track(let track, let stored): stored(track)
    }
  }

  /// All values of these tags, in the order of answers.
  func values(of tags: Set<String>) -> [(tag: String, value: String)] {
    var found: [(tag: String, value: String)] = []
    for tag in MPDTag.common where tags.contains(tag) { for value in values(of: tag) { found.append((tag, value)) } }
    // As mpc asks for them: none of the rare ones.
    guard tags.contains(where: { MPDTag.fields[$0] != nil }) else { return found }
    for (field, value) in rareTags.values(where: { MPDTag.named($0).map { tags.contains($0) } ?? false }) {
      if let tag = MPDTag.named(field) { found.append((tag, value)) }
    }
    for given in givenTags where MPDTag.fields[given.tag] != nil && tags.contains(given.tag) {
      found.append((given.tag, given.value))
    }
    return found
  }

  private static func values(of tag: String, _ facts: TrackFacts) -> [String?] {
    func several(_ field: CatalogueTags.Field, or whole: String?) -> [String?] {
      let values = facts.otherTags[field]
      return values.isEmpty ? [whole] : values
    }
    return switch tag {
    case "Artist": several(.artists, or: facts.artist)
    case "AlbumArtist": several(.albumArtists, or: facts.albumArtist)
    case "Title": [facts.title]
    case "Album": [facts.album]
    case "Track": [facts.trackNumber.map(String.init)]
    case "Date": [facts.date]
    case "Genre": several(.genres, or: facts.genre)
    case "Composer": several(.composers, or: facts.composer)
    case "Disc": [facts.discNumber.map(String.init)]
    default: []
    }
  }

  private static func values(of tag: String, _ track: LibraryTrack) -> [String?] {
    switch tag {
    case "Artist": track.artists
    case "AlbumArtist": track.hasAlbumArtist ? track.album.artists : []
    case "Title": [track.hasTitle ? track.title : nil]
    case "Album": [track.hasAlbum ? track.album.title : nil]
    case "Track": [track.track.map(String.init)]
    case "Date": [track.date]
    case "Genre": track.genres
    case "Composer": track.composers
    case "Disc": [track.disc.map(String.init)]
    default: []
    }
  }

  // MARK: Text

  func text(tagTypes: Set<String>) -> String {
    var text = "file: \(name)\n"
    if let part {
      let places = [part.start, part.end].map { $0.map { Self.milliseconds($0.seconds) } ?? "" }
      text += "Range: \(places.joined(separator: "-"))\n"
    }
    if modified > 0 { text += "Last-Modified: \(UTCTime.text(modified))\n" }
    if added > 0 { text += "Added: \(UTCTime.text(added))\n" }
    // With the rare tags, which are read for it.
    if tagTypes.contains(where: { MPDTag.fields[$0] != nil }), let audioFormat { text += "Format: \(audioFormat)\n" }
    for (tag, value) in values(of: tagTypes) { text += "\(tag): \(value.inOneLine)\n" }
    if let duration {
      text += "Time: \(Int(duration.rounded()))\nduration: \(Self.milliseconds(duration))\n"
    }
    return text
  }

  /// Seconds with three decimals.
  static func milliseconds(_ seconds: Double) -> String { max(0, seconds).text(decimals: 3) }

  // MARK: The queue

  init(row: Int, _ player: PlayerSnapshot, _ places: MPDPlaces) {
    let entry = player.queue.entries[row]
    self.init(entry.location, Self.facts(of: entry, player), places)
    (givenTags, part, priority) =
      (player.givenTags[entry.id] ?? [], entry.part, player.queue.priority(of: entry.id))
  }

  static func text(row: Int, _ player: PlayerSnapshot, _ state: MPDState) -> String {
    let (id, song) = (player.queue.entries[row].id, MPDSong(row: row, player, state.places))
    let priority = song.priority == 0 ? "" : "Prio: \(song.priority)\n"
    return song.text(tagTypes: state.tagTypes) + "Pos: \(row)\nId: \(id + 1)\n\(priority)"
  }

  /// The facts of an entry; for the loaded track the latest ones, with the title of a station.
  private static func facts(of entry: QueueEntry, _ player: PlayerSnapshot) -> TrackFacts? {
    guard player.isLoaded, player.snapshot.entry?.id == entry.id else { return player.facts[entry.id] }
    var facts = TrackFacts(player.snapshot.information).named(as: player.facts[entry.id])
    facts.title = player.title
    if player.snapshot.stream?.isLive == true { facts.otherTags = CatalogueTags() }
    return facts
  }
}
