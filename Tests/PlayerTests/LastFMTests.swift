import AudioModel
import ByteIO
import SoundServerSupport
import Streaming
import Testing

@testable import Player

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
    let (address, heads, body) = try account.request(.listens([listen("One", at: 1000), listen("Two", at: 2000)]))
    #expect(address == WebAddress("https://example.com/2.0/"))
    #expect(heads.contains("Content-Type: application/x-www-form-urlencoded"))
    var fields = fields(body)
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
    let fields = fields(try account.request(.playing(listen("One", at: nil))).body)
    #expect(fields["method"] == "track.updateNowPlaying" && fields["track"] == "One" && fields["duration"] == "200")
    #expect(fields["timestamp"] == nil && fields["artist[0]"] == nil)
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
