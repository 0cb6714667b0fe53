import AudioModel
import Testing

@testable import Commands
@testable import Desk

/// The order of requests to ListenBrainz, as transcripts.
@Suite struct ListenQueueTests {
  private var queue = ListenQueue()
  private var now = MonotonicTime.zero + .seconds(1000)

  private func listen(_ number: Int64?) -> ListenText {
    var tags = TrackTags()
    (tags.title, tags.artist) = ("T\(number ?? 0)", "A")
    guard let listen = ListenText(tags, beganAt: number, duration: nil) else { preconditionFailure("it has an artist") }
    return listen
  }

  private func post(_ kind: String, _ numbers: Int64?...) -> ListenQueue.Effect {
    let texts = numbers.map { listen($0) }
    return .post(kind == "playing_now" ? .playing(texts[0]) : .listens(texts))
  }

  /// All effects but the notes of what will be sent.
  private mutating func handle(_ event: ListenQueue.Event) -> [ListenQueue.Effect] {
    queue.handle(event, now: now).filter { if case .noteSending = $0 { false } else { true } }
  }

  private func question(_ number: Int64) -> ListenQueue.Effect { .post(.question(listen(number))) }

  @Test mutating func `a listen is kept, sent, and forgotten when the server has it`() {
    #expect(handle(.playing(listen(nil))) == [post("playing_now", nil)])
    #expect(handle(.heard(listen(1))) == [.keep(listen(1))])
    #expect(handle(.answered(.accepted(pause: nil))) == [post("single", 1)])
    #expect(queue.deadline == nil)
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 1)])
    #expect(queue.deadline == nil && handle(.due) == [])
  }

  @Test mutating func `without an answer the listen is sent again after longer and longer pauses`() {
    #expect(handle(.heard(listen(1))) == [.keep(listen(1)), post("single", 1)])
    var pauses: [Double] = []
    for _ in 0..<9 {
      #expect(handle(.answered(.unreached)) == [])
      pauses.append(queue.deadline.map { ($0 - now).inSeconds } ?? -1)
      now += .seconds(pauses.last ?? 0) - .milliseconds(1)
      #expect(handle(.due) == [])
      now += .milliseconds(1)
      #expect(handle(.due) == [post("single", 1)])
    }
    #expect(pauses == [10, 20, 40, 80, 160, 320, 600, 600, 600])
    // Listens that arrive during the pause are sent together with it.
    #expect(handle(.heard(listen(2))) == [.keep(listen(2))])
    #expect(handle(.answered(.unreached)) == [])
    now += .seconds(600)
    #expect(handle(.due) == [post("import", 1, 2)])
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 2)])
    // The next failure is the first one again.
    #expect(handle(.heard(listen(3))) == [.keep(listen(3)), post("single", 3)])
    #expect(handle(.answered(.unreached)) == [])
    #expect(queue.deadline == now + .seconds(10))
  }

  @Test mutating func `the track that plays is not sent again, and only the latest one is`() {
    #expect(handle(.playing(listen(nil))) == [post("playing_now", nil)])
    #expect(handle(.playing(listen(7))) == [])
    #expect(handle(.playing(listen(8))) == [])
    #expect(handle(.answered(.unreached)) == [])
    now += .seconds(10)
    #expect(handle(.due) == [post("playing_now", 8)])
    #expect(handle(.answered(.unreached)) == [])
    #expect(queue.deadline == nil)
  }

  @Test mutating func `what will be sent is noted before it is sent`() {
    #expect(
      queue.handle(.restored((1...60).map { listen($0) }), now: now)
        == [.noteSending(50), .post(.listens((1...50).map { listen($0) }))])
  }

  @Test mutating func `without an answer the server is asked, and gets what it does not have`() {
    #expect(handle(.restored([listen(1), listen(2)])) == [post("import", 1, 2)])
    #expect(handle(.answered(.failed("no answer"))) == [])
    #expect(handle(.heard(listen(3))) == [.keep(listen(3))])
    now += .seconds(10)
    #expect(handle(.due) == [question(1)])
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 1), question(2)])
    #expect(handle(.answered(.missing)) == [post("single", 2)])
    // Nobody knows again.
    #expect(handle(.answered(.failed("no answer"))) == [])
    now += .seconds(10)
    #expect(handle(.due) == [question(2)])
    // Not even the question was answered.
    #expect(handle(.answered(.failed("no answer"))) == [])
    now += .seconds(20)
    #expect(handle(.due) == [question(2)])
    #expect(handle(.answered(.missing)) == [post("single", 2)])
    // The server got nothing, or too much for now: it is still known to be missing.
    #expect(handle(.answered(.tooMany(pause: .seconds(5)))) == [])
    now += .seconds(5)
    #expect(handle(.due) == [post("single", 2)])
    #expect(handle(.answered(.overLimit([0], pause: .seconds(5)))) == [])
    now += .seconds(5)
    #expect(handle(.due) == [post("single", 2)])
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 1), post("single", 3)])
  }

  @Test mutating func `what an earlier player sent is asked about first, and the end waits for answers about listens`()
  {
    #expect(!queue.expectsAnswer)
    #expect(handle(.playing(listen(nil))) == [post("playing_now", nil)])
    #expect(!queue.expectsAnswer)
    #expect(handle(.restored([listen(1), listen(2), listen(3)], sentCount: 2)) == [])
    #expect(queue.expectsAnswer)
    #expect(handle(.answered(.failed("no answer"))) == [])
    #expect(!queue.expectsAnswer)
    now += .seconds(10)
    #expect(handle(.due) == [question(1)])
    #expect(handle(.answered(.missing)) == [post("single", 1)])
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 1), question(2)])
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 1), post("single", 3)])
    #expect(queue.expectsAnswer)
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 1)])
    #expect(!queue.expectsAnswer)
  }

  @Test mutating func `a listen that the server refuses is found among others, and dropped with a message`() {
    #expect(handle(.restored([listen(1), listen(2), listen(3)])) == [post("import", 1, 2, 3)])
    #expect(handle(.answered(.refused("invalid"))) == [post("single", 1)])
    #expect(handle(.heard(listen(4))) == [.keep(listen(4))])
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 1), post("single", 2)])
    #expect(
      handle(.answered(.refused("no track name"))) == [
        .forget(count: 1), .say("ListenBrainz refuses the listen of T2, which is not sent again: no track name"),
        post("single", 3),
      ])
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 1), post("single", 4)])
  }

  @Test mutating func `the server's limit of requests is kept`() {
    #expect(handle(.heard(listen(1))) == [.keep(listen(1)), post("single", 1)])
    #expect(handle(.answered(.tooMany(pause: .seconds(30)))) == [])
    #expect(queue.deadline == now + .seconds(30))
    now += .seconds(30)
    #expect(handle(.due) == [post("single", 1)])
    #expect(handle(.heard(listen(2))) == [.keep(listen(2))])
    #expect(handle(.answered(.accepted(pause: .seconds(5)))) == [.forget(count: 1)])
    #expect(queue.deadline == now + .seconds(5))
  }

  @Test mutating func `listens beyond the limit of a day are kept, and sent with newer ones after a pause`() {
    #expect(handle(.restored([listen(1), listen(2), listen(3)])) == [post("import", 1, 2, 3)])
    // The last index is not one of the request.
    let answer = ListenAnswer.overLimit([0, 2, 3], pause: .seconds(600))
    #expect(handle(.answered(answer)) == [.forget(count: 3, keeping: [0, 2])])
    #expect(handle(.heard(listen(4))) == [.keep(listen(4))])
    #expect(queue.deadline == now + .seconds(600))
    now += .seconds(600)
    #expect(handle(.due) == [post("import", 1, 3, 4)])
    #expect(handle(.answered(.overLimit([0, 1, 2], pause: .seconds(600)))) == [])
    now += .seconds(600)
    #expect(handle(.due) == [post("import", 1, 3, 4)])
    #expect(handle(.answered(.accepted(pause: nil))) == [.forget(count: 3)])
    #expect(queue.deadline == nil)
  }

  @Test mutating func `listens that the service ignores are gone, and the listener is told why`() {
    _ = handle(.heard(listen(1)))
    let answer = ListenAnswer.accepted(pause: nil, ignored: "1 listen: too old")
    #expect(handle(.answered(answer)) == [.forget(count: 1), .say("ListenBrainz ignores 1 listen: too old")])
  }

  @Test mutating func `a token that is refused ends the sending, and listens are still kept`() {
    #expect(handle(.playing(listen(nil))) == [post("playing_now", nil)])
    #expect(
      handle(.answered(.unauthorized("unknown user"))) == [.say("ListenBrainz refuses the token: unknown user")])
    #expect(handle(.heard(listen(1))) == [.keep(listen(1))])
    #expect(queue.deadline == nil)
  }

  @Test mutating func `a long absence is sent in parts of fifty`() {
    let listens = (1...120).map { listen(Int64($0)) }
    var counts: [Int] = []
    var effects = handle(.restored(listens))
    while case .post(.listens(let listens))? = effects.last {
      counts.append(listens.count)
      effects = handle(.answered(.accepted(pause: nil)))
      #expect(effects.first == .forget(count: counts.last ?? 0))
    }
    #expect(counts == [50, 50, 20])
  }

  @Test mutating func `after an answer that is not the service's, a listen is sent again, and one message says so`() {
    #expect(handle(.heard(listen(1))) == [.keep(listen(1)), post("single", 1)])
    let message = "ListenBrainz does not answer as expected, so listens are sent later: HTTP status 404"
    #expect(handle(.answered(.strange("HTTP status 404"))) == [.say(message)])
    for seconds in [10, 20] as [Double] {
      #expect(queue.deadline == now + .seconds(seconds))
      now += .seconds(seconds)
      #expect(handle(.due) == [question(1)])
      #expect(handle(.answered(.strange("HTTP status 404"))) == [])
    }
  }

  @Test(arguments: [
    (200, nil, ListenAnswer.accepted(pause: nil)), (200, "0", .accepted(pause: .seconds(7))),
    (200, "3", .accepted(pause: nil)), (400, nil, .refused("m")), (413, nil, .refused("m")),
    (401, nil, .unauthorized("m")), (403, nil, .unauthorized("m")), (404, nil, .strange("m")),
    (405, nil, .strange("m")), (408, nil, .failed("m")), (429, nil, .tooMany(pause: .seconds(7))),
    (500, nil, .failed("m")), (302, nil, .failed("m")),
  ])
  func `the status decides`(status: Int, remaining: String?, answer: ListenAnswer) {
    let body = Array((status == 200 ? #"{"status":"ok"}"# : #"{"code":1,"error":"m"}"#).utf8)
    #expect(ListenAnswer(status: status, body: body, remaining: remaining, resetIn: "7") == answer)
  }

  @Test(arguments: [
    ("<html>Welcome to the hotel</html>", "HTTP status 200"), ("", "HTTP status 200"),
    (#"{"status":"error"}"#, "HTTP status 200"), (#"{"code":200,"error":"Invalid Method"}"#, "Invalid Method"),
  ])
  func `a success without its word is none`(body: String, reason: String) {
    let answer = ListenAnswer(status: 200, body: Array(body.utf8), remaining: nil, resetIn: nil)
    #expect(answer == .strange(reason))
  }

  @Test(arguments: [(nil, 10.0), ("", 10), ("nan", 10), ("inf", 10), ("-5", 1), ("1e300", 3600)])
  func `an absurd pause is limited`(resetIn: String?, seconds: Double) {
    #expect(
      ListenAnswer(status: 429, body: [], remaining: nil, resetIn: resetIn) == .tooMany(pause: .seconds(seconds)))
  }
}

/// Listens in the words of ListenBrainz.
@Suite struct ListenTextTests {
  private var tags = TrackTags()

  init() { (tags.title, tags.artist, tags.album) = ("Aria \"1\"", "Glenn Gould", "Goldberg") }

  @Test mutating func `a listen has its facts, in JSON`() throws {
    tags.trackNumber = 1
    tags.albumArtist = "Bach"
    tags.fields.append("0AB8C4C5-6E3F-4b3a-9d3c-0123456789AB", to: .recordingID)
    tags.fields.append("no identifier", to: .releaseID)
    let listen = try #require(ListenText(tags, beganAt: 1_700_000_000, heard: 92.6, duration: 185.25))
    #expect(!listen.json.contains("\n"))
    let value = try JSON(parsing: listen.json.utf8)
    #expect(value["listened_at"]?.double == 1_700_000_000)
    let track = try #require(value["track_metadata"])
    #expect(track["artist_name"]?.text == "Glenn Gould" && track["track_name"]?.text == "Aria \"1\"")
    #expect(track["release_name"]?.text == "Goldberg")
    let facts = try #require(track["additional_info"])
    #expect(facts["duration_ms"]?.double == 185_250 && facts["duration_played"]?.double == 93)
    #expect(facts["tracknumber"]?.text == "1" && facts["release_artist_name"]?.text == "Bach")
    #expect(facts["recording_mbid"]?.text == "0ab8c4c5-6e3f-4b3a-9d3c-0123456789ab" && facts["release_mbid"] == nil)
    #expect(facts["media_player"]?.text == "segue")
    #expect(ListenText(line: listen.json.utf8) == listen)
  }

  @Test mutating func `the track that plays has no time`() throws {
    let listen = try #require(ListenText(tags, beganAt: nil, duration: .nan))
    #expect(!listen.json.contains("listened_at") && !listen.json.contains("duration"))
    #expect(ListenText(line: listen.json.utf8) == nil)
  }

  @Test mutating func `without a title or an artist there is no listen, and none is too long`() {
    for path in [\TrackTags.title, \.artist] {
      for value in [nil, ""] {
        var tags = tags
        tags[keyPath: path] = value
        #expect(ListenText(tags, beganAt: 1, duration: nil) == nil)
      }
    }
    tags.album = String(repeating: "x", count: 11_000)
    #expect(ListenText(tags, beganAt: 1, duration: nil) == nil)
  }

  @Test(arguments: ["", "{", "[]", "{\"listened_at\":1}", "{\"listened_at\":1,\"track_metadata\":{\"a"])
  func `a damaged line is not a listen`(line: String) { #expect(ListenText(line: line.utf8) == nil) }
}
