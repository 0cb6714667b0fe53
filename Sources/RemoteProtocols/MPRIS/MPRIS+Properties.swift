internal import AudioModel
internal import ByteIO
internal import Containers
internal import Playback
internal import Commands

extension MPRIS {
  static let rootProperties: [(String, BusValue)] = [
    ("CanQuit", .bool(true)), ("CanRaise", .bool(false)), ("HasTrackList", .bool(false)),
    ("Identity", .string("segue")), ("DesktopEntry", .string("segue")),
    ("SupportedUriSchemes", .strings(["file", "http", "https"])),
    ("SupportedMimeTypes", .strings(mimeTypes)),
  ]

  /// Media types of files that can be played, and of playlists.
  static let mimeTypes =
    Set(AudioFileTypeID.readableTypes.flatMap(\.mimeTypes)).filter { $0.hasPrefix("audio/") }.sorted() + [
      "audio/x-ms-wma", "audio/x-ape", "audio/x-wavpack", "audio/x-musepack", "audio/x-mpegurl", "audio/x-scpls",
      "application/xspf+xml",
    ]

  static func playerProperties(_ player: PlayerSnapshot) -> [(String, BusValue)] {
    let hasEntries = !player.queue.entries.isEmpty
    let isLive = player.isLoaded && player.snapshot.stream?.isLive == true
    return [
      ("PlaybackStatus", .string(status(player.snapshot.state))),
      ("LoopStatus", .string(loop(player.queue.repeatMode))),
      ("Rate", .double(player.settings.speed)), ("MinimumRate", .double(0.5)), ("MaximumRate", .double(2)),
      ("Shuffle", .bool(player.queue.isShuffled)), ("Metadata", .dictionary(metadata(player))),
      ("Volume", .double(player.isMuted ? 0 : player.volume)), ("Position", .int64(microseconds(player.position))),
      ("CanGoNext", .bool(hasEntries && canGoNext(player))),
      ("CanGoPrevious", .bool(hasEntries && canGoBack(player))),
      ("CanPlay", .bool(hasEntries)), ("CanPause", .bool(hasEntries)),
      (
        "CanSeek",
        .bool(player.isLoaded && (player.duration != nil || isLive && player.snapshot.stream?.shift != nil))
      ),
      ("CanControl", .bool(true)),
    ]
  }

  private static func canGoNext(_ player: PlayerSnapshot) -> Bool {
    var queue = player.queue
    return queue.repeatMode != .off || queue.next() != nil
  }

  private static func canGoBack(_ player: PlayerSnapshot) -> Bool {
    var queue = player.queue
    return queue.previous() != nil
  }

  private static func status(_ state: PlaybackState) -> String {
    switch state {
    case .stopped: "Stopped"
    case .playing, .waiting: "Playing"
    case .paused: "Paused"
    }
  }

  private static func loop(_ mode: PlayQueue.RepeatMode) -> String {
    switch mode {
    case .off: "None"
    case .all: "Playlist"
    case .one: "Track"
    }
  }

  static func microseconds(_ seconds: Double) -> Int64 { Int64(max(0, min(seconds, 1e12)) * 1e6) }

  /// The path of the queue's entry; letters, digits and underscores only.
  static func trackPath(_ player: PlayerSnapshot) -> String {
    player.entry.map { "/org/segue/track/\($0.id)" } ?? "/org/mpris/MediaPlayer2/TrackList/NoTrack"
  }

  /// The metadata of the track. Artist, title, album and length are always present, because some clients require them.
  static func metadata(_ player: PlayerSnapshot) -> [(String, BusValue)] {
    guard let entry = player.entry else { return [("mpris:trackid", .path(trackPath(player)))] }
    let tags = player.tags ?? TrackTags()
    let artists = tags.artists.isEmpty ? [player.artist].compactMap(\.self) : tags.artists
    var members: [(String, BusValue)] = [
      ("mpris:trackid", .path(trackPath(player))), ("mpris:length", .int64(microseconds(player.duration ?? 0))),
      ("xesam:title", .string(sound(player.title ?? entry.location.name))),
      (
        "xesam:album",
        .string(sound(player.album ?? (player.isLoaded ? player.snapshot.stream?.stationName : nil) ?? ""))
      ),
      ("xesam:artist", .strings(artists.map(sound))),
      ("xesam:url", .string(address(of: player.whole(entry.location)))),
    ]
    if let cover = player.cover, cover.id == entry.id {
      members.append(("mpris:artUrl", .string(fileAddress(cover.file))))
    }
    func add(_ name: String, _ values: [String]) {
      if !values.isEmpty { members.append((name, .strings(values.map(sound)))) }
    }
    add("xesam:albumArtist", tags.albumArtists)
    add("xesam:genre", tags.genres)
    add("xesam:composer", tags.composers)
    add("xesam:lyricist", tags.fields[.lyricists])
    members += tags.comment.map { [("xesam:comment", .strings([$0.printableLines]))] } ?? []
    for (name, number) in [("xesam:trackNumber", tags.trackNumber), ("xesam:discNumber", tags.discNumber)] {
      if let number = number.flatMap(Int32.init(exactly:)) { members.append((name, .int32(number))) }
    }
    if let bpm = tags.fields.first(.bpm).flatMap(Double.init), 1...1000 ~= bpm {
      members.append(("xesam:audioBPM", .int32(Int32(bpm.rounded()))))
    }
    if let date = tags.date, let created = isoDate(date) { members.append(("xesam:contentCreated", .string(created))) }
    if let lyrics = tags.lyrics { members.append(("xesam:asText", .string(lyrics.printableLines))) }
    return members
  }

  /// A date from tags, with a year at least, as ISO 8601 with a time.
  private static func isoDate(_ date: String) -> String? {
    let parts = date.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
    guard 1...3 ~= parts.count, parts[0].count == 4, parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      parts.dropFirst().allSatisfy({ $0.count == 2 })
    else { return nil }
    return (parts.map(String.init) + ["01", "01"]).prefix(3).joined(separator: "-") + "T00:00:00Z"
  }

  /// A name as one line without control characters: some clients write it to a terminal, and the bus allows no zero bytes.
  private static func sound(_ text: String) -> String { text.printable }

  /// The address of a location: files percent-encoded (RFC 8089), without names and passwords.
  static func address(of location: MediaLocation) -> String {
    switch location {
    case .file(let path): fileAddress(path)
    case .track(let path, let number): fileAddress(path) + "#\(number)"
    case .url: sound(location.description)
    }
  }

  static func fileAddress(_ path: BytePath) -> String {
    "file://" + path.bytes.percentEscaped { !$0.isUnreserved && !"/!$&'()*+,=:@".utf8.contains($0) }
  }
}
