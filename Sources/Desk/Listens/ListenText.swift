package import AudioModel
internal import Commands
internal import Library
internal import Playback

/// A listen, or the track that plays now, in the words of ListenBrainz: one entry of `payload`
/// (listenbrainz.readthedocs.io, "Core API": POST /1/submit-listens).
package struct ListenText: Sendable, Hashable {
  /// A JSON object on one line.
  let json: String

  /// The time at which the track began, and its title: they tell this listen from all others of the same listener.
  var identity: (beganAt: Int64, title: String)? {
    guard let value = try? JSON(parsing: json.utf8), let beganAt = value["listened_at"]?.double,
      let title = value["track_metadata"]?["track_name"]?.text
    else { return nil }
    return Int64(exactly: beganAt).map { ($0, title) }
  }

  /// An object that was written before; `nil` for anything else.
  init?(line: some Sequence<UInt8>) {
    let bytes = Array(line)
    guard let value = try? JSON(parsing: bytes), value["track_metadata"] != nil, value["listened_at"] != nil else {
      return nil
    }
    json = String(decoding: bytes, as: UTF8.self)
  }

  /// A play of a track on a server of music, which knows it by its ID.
  package init(track id: String, beganAt: Int64?) {
    let track: JSON = ["track_metadata": ["track_name": .string(id)], "listened_at": JSON(beganAt)]
    json = track.description
  }

  /// `nil` without a title or an artist: the server refuses such a listen.
  ///
  /// - Parameters:
  ///   - beganAt: Seconds since 1970; `nil` for the track that plays now.
  ///   - heard: Seconds.
  ///   - duration: Seconds.
  package init?(_ tags: TrackTags, beganAt: Int64?, heard: Double? = nil, duration: Double?) {
    guard let title = tags.title, let artist = tags.artist, !title.isEmpty, !artist.isEmpty else { return nil }
    var facts: [(String, JSON)] = [
      ("media_player", .string("segue")), ("submission_client", .string("segue")),
    ]
    func add(_ name: String, _ value: JSON?) { if let value { facts.append((name, value)) } }
    add("duration_ms", duration.flatMap { milliseconds($0) }.map(JSON.integer))
    add("duration_played", heard.flatMap { Int64(exactly: $0.rounded()) }.map(JSON.integer))
    add("tracknumber", tags.trackNumber.map { .string(String($0)) })
    add("discnumber", tags.discNumber.map { .string(String($0)) })
    add("isrc", tags.isrc.map(JSON.string))
    add("recording_mbid", tags.fields.first(.recordingID).flatMap(identifier))
    add("release_mbid", tags.fields.first(.releaseID).flatMap(identifier))
    add("release_group_mbid", tags.fields.first(.releaseGroupID).flatMap(identifier))
    add("track_mbid", tags.fields.first(.releaseTrackID).flatMap(identifier))
    let artists = tags.fields[.artistIDs].compactMap(identifier)
    if !artists.isEmpty { add("artist_mbids", .array(artists)) }
    if !tags.artists.isEmpty { add("artist_names", .array(tags.artists.map(JSON.string))) }
    add("release_artist_name", tags.albumArtist.map(JSON.string))
    var track: [(String, JSON)] = [("artist_name", .string(artist)), ("track_name", .string(title))]
    if let album = tags.album, !album.isEmpty { track.append(("release_name", .string(album))) }
    track.append(("additional_info", .object(facts)))
    var members: [(String, JSON)] = [("track_metadata", .object(track))]
    if let beganAt { members.insert(("listened_at", .integer(beganAt)), at: 0) }
    json = JSON.object(members).description
    // The server's limit; only a tag with a whole text in it gets there.
    guard json.utf8.count <= 10_240 else { return nil }
  }
}

private func milliseconds(_ seconds: Double) -> Int64? { Int64(exactly: (seconds * 1000).rounded()) }

/// A MusicBrainz identifier, `8-4-4-4-12` hexadecimal digits; anything else would make the server refuse the listen.
private func identifier(_ text: String) -> JSON? {
  let parts = text.split(separator: "-", omittingEmptySubsequences: false)
  guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12], parts.joined().allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
    return nil
  }
  return .string(text.lowercased())
}
