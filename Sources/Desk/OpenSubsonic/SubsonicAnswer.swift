internal import AudioModel
internal import ByteIO
internal import Commands
package import Library

/// An answer of a server that speaks OpenSubsonic. Any bytes are accepted: what is missing or of another kind is not
/// there. Pure.
package struct SubsonicAnswer: Sendable {
  private let body: JSON
  /// The version of the interface; the program and its version, if the server says them.
  package let version, program, programVersion: String?

  /// Throws the error that the answer contains, or a sentence about what it is instead of an answer.
  package init(_ bytes: [UInt8]) throws(ServerFailure) {
    let json: JSON
    do throws(JSON.SyntaxError) { json = try JSON(parsing: bytes, allowsHalves: true) } catch {
      let isPage = bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
      throw ServerFailure(
        isPage
          ? "the server answered with a web page: is this the address of its music?"
          : "the server's answer cannot be read: \(error)")
    }
    let envelope = json["subsonic-response"]
    // Ampache has written errors without it. Those of a proxy have the same form, and the status of HTTP as their code.
    let body = envelope ?? json
    let (error, version) = (body["error"], body["version"].clean)
    let code = error?["code"].int
    let isError = code.map { envelope != nil || 0..<100 ~= $0 } ?? false
    guard let status = envelope?["status"]?.text ?? (isError ? "failed" : nil) else {
      throw ServerFailure("no server of music answers at this address")
    }
    (self.body, self.version) = (body, version)
    (program, programVersion) = (body["type"].clean, body["serverVersion"].clean)
    guard status == "ok", code == nil else {
      throw ServerFailure(Self.sentence(code, error?["message"].clean, version: version), code: code)
    }
  }

  /// The version in an answer of any kind.
  static func version(in bytes: [UInt8]) -> String? {
    ((try? JSON(parsing: bytes))?["subsonic-response"]?["version"]).clean
  }

  private static func sentence(_ code: Int?, _ message: String?, version: String?) -> String {
    switch code {
    case 20, 30: "the server speaks version \(version ?? "?") of the interface, which is not known here"
    case 40: "wrong user name or password"
    case 41: "the server does not take this kind of password"
    case 42: "the server does not take this way to log in"
    case 43: "the server got two ways to log in at once"
    case 44: "the server does not know this API key: it may have expired"
    case 50: "the server does not allow this user to do that"
    case 60: "the trial of the server is over"
    case 70: "the server does not have it any more"
    default: "the server says: " + (message.map { String($0.prefix(200)) } ?? "error \(code ?? 0)")
    }
  }

  /// An album in a list of albums.
  struct Album: Sendable, Hashable {
    var id: String
    var trackCount: Int
  }

  private static let largestAlbum = 1_000_000

  /// The page of a list of albums.
  var albums: [Album] {
    (body["albumList2"]?["album"]).list.compactMap { album in
      let count = min(max(0, album["songCount"].int ?? 0), Self.largestAlbum)
      return album["id"].identifier.map { Album(id: $0, trackCount: count) }
    }
  }

  /// The parts of the server's music.
  var musicFolders: [ServerAccount.MusicFolder] {
    (body["musicFolders"]?["musicFolder"]).list.compactMap { folder in
      folder["id"].identifier.map { ServerAccount.MusicFolder(id: $0, name: folder["name"].clean ?? $0) }
    }
  }

  /// The stations that the server offers: only those on the network.
  var stations: [StreamList.Stream] {
    (body["internetRadioStations"]?["internetRadioStation"]).list.prefix(10_000).compactMap { station in
      let address = station["streamUrl"].clean.map { WebAddress($0) }
      return address.flatMap { $0.isHTTP ? StreamList.Stream($0.text, title: station["name"].clean) : nil }
    }
  }

  /// The names of the extensions that the server has.
  var extensions: Set<String> { Set(body["openSubsonicExtensions"].list.compactMap { $0["name"]?.text }) }

  /// The name of the user that a key belongs to.
  var userOfKey: String? { body["tokenInfo"]?["username"].clean }

  /// The lyrics of a track as LRC, or without times: those with times first, and before translations.
  var lyrics: String? {
    if let text = body["lyrics"]?["value"]?.text { return text }
    let all = (body["lyricsList"]?["structuredLyrics"]).list.map { StructuredLyrics(json: $0) }
    return all.min { $0.rank < $1.rank }?.text
  }

  /// The track of an answer about one.
  var track: ServerTrack? { body["song"].one.flatMap { ServerTrack($0, of: .null) } }

  /// The artist of the track of an answer about one: an ID.
  var artistID: String? { (body["song"].one?["artistId"]).identifier }

  /// The cover of the track of an answer about one: an ID.
  var coverID: String? { (body["song"].one?["coverArt"]).identifier }

  /// The picture of the artist of an answer about one.
  var artistPicture: SubsonicArtist.Picture? {
    let (artist, info) = (body["artist"].one, body["artistInfo2"].one)
    if let id = (artist?["coverArt"]).identifier { return .cover(id) }
    let addresses = [artist?["artistImageUrl"], info?["largeImageUrl"], info?["mediumImageUrl"]]
    return addresses.lazy.compactMap(\.clean).map { WebAddress($0) }.first(where: \.isHTTP).map { .address($0) }
  }

  /// The names of the tracks that are like another one, the best first.
  var similar: [String] {
    let songs = (body["similarSongs"] ?? body["similarSongs2"])?["song"]
    // Servers differ in how they have read the extension.
    let matches = body["sonicMatch"] ?? body["sonicSimilarTracks"]?["sonicMatch"]
    return (songs ?? matches).list.prefix(1000).compactMap { ServerTrack($0["entry"] ?? $0, of: .null)?.id }
  }

  package var tracks: [ServerTrack] {
    guard let album = body["album"].one else { return [] }
    return album["song"].list.compactMap { ServerTrack($0, of: album) }
  }

  /// The IDs of the channels of podcasts.
  var channels: [String] {
    (body["podcasts"]?["channel"]).list.prefix(Self.channelLimit).compactMap { $0["id"].identifier }
  }

  /// The episodes of a channel of podcasts that the server has, in the order of their dates: an album.
  func episodes(ofChannel id: String) -> [ServerTrack] {
    let channel = (body["podcasts"]?["channel"]).list.first { $0["id"].identifier == id }
    return channel.map { ServerTrack.episodes(of: $0, limit: Self.episodeLimit) } ?? []
  }

  static let (channelLimit, episodeLimit) = (1000, 10_000)

  /// The play queue, from its current track on; `nil` if there is none.
  var queue: ServerQueue? {
    guard let queue = body["playQueue"].one else { return nil }
    let tracks = queue["entry"].list.compactMap { ServerTrack($0, of: .null)?.id }
    let current = queue["current"].identifier.map { ServerTrack(id: $0).id }
    let place = tracks.firstIndex { $0 == current }
    guard !tracks.isEmpty else { return nil }
    return ServerQueue(
      tracks: Array(tracks[(place ?? 0)...]),
      seconds: place == nil ? 0 : Double(min(max(0, queue["position"].int ?? 0), 1_000_000_000)) / 1000,
      changed: queue["changed"].moment, program: queue["changedBy"].clean)
  }

  /// The bookmarks.
  var places: [ServerPlace] {
    (body["bookmarks"]?["bookmark"]).list.compactMap { bookmark in
      guard let track = bookmark["entry"].one.flatMap({ ServerTrack($0, of: .null) }),
        let position = bookmark["position"].int
      else { return nil }
      return ServerPlace(
        track: track, seconds: Double(min(max(0, position), 1_000_000_000)) / 1000,
        changed: bookmark["changed"].moment)
    }
  }

  /// The list of playlists that a user sees.
  func playlists(of user: String) -> [ServerPlaylist] {
    (body["playlists"]?["playlist"]).list.compactMap { ServerPlaylist($0, of: user) }
  }

  /// The playlist of an answer about one, with its tracks.
  func playlist(of user: String) -> ServerPlaylist? { body["playlist"].one.flatMap { ServerPlaylist($0, of: user) } }

  /// True if others see the playlist of an answer about one; `nil` without a playlist.
  var isPublicPlaylist: Bool? { body["playlist"].one.map { $0["public"].isTrue } }
}

extension ServerPlaylist {
  /// The members of a Playlist (OpenSubsonic); `nil` for one without an ID.
  fileprivate init?(_ json: JSON, of user: String) {
    guard let id = json["id"].identifier else { return nil }
    self.init(id: id, name: json["name"].clean ?? id)
    version = json["changed"]?.text
    let entries = json["entry"].list
    tracks = entries.compactMap { ServerTrack($0, of: .null) }
    count = min(max(0, json["songCount"].int ?? entries.count), 1_000_000)
    let isLocked = json["readonly"].isTrue
    let isOthers = !user.isEmpty && json["owner"].clean.map { $0.lowercased() != user.lowercased() } ?? false
    // Entries that are not known here, such as videos, or not shown, such as missing files, must not be lost.
    let isWhole = entries.isEmpty || tracks.count == entries.count && tracks.count >= count
    isOwn = !isLocked && !isOthers && isWhole
  }
}

extension ServerTrack {
  /// The members of a Child (OpenSubsonic); `nil` for one without an ID, and for videos.
  fileprivate init?(_ song: JSON, of album: JSON) {
    guard let id = song["id"].identifier else { return nil }
    if song["isVideo"].isTrue { return nil }
    self.init(id: id)
    let fileName = song["path"].clean?.split(separator: "/").last.map(String.init)
    tags.add(song["title"].clean ?? fileName ?? id, .title)
    tags.add(song["displayArtist"].clean ?? song["artist"].clean, .artist)
    for name in song["artists"].names { tags.add(name, .artists) }
    tags.add(song["album"].clean ?? album["name"].clean, .album)
    tags.add(album["displayArtist"].clean ?? album["artist"].clean, .albumArtist)
    for name in album["artists"].names { tags.add(name, .albumArtists) }
    let genres = song["genres"].names
    for genre in genres.isEmpty ? [song["genre"].clean].compactMap(\.self) : genres { tags.add(genre, .genres) }
    func number(_ name: String) -> String? { (song[name].int).flatMap { 1...9999 ~= $0 ? String($0) : nil } }
    tags.add(number("year"), .date)
    tags.add(number("discNumber"), .disc)
    tags.add(number("track"), .track)
    tags.add(song["musicBrainzId"].clean, .recordingID)
    tags.add(album["musicBrainzId"].clean, .releaseID)
    addGain("trackGain", .trackGain, "trackPeak", .trackPeak, of: song["replayGain"])
    addGain("albumGain", .albumGain, "albumPeak", .albumPeak, of: song["replayGain"])
    addFacts(of: song)
  }

  /// Takes what is no tag.
  private mutating func addFacts(of song: JSON) {
    duration = song["duration"]?.double.flatMap { 0..<1e7 ~= $0 ? $0 : nil }
    byteCount = Int64(clamping: max(0, song["size"].int ?? 0))
    // Some servers say it in bits per second, others in thousands of them.
    let bits = (song["bitRate"] ?? song["bitrate"]).int
    bitRate = bits.flatMap { 1..<100_000_000 ~= $0 ? ($0 < 10_000 ? $0 * 1000 : $0) : nil }
    format = song["suffix"].clean.flatMap { Self.formats[$0.lowercased()] }
    let day = (song["created"].clean).flatMap { CalendarDate.moments(in: String($0.prefix(10))) }
    added = day.map { Int64($0.lowerBound) } ?? 0
    rating = min(max(0, song["userRating"].int ?? 0), 5)
    isLoved = song["starred"]?.text?.isEmpty == false
    lastPlayed = song["played"].moment
    playCount = min(max(0, song["playCount"].int ?? 0), 1_000_000)
  }

  /// The episodes of a channel of podcasts, from the oldest one on; servers name the newest ones first.
  fileprivate static func episodes(of channel: JSON, limit: Int) -> [ServerTrack] {
    let dated = channel["episode"].list.prefix(limit).enumerated().compactMap { place, episode in
      // Others are still on the web.
      guard episode["status"]?.text ?? "completed" == "completed", let id = episode["streamId"].identifier else {
        return nil as (date: Int64, place: Int, json: JSON, id: String)?
      }
      return (episode["publishDate"].moment ?? 0, -place, episode, id)
    }
    let sorted = dated.sorted { ($0.date, $0.place) < ($1.date, $1.place) }
    return sorted.enumerated().map { index, episode in
      var track = ServerTrack(id: episode.id)
      let name = channel["title"].clean ?? "Podcast"
      let date = episode.date > 0 ? String(CalendarDate.text(episode.date).prefix(10)) : nil
      for (value, field) in [
        (episode.json["title"].clean ?? episode.id, CatalogueTags.Field.title), (name, .artist), (name, .album),
        (name, .albumArtist), ("Podcast", .genres), (date, .date), (String(index + 1), .track),
      ] {
        track.tags.add(value, field)
      }
      track.addFacts(of: episode.json)
      if track.added == 0 { track.added = episode.date }
      return track
    }
  }

  /// Adds a gain and its peak. Servers that know none write 0 dB, with a peak of 0 (gonic) or 1 (older Navidrome).
  private mutating func addGain(
    _ gainName: String, _ gainField: CatalogueTags.Field, _ peakName: String, _ peakField: CatalogueTags.Field,
    of json: JSON?
  ) {
    let (gain, peak) = (json?[gainName]?.double, json?[peakName]?.double)
    guard gain != 0 || ![0, 1].contains(peak ?? 0) else { return }
    tags.add(gain.flatMap { -1000..<1000 ~= $0 ? "\($0)" : nil }, gainField)
    tags.add(peak.flatMap { $0 > 0 && $0 < 1000 ? "\($0)" : nil }, peakField)
  }

  /// Extensions that leave no doubt.
  private static let formats: [String: AudioFormatID] = ["mp3": .mpegLayer3, "flac": .flac, "opus": .opus]
}

/// One of the lyrics of a track (OpenSubsonic, `structuredLyrics`).
private struct StructuredLyrics {
  let json: JSON

  private var isSynchronized: Bool { json["synced"].isTrue }
  /// The most wanted has the lowest one.
  var rank: Int { (json["kind"]?.text ?? "main" == "main" ? 0 : 2) + (isSynchronized ? 0 : 1) }

  /// LRC, or text without times.
  var text: String {
    let lines = json["line"].list.map { line in
      let text = (line["value"]?.text ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
      guard isSynchronized else { return text }
      let start = min(max(0, line["start"].int ?? 0), 1_000_000_000)
      return "[\(start / 60_000):\(start / 1000 % 60).\(String(start % 1000 + 1000).dropFirst())]" + text
    }
    return (["[offset:\(json["offset"].int ?? 0)]"] + lines).joined(separator: "\n")
  }
}

extension Optional<JSON> {
  /// The text without the characters that control terminals; `nil` if nothing is left.
  fileprivate var clean: String? {
    guard let text = self?.text else { return nil }
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where scalar.properties.generalCategory != .control { kept.append(scalar) }
    return kept.allSatisfy(\.properties.isWhitespace) ? nil : String(kept)
  }

  /// An ID: a text, or in old servers a number.
  fileprivate var identifier: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .integer(let number): String(number)
    default: nil
    }
  }

  fileprivate var int: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .string(let text): Int(text)
    default: self?.double.flatMap { Int(exactly: $0.rounded()) }
    }
  }

  /// Seconds since 1970 of `2026-11-22T22:25:06.123Z`, or with `+01:00`; without a zone it is UTC.
  fileprivate var moment: Int64? {
    guard let text = self?.text, let day = CalendarDate.moments(in: String(text.prefix(10))),
      let time = text.dropFirst(10).wholeMatch(of: /[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))?/)
    else { return nil }
    func seconds(_ hours: Substring?, _ minutes: Substring?) -> Int64 {
      (Int64(hours ?? "") ?? 0) * 3600 + (Int64(minutes ?? "") ?? 0) * 60
    }
    let zone = seconds(time.5, time.6) * (time.4 == "-" ? -1 : 1)
    return Int64(day.lowerBound) + seconds(time.1, time.2) + (Int64(time.3) ?? 0) - zone
  }

  /// The elements; servers that make their answers of XML write a list of one element without brackets.
  fileprivate var list: [JSON] {
    if case .object? = self { [self].compactMap(\.self) } else { self?.elements ?? [] }
  }

  /// The only element, also of a server that puts it into brackets.
  fileprivate var one: JSON? { list.first }

  /// True also for the text, as servers write it that make JSON of XML.
  fileprivate var isTrue: Bool { if case .bool(true)? = self { true } else { self?.text == "true" } }

  /// The names of a list of artists or genres; older servers write genres without members.
  fileprivate var names: [String] { list.compactMap { $0["name"].clean ?? Optional($0).clean } }
}
