import ByteIO
import Playback
import SoundServerSupport
import Testing

@testable import Commands
@testable import Library
@testable import RemoteProtocols

/// What a browser asks and gets.
struct WebConnectionTests {
  /// A connection that has sent a request.
  private func asked(
    _ request: String, _ body: String? = nil, _ player: PlayerSnapshot = playingSnapshot()
  ) -> (connection: WebConnection, effects: [RemoteEffect]) {
    let offer = WebRequest.Offer(mediaType: "audio/ogg", password: "", hostName: "den", bitRate: nil, hasPage: true)
    var connection = WebConnection(offer, program: "1", process: 1)
    var effects: [RemoteEffect] = []
    for line in ["\(request) HTTP/1.1", "Host: den", body.map { "Content-Length: \($0.utf8.count)" }, ""] {
      if let line { effects += connection.hear(line, player) }
    }
    if let body {
      #expect(connection.awaitedByteCount == body.utf8.count && !connection.isBusy && effects.isEmpty)
      effects += connection.hear(body, player)
    }
    return (connection, effects)
  }

  private func isEnd(_ effects: [RemoteEffect]) -> Bool { if case .close? = effects.last { true } else { false } }

  /// What follows the head of an answer.
  private func body(_ effects: [RemoteEffect]) -> String {
    let text = sent(effects)
    return text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
  }

  @Test func `the stream is given to another owner`() {
    let (connection, effects) = asked("GET /stream")
    guard case .stream(let head, false)? = effects.first, effects.count == 1 else {
      Issue.record("no stream")
      return
    }
    #expect(head.starts(with: "HTTP/1.1 200 OK\r\nContent-Type: audio/ogg\r\n".utf8) && connection.isBusy)
  }

  @Test func `events are the state now, and then each change`() {
    var (connection, effects) = asked("GET /events")
    #expect(sent(effects).hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n") && !isEnd(effects))
    let lines = body(effects).split(separator: "\n\n")
    #expect(lines.count == 5)
    #expect(lines.allSatisfy { $0.hasPrefix("data: {\"event\":\"change\",\"name\":\"") })
    #expect(connection.isAdmitted && !connection.isBusy)
    effects = connection.handle(.changed(.volume), playingSnapshot())
    #expect(
      sent(effects)
        == "data: {\"event\":\"change\",\"name\":\"volume\",\"data\":{\"volume\":80,\"muted\":false}}\n\n")
    #expect(connection.handle(.changed(.settings), playingSnapshot()).isEmpty)
    #expect(connection.hear("anything").isEmpty)
  }

  @Test(
    arguments: [
      ("volume 30", .setVolume(0.3)), ("toggle", .togglePause), ("seek 10", .playback(.seek(to: 10))),
      ("rate 8", .library(.rate(.set(8), []))), ("goto 3", .play(2)), ("remove 1", .edit(.remove([0]))),
    ] as [(String, Command)])
  func `commands of the page are answered when they have taken effect`(line: String, command: Command) {
    var (connection, effects) = asked("POST /command", line)
    #expect(commands(effects) == [command] && connection.isBusy && connection.isAdmitted)
    effects = connection.handle(.answered(.done("well")), playingSnapshot())
    #expect(sent(effects).contains("\r\nContent-Type: application/json\r\n") && isEnd(effects))
    #expect(body(effects).hasPrefix("{\"error\":\"success\",\"data\":{\"state\":\"playing\""))
    #expect(body(effects).hasSuffix("\"message\":\"well\"}\n"))
  }

  @Test(arguments: [
    "quit", "quit-without-saving", "detach", "set web=off", "set music", "add /etc/passwd", "play /etc/passwd",
    "open http://a.example/", "load x", "save x", "save! x", "clear", "library scan", "library add /", "session",
    "playlist delete a", "output x", "effect list", "observe", "format {path}", "levels", "output", "version",
    "status cmus", "sleep 1", "alarm off", "player-quit",
  ])
  func `other commands are refused`(line: String) {
    let (_, effects) = asked("POST /command", line)
    #expect(commands(effects).isEmpty && isEnd(effects) && effects.count == 2)
    #expect(body(effects).hasPrefix("{\"error\":\""), "\(body(effects))")
  }

  @Test func `an unknown command is answered with a reason`() {
    #expect(body(asked("POST /command", "volume x").effects).contains("volume must be 0 to 100"))
    #expect(body(asked("POST /command", "\n").effects).contains("the command is empty"))
    let (connection, effects) = asked("GET /cover")
    #expect(connection.isBusy && !connection.isAdmitted && effects.count == 1, "it reads its answer soon")
  }

  @Test func `rows of the queue have titles, which are read first`() {
    var player = playingSnapshot()
    var (connection, effects) = asked("POST /command", "queue 1 2", player)
    guard case .ask(.facts(let entries))? = effects.first else {
      Issue.record("no question")
      return
    }
    #expect(entries.map(\.id) == [0, 1] && effects.count == 1)
    player.facts[0] = TrackFacts()
    player.facts[0]?.title = "<b>\u{85}"
    effects = connection.handle(.found(.done), player)
    #expect(isEnd(effects) && body(effects).contains("\"name\":\"<b>\\u0085\""), "\(body(effects))")
    player.facts[1] = TrackFacts()
    #expect(isEnd(asked("POST /command", "queue 1 2", player).effects))
    player.queue.append((0..<600).map { .file(BytePath("/\($0)")) })
    #expect(body(asked("POST /command", "queue", player).effects).contains("500 rows at most"))
  }

  @Test func `the cover is that of the tags, or the picture in the folder`() {
    var (connection, effects) = asked("GET /cover?1")
    let track = MediaLocation.file(BytePath("/music/b.flac"))
    for isEmbedded in [true, false] {
      guard case .ask(.coverPart(track, isEmbedded: isEmbedded, from: 0, _))? = effects.first else {
        Issue.record("no question")
        return
      }
      if isEmbedded { effects = connection.handle(.found(.missing), playingSnapshot()) }
    }
    var other = connection
    let part = CoverPart(mimeType: "image/png", byteCount: 3, bytes: [65, 66, 67])
    effects = connection.handle(.found(.coverPart(part)), playingSnapshot())
    #expect(body(effects) == "ABC" && sent(effects).contains("\r\nContent-Type: image/png\r\n") && isEnd(effects))
    #expect(sent(effects).contains("\r\nX-Content-Type-Options: nosniff\r\n"))
    effects = other.handle(.found(.missing), playingSnapshot())
    #expect(sent(effects).hasPrefix("HTTP/1.1 404 ") && isEnd(effects))
    #expect(sent(asked("GET /cover", nil, PlayerSnapshot()).effects).hasPrefix("HTTP/1.1 404 "))
  }

  // MARK: Search

  private func view() throws -> LibraryView {
    let folder = try TemporaryFolder()
    var builder = IndexBuilder()
    func add(_ path: String, _ title: String, _ artist: String, _ album: String, _ state: FileState = .here) {
      var tags = CatalogueTags()
      tags.add(title, .title)
      tags.add(artist, .artist)
      tags.add(album, .album)
      let (path, number) = (BytePath(path), Int64(builder.trackCount + 1))
      let row = IndexBuilder.Row(
        file: number, recording: number, folder: path.parent.bytes, name: path.lastComponent.bytes, state: state,
        duration: 61, isEstimated: false, format: "", bitRate: 0, modified: 0, facts: ListenerFacts())
      tags.stored.withUnsafeBytes { builder.add(row, tags: $0) }
    }
    add("/m/blue/1.mp3", "One", "Band", "Blue <i>")
    add("/m/blue/2.mp3", "Two", "Band", "Blue <i>")
    add("/m/blue/3.mp3", "Lost blue", "Band", "Blue <i>", .missing)
    add("/m/red/1.mp3", "Something blue", "Other", "Red")
    try write(builder.finish(change: 0).bytes, to: folder("catalogue.map"))
    return LibraryView(try #require(LibraryIndex(folder: BytePath(folder("catalogue.map")).parent)))
  }

  /// The answer of the library to the question of a connection.
  private func answer(_ effects: [RemoteEffect], _ view: LibraryView) throws -> RemoteEvent {
    guard case .ask(.songs(let question))? = effects.first else { throw TestFailure() }
    return .found(
      question.question.answer(view, tags: { _ in CatalogueTags() }, stickers: { _ in [] }, written: 0, now: 0))
  }

  private struct TestFailure: Error {}

  @Test func `a search finds artists, albums and tracks`() throws {
    let view = try view()
    var (connection, effects) = asked("GET /search?blue")
    effects = connection.handle(try answer(effects, view), playingSnapshot())
    #expect(isEnd(effects))
    let rows = body(effects)
    #expect(rows.hasPrefix("[{\"kind\":\"album\",\"title\":\"Blue <i>\",\"artist\":\"Band\",\"count\":3},"), "\(rows)")
    #expect(rows.contains("{\"kind\":\"track\",\"title\":\"Something blue\",\"artist\":\"Other\","))
    #expect(!rows.contains("Lost"))
    (connection, effects) = asked("GET /search?bnad")
    #expect(body(connection.handle(try answer(effects, view), playingSnapshot())).contains("\"kind\":\"artist\""))
    (connection, effects) = asked("GET /search?")
    #expect(body(connection.handle(try answer(effects, view), playingSnapshot())) == "[]\n")
    (connection, effects) = asked("GET /search?a")
    effects = connection.handle(.found(.missing), playingSnapshot())
    #expect(body(effects).contains("\"refused\"") && isEnd(effects))
  }

  @Test(arguments: [("play", Command.Destination.played), ("add", .turn(.end))])
  func `a row of a search is played or added`(verb: String, destination: Command.Destination) throws {
    let view = try view()
    var (connection, effects) = asked("POST /found", "\(verb) 0 blue")
    effects = connection.handle(try answer(effects, view), playingSnapshot())
    #expect(commands(effects) == [.collect(["/m/blue/1.mp3", "/m/blue/2.mp3"].map { BytePath($0) }, destination)])
    effects = connection.handle(.answered(.added(3..<5, "2 tracks")), playingSnapshot())
    #expect(body(effects) == "{\"error\":\"success\",\"message\":\"2 tracks\"}\n" && isEnd(effects))
    for words in ["\(verb) 99 blue", "\(verb) -1 blue"] {
      (connection, effects) = asked("POST /found", words)
      #expect(body(connection.handle(try answer(effects, view), playingSnapshot())).contains("\"refused\""))
    }
  }

  @Test(arguments: ["play", "play 0", "play x blue", "save 0 blue", "play 0 "])
  func `other lines about a search are refused`(line: String) {
    let (_, effects) = asked("POST /found", line)
    #expect(body(effects).contains("\"refused\"") && isEnd(effects) && effects.count == 2)
  }
}
