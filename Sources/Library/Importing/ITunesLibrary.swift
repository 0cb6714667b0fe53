public import ByteIO
internal import Glibc

/// The XML file that iTunes and Music write (`File > Library > Export Library`): a property list of tracks and playlists.
public struct ITunesLibrary {
  /// The folder of the music on the computer on which the file was written; `nil` if it is not named.
  public private(set) var musicFolder: BytePath?
  private var tracks: [String: [String: String]] = [:]
  private var playlists: [(values: [String: String], tracks: [String])] = []

  /// Reads as far as the document goes. Damaged tracks are skipped.
  public init(_ document: [UInt8]) {
    var scanner = TagScanner(document)
    // The keys of the open dictionaries and arrays; the elements of an array have an empty one.
    var (path, key, text): ([String], String, String) = ([], "", "")
    while let token = scanner.next() {
      switch token {
      case .text(let more): text += more
      case .begin(let name, _, isClosed: false) where name == "dict" || name == "array":
        path.append(key)
        key = ""
        if name == "dict", path == ["", "Playlists", ""] { playlists.append(([:], [])) }
      case .begin(let name, _, isClosed: true) where name == "true":
        note("true", for: key, at: path)
      case .begin: text = ""
      case .end("key"): key = text
      case .end(let name) where name == "dict" || name == "array":
        _ = path.popLast()
        key = ""
      case .end: note(text, for: key, at: path)
      }
    }
  }

  private mutating func note(_ value: String, for key: String, at path: [String]) {
    switch path.count {
    case 1 where key == "Music Folder": musicFolder = Self.path(value)
    case 3 where path[1] == "Tracks": tracks[path[2], default: [:]][key] = value
    case 3 where path[1] == "Playlists" && !playlists.isEmpty: playlists[playlists.count - 1].values[key] = value
    case 5 where path[1] == "Playlists" && key == "Track ID" && !playlists.isEmpty:
      playlists[playlists.count - 1].tracks.append(value)
    default: break
    }
  }

  /// The path that an address names; `nil` for addresses on the network.
  private static func path(_ address: String) -> BytePath? {
    guard case .file(let path) = MediaLocation(written: Array(address.utf8), in: BytePath("/")) else { return nil }
    return path
  }

  /// The tracks and the playlists that the listener made.
  ///
  /// - Parameters:
  ///   - music: The place of `musicFolder` on this computer; `nil` if it is the same.
  ///   - now: The time of addition where the file has none, in seconds since 1970.
  public func contents(music: BytePath?, now: Int64) -> ForeignLibrary.Contents {
    var contents = ForeignLibrary.Contents()
    var paths: [String: BytePath] = [:]
    for (id, values) in tracks.sorted(by: { $0.key < $1.key }) {
      guard let path = values["Location"].flatMap(Self.path).map({ moved($0, to: music) }) else { continue }
      paths[id] = path
      func number(_ name: String) -> Int { max(0, values[name].flatMap { Int($0) } ?? 0) }
      var record = ListenerRecord(path: path, added: Self.time(values["Date Added"]) ?? now)
      (record.title, record.artist, record.album) = (values["Name"], values["Artist"], values["Album"])
      (record.plays, record.skips) = (number("Play Count"), number("Skip Count"))
      record.last = Self.time(values["Play Date UTC"])
      // A computed rating is that of the album.
      if values["Rating Computed"] == nil, 1...100 ~= number("Rating") { record.rating = (number("Rating") + 5) / 10 }
      record.love = values["Loved"] != nil || values["Favorited"] != nil
      contents.add(record)
    }
    for (values, ids) in playlists {
      // The whole library, and lists that the program keeps itself, such as `Podcasts`; folders hold lists.
      let isOwn = values["Master"] == nil && values["Distinguished Kind"] == nil && values["Folder"] == nil
      let entries = ids.compactMap { paths[$0] }.map {
        PlaylistRecord.Entry(location: PlaylistWriter.line(for: .file($0)), key: nil, title: nil)
      }
      guard isOwn, let name = values["Name"], !entries.isEmpty else { continue }
      contents.playlists.append(PlaylistRecord(name: name, entries: entries))
    }
    return contents
  }

  private func moved(_ path: BytePath, to music: BytePath?) -> BytePath {
    let slash = UInt8(ascii: "/")
    guard let music, var folder = musicFolder?.bytes else { return path }
    if folder.last != slash { folder.append(slash) }
    return path.bytes.starts(with: folder) ? music.appending(BytePath(path.bytes[folder.count...])) : path
  }

  /// Seconds since 1970 of a date such as `2018-01-06T05:12:19Z`.
  private static func time(_ text: String?) -> Int64? {
    let numbers = (text ?? "").split(whereSeparator: { "-T:Z".contains($0) }).compactMap { Int32($0) }
    guard numbers.count == 6, 1970...9999 ~= numbers[0] else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] &- 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    let time = timegm(&parts)
    return time > 0 ? Int64(time) : nil
  }
}
