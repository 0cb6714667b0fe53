internal import ByteIO
internal import Cells
internal import Library
internal import Playback
internal import Commands

/// A row of the finder, and the subject of its keys.
struct FinderRow: Sendable, Hashable {
  enum Target: Sendable, Hashable {
    case entry(QueueEntry)
    /// An artist, an album or a playlist.
    case list(LibraryList)
    case media(MediaLocation)
    /// A track whose file is missing, or on a disk that is away.
    case absent(MediaLocation)
    case folder(BytePath)
    /// A place in the current track; `nil` for a line without time.
    case time(Double?)
  }

  /// The word in the first column: `track`, `album`, `queue` ...
  var kind: String
  var title: String
  /// Artist and album, or an address.
  var details: [String?] = []
  /// The time, or the size.
  var note = ""
  var target: Target

  /// The artist and the album in one text.
  var detail: String { details.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " - ") }

  var list: LibraryList? { if case .list(let list) = target { list } else { nil } }
  var entry: QueueEntry? { if case .entry(let entry) = target { entry } else { nil } }
  /// The track, file or folder that can be added to the queue or to a playlist.
  var location: MediaLocation? {
    switch target {
    case .entry(let entry): entry.location
    case .media(let location): location
    case .folder(let path): .file(path)
    case .list, .absent, .time: nil
    }
  }
}

extension FinderRow {
  /// The kinds of rows, and the headings before their groups.
  private static let headings = [
    "queue": "Queue", "track": "Tracks", "album": "Albums", "artist": "Artists", "playlist": "Playlists",
    "stream": "Streams", "chapter": "Chapters", "folder": "Folders", "file": "Files", "cue": "Cue sheets",
    "lyrics": "Lyrics",
  ]
  var heading: String { Self.headings[kind] ?? kind }
  /// The heading of its further rows, behind other groups.
  var headingOfMore: String { kind == "queue" ? "More in the queue" : "More \(heading.lowercased())" }

  /// Rows of one kind before others are shown.
  private static let groupLimit = 5

  /// Rows by their kinds, of which that of the best row comes first: the best rows of each kind, then all others.
  static func grouped(_ rows: [FinderRow]) -> [FinderRow] {
    var kinds: [String] = []
    for row in rows where !kinds.contains(row.kind) { kinds.append(row.kind) }
    let groups = kinds.map { kind in rows.filter { $0.kind == kind } }
    return groups.flatMap { $0.prefix(groupLimit) } + groups.flatMap { $0.dropFirst(groupLimit) }
  }

  init(_ entry: QueueEntry, _ model: ScreenModel) {
    let facts = model.facts[entry.id]
    self.init(
      kind: "queue", title: model.name(of: entry), details: [facts?.artist, facts?.album],
      note: facts?.durationText ?? "", target: .entry(entry))
  }

  init(_ row: LibraryRow) {
    self.init(kind: "", title: row.title, details: [row.artist, row.album], note: row.note, target: .time(nil))
    switch row.content {
    case .track(let location, let isHere): (kind, target) = ("track", isHere ? .media(location) : .absent(location))
    case .list(let list):
      kind = if case .albumsOf = list { "artist" } else { "album" }
      if let year = row.year { title += " (\(year))" }
      target = .list(list)
    case .offer(let path): (kind, target) = ("folder", .folder(path))
    }
  }

  init(_ stream: StreamList.Stream) {
    let address = stream.address.withoutUserInfo
    self.init(
      kind: "stream", title: stream.title ?? address, details: [stream.title == nil ? nil : address],
      target: .media(.url(stream.address)))
  }

  init(_ item: FolderItem) {
    let isFolder = item.kind == .folder
    self.init(
      kind: isFolder ? "folder" : item.kind == .playlist ? "playlist" : "file",
      title: item.path.lastComponent.description + (isFolder ? "/" : ""),
      target: isFolder ? .folder(item.path) : .media(.file(item.path)))
  }

  init(_ track: FolderContents.SheetTrack) {
    self.init(
      kind: "cue", title: track.title, details: [track.artist, track.album], target: .media(track.location))
  }

  /// A chapter, or a line of the lyrics.
  init(kind: String, _ title: String, at time: Double?) {
    self.init(kind: kind, title: title, note: time.map { timeText($0) } ?? "", target: .time(time))
  }
}
