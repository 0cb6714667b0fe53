import AudioModel
import ByteIO
import SoundServerSupport
import Testing

@testable import Desk
@testable import Streaming

/// Requests for Last.fm, and the meaning of its answers. The documented rules: last.fm/api/authspec, section 8.
@Suite struct LastFMTests {
  private let account = LastFM(
    server: WebAddress("https://example.com/2.0/"), keys: LastFMKeys(key: "k", secret: "s&cret"), session: "sess")

  private func listen(_ title: String, at time: Int64?) throws -> ListenText {
    var tags = TrackTags()
    (tags.title, tags.artist, tags.album, tags.albumArtist, tags.trackNumber) = (title, "Björk & Co", "A=B", "V", 3)
    return try #require(ListenText(tags, beganAt: time, heard: 99, duration: 200.4))
  }

  /// Names and values of a body, decoded.
  private func fields(_ body: String) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: body.split(separator: "&").map { field in
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (decoded(parts[0]), decoded(parts[1]))
      })
  }

  private func decoded(_ text: Substring) -> String {
    var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The digest by another program.
  private func md5(_ text: String) throws -> String {
    let folder = try TemporaryFolder()
    try write(text.utf8, to: folder("text"))
    return String(try ChildProcess.output(of: ["md5sum", folder("text")]).prefix(32))
  }

  @Test func `listens have their fields, by number, and a signature over all but the format`() throws {
    let request = try account.request(.listens([listen("One", at: 1000), listen("Two", at: 2000)]))
    #expect(request.address == WebAddress("https://example.com/2.0/"))
    #expect(request.fields.contains("Content-Type: application/x-www-form-urlencoded"))
    var fields = fields(request.body ?? "")
    let signature = fields.removeValue(forKey: "api_sig")
    #expect(fields.removeValue(forKey: "format") == "json")
    #expect(
      fields == [
        "method": "track.scrobble", "api_key": "k", "sk": "sess",
        "artist[0]": "Björk & Co", "track[0]": "One", "album[0]": "A=B", "albumArtist[0]": "V", "trackNumber[0]": "3",
        "duration[0]": "200", "timestamp[0]": "1000",
        "artist[1]": "Björk & Co", "track[1]": "Two", "album[1]": "A=B", "albumArtist[1]": "V", "trackNumber[1]": "3",
        "duration[1]": "200", "timestamp[1]": "2000",
      ])
    let text = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { $0.key + $0.value }.joined()
    #expect(try signature == md5(text + "s&cret"))
  }

  @Test func `the track that plays has no time and no number`() throws {
    let fields = fields(try account.request(.playing(listen("One", at: nil))).body ?? "")
    #expect(fields["method"] == "track.updateNowPlaying" && fields["track"] == "One" && fields["duration"] == "200")
    #expect(fields["timestamp"] == nil && fields["artist[0]"] == nil)
  }

  private func answer(_ status: Int, _ body: String) -> PostAnswer {
    PostAnswer(status: status, body: Array(body.utf8))
  }

  private static func recent(_ tracks: String) -> String { "{\"recenttracks\":{\"track\":\(tracks)}}" }

  @Test(
    arguments: [
      (
        200, recent(#"[{"name":"Now","@attr":{"nowplaying":"true"}},{"name":"one","date":{"uts":"1000"}}]"#),
        .accepted(pause: nil)
      ),
      (200, recent(#"{"name":"One","date":{"uts":"1000"}}"#), .accepted(pause: nil)),
      (200, recent(#"[{"name":"One","date":{"uts":"999"}}]"#), .missing), (200, #"{"recenttracks":{}}"#, .missing),
      (400, #"{"error":3,"message":"No method"}"#, .missing), (404, #"{"error":6,"message":"No user"}"#, .missing),
      (403, #"{"error":17,"message":"Private"}"#, .missing),
      (403, #"{"error":9,"message":"Old"}"#, .unauthorized("Old")),
      (503, #"{"error":16,"message":"Busy"}"#, .failed("Busy")), (200, "<html>", .failed("HTTP status 200")),
      (400, #"{"error":29,"message":"Rate"}"#, .tooMany(pause: .seconds(60))),
    ] as [(Int, String, ListenAnswer)])
  func `Last.fm is asked by the listener's name whether it has a listen`(
    status: Int, body: String, meaning: ListenAnswer
  ) throws {
    var account = account
    let question = ListenPost.question(try listen("One", at: 1000))
    #expect(fields(try account.request(question).body ?? "")["method"] == "user.getInfo")
    #expect(account.answer(answer(200, "<html>"), to: question) == .failed("HTTP status 200"))
    #expect(account.answer(answer(200, #"{"user":{"name":"A & b"}}"#), to: question) == nil)
    var asked = fields(try account.request(question).body ?? "")
    for name in ["api_sig", "api_key", "format"] { asked[name] = nil }
    #expect(
      asked == [
        "method": "user.getRecentTracks", "user": "A & b", "from": "999", "to": "1001", "limit": "10", "sk": "sess",
      ])
    #expect(account.answer(answer(status, body), to: question) == meaning)
  }

  @Test(
    arguments: [
      (
        200, #"{"payload":{"listens":[{"listened_at":1000,"track_metadata":{"track_name":"One"}}]}}"#,
        .accepted(pause: nil)
      ),
      (200, #"{"payload":{"listens":[{"listened_at":1000,"track_metadata":{"track_name":"Two"}}]}}"#, .missing),
      (200, #"{"payload":{"listens":[{"listened_at":999,"track_metadata":{"track_name":"One"}}]}}"#, .missing),
      (200, #"{"payload":{"listens":[]}}"#, .missing), (404, "", .missing), (405, "", .missing), (501, "", .missing),
      (400, #"{"error":"m"}"#, .missing), (401, #"{"error":"m"}"#, .unauthorized("m")),
      (200, "<html>", .strange("HTTP status 200")), (200, "{}", .strange("HTTP status 200")),
      (503, "", .failed("HTTP status 503")), (429, "", .tooMany(pause: .seconds(10))),
    ] as [(Int, String, ListenAnswer)])
  func `ListenBrainz is asked by the listener's name whether it has a listen`(
    status: Int, body: String, meaning: ListenAnswer
  ) throws {
    let folder = try TemporaryFolder()
    try ListenBrainz.keep("secret", in: BytePath(folder.path))
    var account = try ListenBrainz(
      server: WebAddress("https://example.com/x/"), file: BytePath(folder("token")),
      typed: ListenBrainz.typedFile(BytePath(folder.path)))
    let question = ListenPost.question(try listen("One", at: 1000))
    let first = account.request(question)
    #expect(first.address.text == "https://example.com/x/1/validate-token" && first.body == nil)
    #expect(first.fields == ["Authorization: Token secret"])
    #expect(
      account.answer(answer(200, #"{"valid":false,"message":"No such token"}"#), to: question)
        == .unauthorized("No such token"))
    #expect(account.answer(answer(200, #"{"valid":true,"user_name":"A/b?"}"#), to: question) == nil)
    #expect(
      account.request(question).address.text == "https://example.com/x/1/user/A%2Fb%3F/listens?max_ts=1001&count=5")
    #expect(account.answer(answer(status, body), to: question) == meaning)
  }

  private static func scrobbles(_ results: String) -> String { #"{"scrobbles":{"scrobble":\#(results)}}"# }
  private static func ignored(_ code: String) -> String { #"{"ignoredMessage":{"code":"\#(code)"}}"# }

  @Test(arguments: [
    (200, #"{"scrobbles":{"@attr":{"accepted":1,"ignored":0}}}"#, ListenAnswer.accepted(pause: nil)),
    (200, scrobbles(ignored("0")), .accepted(pause: nil)),
    (
      200, scrobbles("[" + "012341".map { ignored("\($0)") }.joined(separator: ",") + "]"),
      .accepted(
        pause: nil,
        ignored: "5 listens: artist ignored (2), track ignored (1), too old (1), too new (1)")
    ),
    (200, scrobbles(ignored("9")), .accepted(pause: nil, ignored: "1 listen: reason 9")),
    (200, scrobbles(ignored("5")), .overLimit([0], pause: .seconds(600))),
    (
      200, scrobbles("[\(ignored("5")),\(ignored("3")),{},{\"ignoredMessage\":{\"code\":5}}]"),
      .overLimit([0, 3], pause: .seconds(600), ignored: "1 listen: too old")
    ),
    (200, #"{"nowplaying":{}}"#, .accepted(pause: nil)),
    (200, "<html>Log in to the hotel</html>", .failed("HTTP status 200")), (200, "{}", .failed("HTTP status 200")),
    (403, #"{"error":9,"message":"Invalid session key"}"#, .unauthorized("Invalid session key")),
    (403, #"{"error":13,"message":"Invalid signature"}"#, .unauthorized("Invalid signature")),
    (503, #"{"error":16,"message":"Try again"}"#, .failed("Try again")),
    (200, #"{"error":11,"message":"Offline"}"#, .failed("Offline")),
    (400, #"{"error":29,"message":"Rate limit"}"#, .tooMany(pause: .seconds(60))),
    (429, "", .tooMany(pause: .seconds(60))),
    (400, #"{"error":6,"message":"No artist"}"#, .refused("No artist")),
    (400, #"{"error":7,"message":"No track"}"#, .refused("No track")), (502, "", .failed("HTTP status 502")),
    (400, #"{"error":3,"message":"No method"}"#, .strange("No method")),
    (500, #"{"error":99,"message":"New"}"#, .strange("New")), (200, #"{"error":0.5}"#, .strange("error 0.5")),
  ])
  func `answers mean what is documented, and what is not an answer is none`(
    status: Int, body: String, meaning: ListenAnswer
  ) {
    #expect(LastFM.meaning(status: status, body: Array(body.utf8)) == meaning)
  }

  @Test(arguments: [(30.0, false), (30.5, true), (nil, true)] as [(Double?, Bool)])
  func `tracks of half a minute are not for Last.fm`(duration: Double?, isWanted: Bool) {
    #expect(ListenSite.lastFM.wants(duration: duration) == isWanted)
    #expect(ListenSite.listenBrainz.wants(duration: duration))
  }

  @Test func `a login without a network reports that, and only a strange answer blames the server`() {
    struct NoNetwork: Error {}
    let keys = LastFMKeys(key: "k", secret: "s")
    let alone = LastFMLogin(server: "https://example.com/2.0/", keys: keys) { _, _, _ in throw NoNetwork() }
    #expect(throws: NoNetwork.self) { try alone.begin() }
    let strange = LastFMLogin(server: "https://example.com/2.0/", keys: keys) { _, _, _ in Array("<html>".utf8) }
    let error = #expect(throws: LastFMError.self) { try strange.begin() }
    #expect(error?.description == "the answer of https://example.com/2.0/ is not from Last.fm")
  }

  @Test func `keys are read from lines, and a missing one is named`() throws {
    let folder = try TemporaryFolder()
    let path = BytePath(folder.path)
    let error = #expect(throws: LastFMError.self) { try LastFMKeys(folder: path) }
    #expect(error?.description.contains("key=") == true && error?.description.contains("account/create") == true)
    try write("# mine\n key = abc \nsecret=def\n".utf8, to: folder("lastfm"))
    let keys = try LastFMKeys(folder: path)
    #expect(keys.key == "abc" && keys.secret == "def")
  }
}
