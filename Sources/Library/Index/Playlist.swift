internal import AudioModel
public import ByteIO

/// A playlist of the listener: tracks in an order of their own, or a saved query (a smart playlist).
public struct Playlist: Sendable, Hashable {
  /// An entry. It refers to a track by its recording, which moved, renamed and retagged files keep.
  struct Entry: Sendable, Hashable {
    var id: Int64
    /// 0 for an address, and for a track of a cue sheet that is not in the library.
    var recording: Int64
  }

  /// An entry that the index does not have: an address, or a file that is not in the library.
  struct Outsider: Sendable, Hashable {
    var location: MediaLocation
    var title, artist, album: String?
    var state: FileState
  }

  /// The server that has it, too.
  public struct OnServer: Sendable, Hashable {
    public var name: String
    /// The reason why a change does not go there.
    public var refusal: String?

    /// `music.home`, or `music.home, not sent: 2 tracks not there`.
    public var sentence: String { name + (refusal.map { ", not sent: \($0)" } ?? "") }
  }

  /// Its number among all lists.
  var id: Int64
  public var name: String
  /// The query of a smart playlist.
  public var query: String?
  /// When it was changed last: seconds since 1970.
  public var changed: Int64 = 0
  public var server: OnServer?
  /// The entries in their order; none in a smart playlist.
  var entries: [Entry] = []
  /// By the number of the entry.
  var outsiders: [Int64: Outsider] = [:]

  /// The number of entries; `nil` for a smart playlist.
  public var count: Int? { query == nil ? entries.count : nil }
}

/// An entry of a playlist, with the facts that are known of it.
public struct PlaylistItem: Sendable {
  /// The number of the entry, which it keeps when it is moved; `nil` in a smart playlist.
  public var entry: Int64?
  /// 0 for an address, and for a track of a cue sheet that is not in the library.
  var recording: Int64
  public var location: MediaLocation
  /// The track, if the index has it.
  public var track: LibraryTrack?
  /// The title, or the name of the file or address.
  public var title: String
  public var artist, album: String?
  public var state: FileState

  /// The title, if it is more than the name of the file or address.
  public var ownTitle: String? { title == location.name ? nil : title }

  init(_ track: LibraryTrack, entry: Int64?) {
    (self.entry, self.track, location, state) = (entry, track, track.location, track.state)
    recording = track.recording
    (title, artist) = (track.title, track.artist)
    album = track.album.rule == .noAlbum ? nil : track.album.title
  }

  init(_ outsider: Playlist.Outsider, _ entry: Playlist.Entry) {
    (self.entry, recording, location, state) = (entry.id, entry.recording, outsider.location, outsider.state)
    (title, artist, album) = (outsider.title?.visible ?? outsider.location.name, outsider.artist, outsider.album)
  }
}

extension LibraryView {
  /// The playlist of this name, or the first one whose name differs in case and accents only.
  public func playlist(named name: String) -> Playlist? {
    if let same = playlists.first(where: { $0.name == name }) { return same }
    let folded = TextFolding.folded(name)
    return playlists.first { TextFolding.folded($0.name) == folded }
  }

  /// The playlist of exactly this name, byte for byte, as changes name it.
  public func playlist(exactly name: String) -> Playlist? {
    playlists.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  public func item(_ place: Int, of playlist: Playlist) -> PlaylistItem {
    let entry = playlist.entries[place]
    if let outsider = playlist.outsiders[entry.id] { return PlaylistItem(outsider, entry) }
    // Of several files with one sound, the first one that is there.
    let tracks = index.tracks(ofRecording: entry.recording).map(track)
    guard let track = tracks.first(where: { $0.state == .here }) ?? tracks.first else {
      let unknown = Playlist.Outsider(location: .url(""), title: "unknown", state: .missing)
      return PlaylistItem(unknown, entry)
    }
    return PlaylistItem(track, entry: entry.id)
  }
}
