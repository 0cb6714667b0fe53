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
    guard String(validating: path.bytes, as: UTF8.self) != nil, !path.bytes.contains(0x0a) else {
      return MPRIS.fileAddress(path)
    }
    let isInside = path.bytes.starts(with: prefix)
    return BytePath(isInside ? Array(path.bytes.dropFirst(prefix.count)) : path.bytes).description
  }

  /// The path of a name; `nil` if `..` leads out of the music folder.
  func path(of name: String) -> BytePath? {
    if name.contains("://") || name.hasPrefix("/") { return BytePath(name) }
    guard !name.split(separator: "/").contains("..") else { return nil }
    return name.isEmpty ? music : music.appending(BytePath(name))
  }
}

extension String {
  /// The text without line feeds, which values must not contain.
  var inOneLine: String {
    contains { $0.isNewline } ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}

/// The description of a song.
enum MPDSong {
  /// Tags that songs may have here.
  static let tagTypes = [
    "Artist", "Album", "AlbumArtist", "Title", "Track", "Name", "Genre", "Date", "Composer", "Disc",
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
  static func tagType(_ name: String) -> String? {
    (tagTypes + otherTagTypes).first { $0.lowercased() == name.lowercased() }
  }

  /// The description of a song outside the queue.
  static func text(name: String, _ facts: TrackFacts?, tagTypes: Set<String>, modified: String? = nil) -> String {
    var lines = ["file: \(name)"]
    if let modified { lines.append("Last-Modified: \(modified)") }
    for (tag, value) in tags(facts) where tagTypes.contains(tag) { lines.append("\(tag): \(value.inOneLine)") }
    if let duration = facts?.duration, duration.isFinite, 0..<1e9 ~= duration {
      lines.append("Time: \(Int(duration.rounded()))")
      lines.append("duration: \(milliseconds(duration))")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Tags with their values.
  static func tags(_ facts: TrackFacts?) -> [(String, String)] {
    guard let facts else { return [] }
    let values: [(String, String?)] = [
      ("Artist", facts.artist), ("AlbumArtist", facts.albumArtist), ("Title", facts.title), ("Album", facts.album),
      ("Track", facts.trackNumber.map(String.init)), ("Date", facts.date), ("Genre", facts.genre),
      ("Composer", facts.composer), ("Disc", facts.discNumber.map(String.init)),
    ]
    return values.compactMap { name, value in value.flatMap { $0.isEmpty ? nil : (name, $0) } }
  }

  /// Seconds with three decimals.
  static func milliseconds(_ seconds: Double) -> String {
    let whole = Int((max(0, min(seconds, 1e9)) * 1000).rounded())
    let fraction = String(whole % 1000)
    return "\(whole / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  /// A row of the queue.
  static func text(row: Int, _ player: PlayerPicture, _ state: MPDState) -> String {
    let entry = player.queue.entries[row]
    return text(
      name: state.places.name(of: entry.location), facts(of: entry, player), tagTypes: state.tagTypes)
      + "Pos: \(row)\nId: \(entry.id + 1)\n"
  }

  /// The facts of an entry; for the loaded track the latest ones, with the title of a station.
  static func facts(of entry: QueueEntry, _ player: PlayerPicture) -> TrackFacts? {
    guard player.isLoaded, player.snapshot.entry?.id == entry.id else { return player.facts[entry.id] }
    var facts = TrackFacts(player.snapshot.information).named(as: player.facts[entry.id])
    facts.title = player.title
    return facts
  }
}
