import AudioModel
import ByteIO
import SoundServerSupport
import Testing

@testable import Desk
@testable import Streaming

/// A server of music as a service of listens.
@Suite struct `Plays for a server of music` {
  private let plays: ServerPlays
  private let play = ListenText(track: "a/b", beganAt: 1000)
  private let account = ServerAccount(
    name: "home", kind: .openSubsonic, address: WebAddress("http://music.home"), user: "me", secret: .apiKey("k"),
    version: "1.16.1")

  init() { plays = ServerPlays(account) }

  /// The meaning of an answer with these members.
  private func meaning(
    _ rest: String = "", status: String = "ok", http: Int = 200, of post: ListenPost? = nil
  ) -> ListenAnswer? {
    let body = "{\"subsonic-response\":{\"status\":\"\(status)\",\"version\":\"1.16.1\"\(rest)}}"
    return plays.answer(PostAnswer(status: http, body: Array(body.utf8)), to: post ?? .listens([play]))
  }

  private func failure(_ code: Int, http: Int = 200, of post: ListenPost? = nil) -> ListenAnswer? {
    meaning(",\"error\":{\"code\":\(code),\"message\":\"no\"}", status: "failed", http: http, of: post)
  }

  @Test func `are sent with their time, and the track that plays without one`() {
    let query = "apiKey=k&v=1.16.1&c=segue&f=json&id=a%2Fb"
    let sent = plays.request(.listens([play]))
    #expect(sent.address.path == "/rest/scrobble.view" && sent.body == nil)
    #expect(sent.address.query == query + "&time=1000000&submission=true")
    let playing = plays.request(.playing(ListenText(track: "a/b", beganAt: nil)))
    #expect(playing.address.query == query + "&submission=false")
    let question = plays.request(.question(play))
    #expect(question.address.path == "/rest/getSong.view" && question.address.query == query)
  }

  @Test func `are kept on the disk as other listens are`() {
    #expect(ListenText(line: play.json.utf8) == play && play.identity?.beganAt == 1000)
  }

  @Test func `are sent one at a time`() {
    var queue = ListenQueue(.server("home"))
    let listens = (1...3).map { (number: Int64) in ListenText(track: "\(number)", beganAt: number) }
    #expect(
      queue.handle(.restored(listens), now: .zero) == [.noteSending(1), .post(.listens([listens[0]]))])
  }

  @Test func `are counted, refused, or sent later`() {
    #expect(meaning() == .accepted(pause: nil))
    #expect(failure(70) == .refused("the server does not have it any more"))
    #expect(failure(40) == .unauthorized("wrong user name or password"))
    #expect(meaning(http: 503) == .tooMany(pause: .seconds(60)) && meaning(http: 500) == .failed("HTTP status 500"))
    #expect(meaning(http: 401) == .unauthorized("HTTP status 401"))
    let empty = PostAnswer(status: 200, body: Array("{}".utf8))
    #expect(plays.answer(empty, to: .listens([play])) == .accepted(pause: nil), "of Funkwhale")
    #expect(plays.answer(empty, to: .question(play)) != .accepted(pause: nil))
    #expect(meaning(http: 404) == .strange("HTTP status 404"), "it may be a proxy")
    for status in [400, 413, 501] { #expect(meaning(http: status) == .refused("HTTP status \(status)")) }
    for status in [400, 404] { #expect(failure(70, http: status) == .refused("the server does not have it any more")) }
    #expect(failure(0, http: 503) == .tooMany(pause: .seconds(60)))
    let page = plays.answer(PostAnswer(status: 200, body: Array("<html>".utf8)), to: .listens([play]))
    #expect(page.map { if case .strange = $0 { true } else { false } } == true)
  }

  @Test func `that the server may have are asked for by the time of the last play`() {
    let question = ListenPost.question(play)
    #expect(
      meaning(",\"song\":{\"id\":\"a/b\",\"played\":\"1970-01-01T00:16:40Z\"}", of: question) == .accepted(pause: nil))
    #expect(meaning(",\"song\":{\"id\":\"a/b\",\"played\":\"1970-01-01T00:16:41Z\"}", of: question) == .missing)
    #expect(meaning(",\"song\":{\"id\":\"a/b\"}", of: question) == .missing)
    for status in [200, 400] { #expect(failure(70, http: status, of: question) == .missing) }
    #expect(meaning(http: 400, of: question) == .missing)
  }

  @Test func `of a track that was removed there hold up no others`() {
    var queue = ListenQueue(.server("home"))
    let listens = (1...2).map { (number: Int64) in ListenText(track: "\(number)", beganAt: number) }
    _ = queue.handle(.restored(listens, sentCount: 1), now: .zero)
    func answer(_ meaning: ListenAnswer?) -> [ListenQueue.Effect] {
      meaning.map { queue.handle(.answered($0), now: .zero) } ?? []
    }
    #expect(answer(meaning(http: 400, of: .question(listens[0]))) == [.noteSending(1), .post(.listens([listens[0]]))])
    #expect(
      answer(meaning(http: 400)) == [
        .forget(count: 1), .say("segue://home refuses the listen of 1, which is not sent again: HTTP status 400"),
        .noteSending(1), .post(.listens([listens[1]])),
      ])
    #expect(answer(meaning(http: 503)) == [] && queue.deadline == .zero + .seconds(60), "it stays")
  }

  @Test func `wait in a folder of the server`() throws {
    let folder = try TemporaryFolder()
    let listens = BytePath(folder.path)
    #expect(ListenSite.waitingServers(listens) == [])
    let site = ListenSite.server("home")
    let journal = try ListenJournal(folder: site.folder(listens))
    #expect(site.folder(listens) == BytePath(folder("servers/home")))
    try journal.append(play)
    #expect(ListenSite.waitingServers(listens) == [site])
    #expect(throws: ListenProblem.self) {
      try site.account(at: WebAddress("segue://home"), configuration: listens, listens: listens, library: listens)
    }
  }
}
