internal import AudioModel
internal import ByteIO
internal import Commands
internal import Streaming

/// An account at Last.fm, or at another server with its interface, such as Libre.fm (last.fm/api: "track.scrobble",
/// "track.updateNowPlaying", "Signing calls").
struct LastFM: ListenAccount {
  private let server: WebAddress
  private let keys: LastFMKeys
  private let session: String
  private var name: String?

  init(server: WebAddress, keys: LastFMKeys, session: String) {
    (self.server, self.keys, self.session) = (server, keys, session)
  }

  init(server: WebAddress, configuration: BytePath, listens: BytePath) throws(ListenProblem) {
    do throws(LastFMError) { keys = try LastFMKeys(folder: configuration) } catch {
      throw ListenProblem(description: error.description)
    }
    let file = LastFMLogin.sessionFile(listens)
    let bytes = (try? SmallFile.read(file, isTrusted: false)) ?? []
    session = String(decoding: bytes, as: UTF8.self).filter { $0.isASCII && !$0.isWhitespace }
    guard !session.isEmpty else { throw ListenProblem(description: "there is no session yet: run 'segue lastfm' once") }
    self.server = server
  }

  func request(_ post: ListenPost) throws(ListenProblem) -> ListenRequest {
    var fields: [(String, String)]
    switch post {
    case .playing(let track): fields = [("method", "track.updateNowPlaying")] + track.lastFMFields
    case .listens(let listens):
      fields = [("method", "track.scrobble")]
      for (index, listen) in listens.enumerated() {
        fields += listen.lastFMFields.map { ("\($0.0)[\(index)]", $0.1) }
      }
    case .question(let listen):
      fields = [("method", name == nil ? "user.getInfo" : "user.getRecentTracks")]
      if let name {
        let time = listen.identity?.beganAt ?? 0
        fields += [("user", name), ("from", "\(time &- 1)"), ("to", "\(time &+ 1)"), ("limit", "10")]
      }
    }
    guard let body = keys.body(fields + [("sk", session)]) else {
      throw ListenProblem(description: LastFMKeys.noDigest)
    }
    return ListenRequest(address: server, fields: LastFMKeys.headFields, body: body)
  }

  mutating func answer(_ answer: PostAnswer, to post: ListenPost) -> ListenAnswer? {
    let general = Self.meaning(status: answer.status, body: answer.body)
    guard case .question(let listen) = post else { return general }
    guard 200..<300 ~= answer.status, let value = try? JSON(parsing: answer.body), value["error"] == nil else {
      // Errors that are not for a listener or the server mean that the question is not answered.
      if case .strange = general { return .missing }
      return general.toQuestion
    }
    if name == nil {
      name = value["user"]?["name"]?.text
      return name == nil ? general : nil
    }
    guard let recent = value["recenttracks"], let beganAt = listen.identity?.beganAt else { return general }
    // A single track is no array. Titles may be corrected by the service, so the time alone counts.
    let tracks = recent["track"].map { $0.elements ?? [$0] } ?? []
    return tracks.contains { $0["date"]?["uts"]?.text == "\(beganAt)" } ? .accepted(pause: nil) : .missing
  }

  static func meaning(status: Int, body: [UInt8]) -> ListenAnswer {
    let value = try? JSON(parsing: body)
    if let error = value?["error"], let number = error.double {
      let message = value?["message"]?.text ?? "error \(error)"
      switch number {
      // Authentication failed; invalid session, key or signature; the key is suspended.
      case 4, 9, 10, 13, 26: return .unauthorized(message)
      case 29: return .tooMany(pause: .seconds(60))
      // A failure of the server, which is offline or busy.
      case 8, 11, 16: return .failed(message)
      // Invalid parameters or resource: only these blame the listen (last.fm/api/errorcodes).
      case 6, 7: return .refused(message)
      default: return .strange(message)
      }
    }
    // Another server may answer with 200, such as the login page of a hotel.
    guard 200..<300 ~= status, value?["scrobbles"] != nil || value?["nowplaying"] != nil else {
      return status == 429 ? .tooMany(pause: .seconds(60)) : .failed("HTTP status \(status)")
    }
    // An answer to one listen has no array.
    let scrobbles = value?["scrobbles"]?["scrobble"]
    let codes = (scrobbles?.elements ?? [scrobbles].compactMap(\.self)).map(ignoredCode)
    let late = codes.indices.filter { codes[$0] == lateCode }
    let ignored = sentence(onIgnored: codes.filter { $0 != 0 && $0 != lateCode })
    return late.isEmpty
      ? .accepted(pause: nil, ignored: ignored) : .overLimit(late, pause: .seconds(600), ignored: ignored)
  }

  /// The code of a listen that came after the daily limit. The other reasons to ignore a listen are final.
  private static let lateCode = 5

  /// The reason why a listen is ignored; 0 if it is not.
  private static func ignoredCode(_ result: JSON) -> Int {
    let code = result["ignoredMessage"]?["code"]
    return code?.text.flatMap { Int($0) } ?? code?.double.flatMap { Int(exactly: $0) } ?? 0
  }

  /// `3 listens: artist ignored (2), too old (1)`; `nil` without any.
  private static func sentence(onIgnored codes: [Int]) -> String? {
    guard !codes.isEmpty else { return nil }
    let reasons = [1: "artist ignored", 2: "track ignored", 3: "too old", 4: "too new"]
    let parts = Set(codes).sorted().map { code in
      let reason = reasons[code] ?? "reason \(code)"
      return codes.count == 1 ? reason : "\(reason) (\(codes.count { $0 == code }))"
    }
    return "\(counted(codes.count, "listen")): \(parts.joined(separator: ", "))"
  }
}

extension ListenText {
  fileprivate var lastFMFields: [(String, String)] {
    let value = try? JSON(parsing: json.utf8)
    let track = value?["track_metadata"], facts = value?["track_metadata"]?["additional_info"]
    func number(_ value: JSON?, _ factor: Double = 1) -> String? {
      value?.double.flatMap { Int64(exactly: ($0 * factor).rounded()) }.map(String.init)
    }
    let fields: [(String, String?)] = [
      ("artist", track?["artist_name"]?.text), ("track", track?["track_name"]?.text),
      ("album", track?["release_name"]?.text), ("albumArtist", facts?["release_artist_name"]?.text),
      ("trackNumber", facts?["tracknumber"]?.text), ("duration", number(facts?["duration_ms"], 0.001)),
      ("mbid", facts?["recording_mbid"]?.text), ("timestamp", number(value?["listened_at"])),
    ]
    return fields.compactMap { name, value in value.map { (name, $0) } }
  }
}
