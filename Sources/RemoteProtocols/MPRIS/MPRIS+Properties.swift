internal import AudioModel
internal import ByteIO
internal import Playback
internal import Commands

extension MPRIS {
  static let rootProperties: [(String, BusValue)] = [
    ("CanQuit", .bool(true)), ("CanRaise", .bool(false)), ("HasTrackList", .bool(false)),
    ("Identity", .string("segue")), ("DesktopEntry", .string("segue")),
    ("SupportedUriSchemes", .strings(["file", "http", "https"])),
    ("SupportedMimeTypes", .strings(mimeTypes)),
  ]

  /// Media types of files that can be played.
  static let mimeTypes = [
    "audio/mpeg", "audio/mp4", "audio/aac", "audio/flac", "audio/x-flac", "audio/ogg", "audio/vorbis", "audio/opus",
    "audio/x-vorbis+ogg", "audio/x-opus+ogg", "audio/wav", "audio/x-wav", "audio/x-aiff", "audio/x-caf",
    "audio/ac3",
    "audio/amr", "audio/x-matroska", "audio/webm", "audio/x-ms-wma", "audio/x-ape", "audio/x-wavpack",
    "audio/x-musepack", "audio/x-mpegurl", "audio/x-scpls", "application/xspf+xml",
  ]

  static func playerProperties(_ picture: PlayerPicture) -> [(String, BusValue)] {
    let hasEntries = !picture.queue.entries.isEmpty
    let isLive = picture.isLoaded && picture.snapshot.stream?.isLive == true
    return [
      ("PlaybackStatus", .string(status(picture.snapshot.state))),
      ("LoopStatus", .string(loop(picture.queue.repeatMode))),
      ("Rate", .double(picture.settings.speed)), ("MinimumRate", .double(0.5)), ("MaximumRate", .double(2)),
      ("Shuffle", .bool(picture.queue.isShuffled)), ("Metadata", .dictionary(metadata(picture))),
      ("Volume", .double(picture.isMuted ? 0 : picture.volume)), ("Position", .int64(microseconds(picture.position))),
      ("CanGoNext", .bool(hasEntries && canGoNext(picture))),
      ("CanGoPrevious", .bool(hasEntries && canGoBack(picture))),
      ("CanPlay", .bool(hasEntries)), ("CanPause", .bool(hasEntries)),
      (
        "CanSeek",
        .bool(picture.isLoaded && (picture.duration != nil || isLive && picture.snapshot.stream?.shift != nil))
      ),
      ("CanControl", .bool(true)),
    ]
  }

  private static func canGoNext(_ picture: PlayerPicture) -> Bool {
    var queue = picture.queue
    return queue.repeatMode != .off || queue.next() != nil
  }

  private static func canGoBack(_ picture: PlayerPicture) -> Bool {
    var queue = picture.queue
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
  static func trackPath(_ picture: PlayerPicture) -> String {
    picture.entry.map { "/org/segue/track/\($0.id)" } ?? "/org/mpris/MediaPlayer2/TrackList/NoTrack"
  }

  /// The metadata of the track. Artist, title, album and length are always present, because some clients require them.
  static func metadata(_ picture: PlayerPicture) -> [(String, BusValue)] {
    guard let entry = picture.entry else { return [("mpris:trackid", .path(trackPath(picture)))] }
    let tags = picture.tags ?? TrackTags()
    let artists = tags.artists.isEmpty ? [picture.artist].compactMap(\.self) : tags.artists
    var members: [(String, BusValue)] = [
      ("mpris:trackid", .path(trackPath(picture))), ("mpris:length", .int64(microseconds(picture.duration ?? 0))),
      ("xesam:title", .string(sound(picture.title ?? entry.location.name))),
      (
        "xesam:album",
        .string(sound(picture.album ?? (picture.isLoaded ? picture.snapshot.stream?.stationName : nil) ?? ""))
      ),
      ("xesam:artist", .strings(artists.map(sound))),
      ("xesam:url", .string(address(of: picture.whole(entry.location)))),
    ]
    if let cover = picture.cover, cover.id == entry.id {
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
    if let number = tags.trackNumber.flatMap(Int32.init(exactly:)) {
      members.append(("xesam:trackNumber", .int32(number)))
    }
    if let number = tags.discNumber.flatMap(Int32.init(exactly:)) {
      members.append(("xesam:discNumber", .int32(number)))
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
    let digits = Array("0123456789ABCDEF".utf8)
    var text = Array("file://".utf8)
    for byte in path.bytes {
      if isPlain(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: Array("/-._~!$&'()*+,=:@".utf8).contains(byte)
    }
  }
}
