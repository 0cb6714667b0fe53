import ByteIO
import Database
import Glibc
import Library
import SoundServerSupport
import Testing
import Threads

@testable import Desk
@testable import Streaming

/// The queue that waits for a server, which the test controls.
@Suite struct `A queue that waits for a server` {
  private let folder: TemporaryFolder
  private let library: MusicLibrary

  init() throws {
    folder = try TemporaryFolder()
    library = try MusicLibrary(folder: BytePath(folder("data")))
  }

  private struct Sent {
    /// The methods that the server was asked for.
    var methods: [String]
    var told: LibraryServers.Told
    var isWaiting: Bool
  }

  /// Sends a queue that was kept so many seconds ago.
  ///
  /// - Parameters:
  ///   - changed: The time of the queue that the server has.
  ///   - failure: The error that it answers, if any.
  ///   - pingStatus: The status of its answer to a ping, if that is another one.
  ///   - page: An answer of a proxy.
  private func send(
    after seconds: Int64, changed: String = "1970-01-01T00:16:40Z", failure: Int? = nil, status: String = "200 OK",
    pingStatus: String? = nil, page: String? = nil
  ) throws -> Sent {
    let methods = Guarded<[String]>([])
    let server = try ScriptedServer { request, connection in
      let method = request.path.prefix { $0 != "?" }.split(separator: "/").last ?? ""
      methods.withLock { $0.append(String(method)) }
      let rest =
        failure.map { ",\"error\":{\"code\":\($0)}" }
        ?? ",\"playQueue\":{\"changed\":\"\(changed)\",\"entry\":[{\"id\":\"1\"}]}"
      let state = failure == nil ? "ok" : "failed"
      let text = page ?? "{\"subsonic-response\":{\"status\":\"\(state)\",\"version\":\"1.16.1\"\(rest)}}"
      connection.sendHead(
        method == "ping.view" ? pingStatus ?? status : status,
        ["Content-Type: application/json", "Content-Length: \(text.utf8.count)"])
      connection.send(text)
    }
    let account = ServerAccount(
      name: "home", kind: .openSubsonic, address: WebAddress(server.address), user: "me", secret: .apiKey("k"),
      version: "1.16.1")
    let queues = ServerQueues(library)
    try queues.keep(ServerQueue(tracks: ["7"], seconds: 5), for: account.root, at: Int64(time(nil)) - seconds)
    let network = Network(NetworkConfiguration())
    defer { network.shutDown() }
    let told = try LibraryServers.sendQueue(to: account, library, ServerConnection(network, patience: 0))
    return Sent(
      methods: methods.withLock { $0 }, told: told, isWaiting: try queues.waiting(for: account.root) != nil)
  }

  @Test func `is sent at once, and after a while unless the server has a later one`() throws {
    let new = try send(after: 0)
    #expect(new.methods == ["savePlayQueue.view"] && new.told == .init() && !new.isWaiting)
    let old = try send(after: 600)
    #expect(old.methods == ["getPlayQueue.view", "savePlayQueue.view"] && old.told == .init() && !old.isWaiting)
    let outdated = try send(after: 600, changed: "2100-01-01T00:00:00Z")
    #expect(outdated.methods == ["getPlayQueue.view"] && outdated.told == .init() && !outdated.isWaiting)
  }

  @Test func `takes the place of one from here, also if the clock of the server is ahead`() throws {
    try ServerQueues(library).noteSent(ServerQueue(tracks: ["1"], seconds: 0), to: BytePath("segue://home"))
    let sent = try send(after: 600, changed: "2100-01-01T00:00:00Z")
    #expect(sent.methods == ["getPlayQueue.view", "savePlayQueue.view"] && sent.told == .init() && !sent.isWaiting)
  }

  @Test func `waits on without an answer, and what the server refuses is said`() throws {
    let silent = try send(after: 0, status: "500 Internal Server Error")
    #expect(silent.isWaiting && silent.told.delays.count == 1 && silent.told.refusals == [])
    let stranger = try send(after: 0, failure: 40)
    #expect(stranger.isWaiting && stranger.told.refusals == ["segue://home gets no queue: wrong user name or password"])
    let refused = try send(after: 0, failure: 70)
    #expect(!refused.isWaiting)
    #expect(refused.told.refusals == ["segue://home does not take the queue: the server does not have it any more"])
    // Not every server keeps queues.
    for (status, pingStatus) in [("404 Not Found", "200 OK"), ("501 Not Implemented", nil)] as [(String, String?)] {
      let sent = try send(after: 0, status: status, pingStatus: pingStatus)
      #expect(!sent.isWaiting && sent.told == .init())
    }
  }

  @Test func `waits on if only a proxy answers`() throws {
    for (status, page) in [
      ("404 Not Found", "<html>"), ("404 Not Found", nil), ("200 OK", "<html>"), ("200 OK", "{}"), ("410 Gone", nil),
      ("502 Bad Gateway", nil), ("503 Service Unavailable", nil),
    ] as [(String, String?)] {
      let sent = try send(after: 0, status: status, page: page)
      #expect(sent.isWaiting && sent.told.delays.count == 1 && sent.told.refusals == [], "\(status)")
    }
  }

  @Test func `goes to a server that takes forms with the query as its body`() throws {
    let seen = Guarded<[String]>([])
    let server = try ScriptedServer { request, connection in
      let body = connection.receive(count: Int(request.fields["content-length"] ?? "") ?? 0)
      let words = [
        request.method, request.path, request.fields["content-type"] ?? "", String(decoding: body, as: UTF8.self),
      ]
      seen.withLock { $0 += words }
      connection.sendHead("200 OK", ["Content-Length: 2"])
      connection.send("{}")
    }
    var address = WebAddress(server.address + "/rest/ping.view")
    address.query = "a=1&b=%20"
    let network = Network(NetworkConfiguration())
    defer { network.shutDown() }
    #expect(try ServerConnection(network, patience: 0).post(address) == Array("{}".utf8))
    #expect(
      seen.withLock { $0 } == ["POST", "/rest/ping.view", "application/x-www-form-urlencoded", "a=1&b=%20"])
  }

  @Test(arguments: [true, false])
  func `that is refused gets the error of the interface where the server names one`(isNamed: Bool) throws {
    let server = try ScriptedServer { _, connection in
      let error = "{\"subsonic-response\":{\"status\":\"failed\",\"error\":{\"code\":41,\"message\":\"no tokens\"}}}"
      let text = isNamed ? error : "<html>\"error\" \"code\""
      connection.sendHead("401 Unauthorized", ["Content-Length: \(text.utf8.count)"])
      connection.send(text)
    }
    let network = Network(NetworkConfiguration())
    defer { network.shutDown() }
    do throws(ServerFailure) {
      _ = try SubsonicAnswer(ServerConnection(network, patience: 0).ask(WebAddress(server.address + "/rest/ping.view")))
      Issue.record("it is an error")
    } catch { #expect(error.code == (isNamed ? 41 : nil) && error.status == (isNamed ? nil : 401)) }
  }
}
