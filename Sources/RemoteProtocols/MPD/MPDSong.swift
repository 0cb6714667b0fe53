public import ByteIO
internal import Library
internal import Playback
internal import Player

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

  /// Folders.
  public init(music: BytePath, playlists: BytePath?, current: BytePath = BytePath("/")) {
    (self.music, self.playlists, self.current) = (music, playlists, current)
  }

  /// The name of a song: relative to the music folder, absolute elsewhere, or an address. A name that is not UTF-8
  /// becomes a `file:` address, which keeps its bytes.
  func name(of location: MediaLocation) -> String {
    switch location {
    case .file(let path): return name(of: path)
    case .track(let path, let number): return "\(name(of: path))#\(number)"
    case .url: return location.description.inOneLine
    }
  }

  /// The name of a file or folder.
  func name(of path: BytePath) -> String {
    let path = current.appending(path)
    let prefix = music.bytes.last == UInt8(ascii: "/") ? music.bytes : music.bytes + [UInt8(ascii: "/")]
    guard String(validating: path.bytes, as: UTF8.self) != nil,
      !path.bytes.contains(where: { $0 == 0x0a || $0 == 0x0d })
    else { return MPRIS.fileAddress(path) }
    let isInside = path.bytes.starts(with: prefix)
    return BytePath(isInside ? Array(path.bytes.dropFirst(prefix.count)) : path.bytes).description
  }

  /// The path of a name; `nil` if `..` leads out of the music folder. As in MPD `/` is the music folder.
  func path(of name: String) -> BytePath? {
    if name == "/" { return music }
    let isDotted = name.split(separator: "/").contains("..")
    if name.hasPrefix("file://"), let path = MediaLocation(written: Array(name.utf8), in: BytePath("/")).path {
      return isConfined && (path.hasDots || !path.isInside(music)) ? nil : path
    }
    if name.hasPrefix("/") {
      return isConfined && (isDotted || !BytePath(name).isInside(music)) ? nil : BytePath(name)
    }
    if name.contains("://") {
      let isAddress = ["http://", "https://"].contains { name.lowercased().hasPrefix($0) }
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

/// A song as clients are told of it.
struct MPDSong {
  private enum Facts {
    case file(TrackFacts?)
    case track(LibraryTrack)
  }

  private let places: MPDPlaces
  private let facts: Facts
  /// `nil` for a track of the library, which knows its path.
  private let given: MediaLocation?
  /// The times of the file's last change and of its coming: seconds since 1970; 0 if they are unknown.
  let (modified, added): (Int64, Int64)

  /// A file or an address, with the facts that were read.
  init(_ location: MediaLocation, _ facts: TrackFacts?, modified: Int64 = 0, _ places: MPDPlaces) {
    (given, self.facts, self.modified, added, self.places) = (location, .file(facts), modified, 0, places)
  }

  /// A track of the library.
  init(_ track: LibraryTrack, _ places: MPDPlaces) {
    (given, facts, modified, added, self.places) = (nil, .track(track), track.modified, track.added, places)
  }

  /// An entry of a playlist.
  init(_ item: PlaylistItem, _ places: MPDPlaces) {
    if let track = item.track {
      self.init(track, places)
    } else {
      var facts = TrackFacts()
      (facts.title, facts.artist, facts.album) = (item.ownTitle, item.artist, item.album)
      self.init(item.location, facts, places)
    }
  }

  var location: MediaLocation {
    if let given { return given }
    guard case .track(let track) = facts else { return .file(BytePath("")) }
    return .file(track.path)
  }

  var name: String { places.name(of: location) }

  /// Seconds.
  var duration: Double? {
    switch facts {
    case .file(let facts): facts?.duration.flatMap { $0.isFinite && 0..<1e9 ~= $0 ? $0 : nil }
    case .track(let track): track.duration
    }
  }

  // MARK: Tags

  /// Tags that songs may have here.
  static let tagTypes = [
    "Artist", "Album", "AlbumArtist", "Title", "Track", "Name", "Genre", "Date", "Composer", "Disc",
  ]

  /// The order of tags in answers.
  private static let answerOrder = [
    "Artist", "AlbumArtist", "Title", "Album", "Track", "Date", "Genre", "Composer", "Disc",
  ]

  /// Tags of MPD that no song has here. Clients that ask for them get songs without them.
  static let otherTagTypes = [
    "ArtistSort", "AlbumSort", "AlbumArtistSort", "TitleSort", "OriginalDate", "ComposerSort", "Performer", "Conductor",
    "Work", "Movement", "MovementNumber", "ShowMovement", "Ensemble", "Location", "Grouping", "Comment", "Label",
    "Mood",
    "MUSICBRAINZ_ARTISTID", "MUSICBRAINZ_ALBUMID", "MUSICBRAINZ_ALBUMARTISTID", "MUSICBRAINZ_TRACKID",
    "MUSICBRAINZ_RELEASETRACKID", "MUSICBRAINZ_WORKID", "MUSICBRAINZ_RELEASEGROUPID",
  ]

  /// The tag with this name, whatever its case; `nil` if MPD has none.
  static func tagType(_ name: String) -> String? { tagTypesByName[name.lowercased()] }

  private static let tagTypesByName = Dictionary(
    (tagTypes + otherTagTypes).map { ($0.lowercased(), $0) }
  ) { first, _ in first }

  /// The values of a tag, which `tagType` has named.
  func values(of tag: String) -> [String] {
    let values: [String?] =
      switch facts {
      case .file(let facts?) where tag == "Artist" && !facts.artists.isEmpty: facts.artists
      case .file(let facts): facts.map { [Self.value(of: tag, $0)] } ?? []
      case .track(let track): Self.values(of: tag, track)
      }
    return values.compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
  }

  /// The values of a tag, or of the one that stands in for it.
  func valuesOrStandIns(of tag: String) -> [String] {
    let values = values(of: tag)
    return values.isEmpty && tag == "AlbumArtist" ? self.values(of: "Artist") : values
  }

  private static func value(of tag: String, _ facts: TrackFacts) -> String? {
    switch tag {
    case "Artist": facts.artist
    case "AlbumArtist": facts.albumArtist
    case "Title": facts.title
    case "Album": facts.album
    case "Track": facts.trackNumber.map(String.init)
    case "Date": facts.date
    case "Genre": facts.genre
    case "Composer": facts.composer
    case "Disc": facts.discNumber.map(String.init)
    default: nil
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

  /// The lines of an answer.
  func text(tagTypes: Set<String>) -> String {
    var text = "file: \(name)\n"
    if modified > 0 { text += "Last-Modified: \(UTCTime.text(modified))\n" }
    if added > 0 { text += "Added: \(UTCTime.text(added))\n" }
    for tag in Self.answerOrder where tagTypes.contains(tag) {
      for value in values(of: tag) { text += "\(tag): \(value.inOneLine)\n" }
    }
    if let duration {
      text += "Time: \(Int(duration.rounded()))\nduration: \(Self.milliseconds(duration))\n"
    }
    return text
  }

  /// Seconds with three decimals.
  static func milliseconds(_ seconds: Double) -> String {
    let whole = Int((max(0, min(seconds, 1e9)) * 1000).rounded())
    let fraction = String(whole % 1000)
    return "\(whole / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  // MARK: The queue

  /// A row of the queue.
  init(row: Int, _ player: PlayerPicture, _ places: MPDPlaces) {
    let entry = player.queue.entries[row]
    self.init(entry.location, Self.facts(of: entry, player), places)
  }

  /// The lines of a row of the queue.
  static func text(row: Int, _ player: PlayerPicture, _ state: MPDState) -> String {
    MPDSong(row: row, player, state.places).text(tagTypes: state.tagTypes)
      + "Pos: \(row)\nId: \(player.queue.entries[row].id + 1)\n"
  }

  /// The facts of an entry; for the loaded track the latest ones, with the title of a station.
  private static func facts(of entry: QueueEntry, _ player: PlayerPicture) -> TrackFacts? {
    guard player.isLoaded, player.snapshot.entry?.id == entry.id else { return player.facts[entry.id] }
    var facts = TrackFacts(player.snapshot.information).named(as: player.facts[entry.id])
    facts.title = player.title
    if player.snapshot.stream?.isLive == true { facts.artists = [] }
    return facts
  }
}
