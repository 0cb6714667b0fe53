import Glibc
import SoundServerSupport
import Synchronization
import TestTraits
import Testing
import Desk

/// Listens that the real program, in its sandbox, sends to a server.
@Suite(.onThreadsOfTheirOwn) struct `Listens are sent to ListenBrainz` {
  /// A server that keeps listens, and answers as the test says.
  private final class Service: Sendable {
    /// The treatment of listens that arrive.
    enum Treatment: Sendable { case answers, isSilent, losesThem }

    let treatment = Mutex(Treatment.answers)
    /// When the tracks began of which it has listens.
    let kept = Mutex<[Int]>([])
    /// The heads and bodies of all requests.
    let requests = Mutex<[(path: String, token: String?, body: String)]>([])
    let status = Mutex("200 OK")

    func take(_ request: ScriptedServer.Request, _ connection: ScriptedServer.Connection) {
      let body = connection.receive(count: request.fields["content-length"].flatMap { Int($0) } ?? 0)
      let status = request.path.hasPrefix("/again/") ? "200 OK" : status.withLock { $0 }
      let isListen = !body.isEmpty && !body.starts(with: "{\"listen_type\":\"playing_now\"".utf8)
      let treatment = isListen ? treatment.withLock { $0 } : .answers
      if isListen, status == "200 OK", treatment != .losesThem {
        kept.withLock { $0 += times(String(decoding: body, as: UTF8.self)) }
      }
      // Last: a test that sees a request may change how the next ones are treated.
      requests.withLock {
        $0.append((request.path, request.fields["authorization"], String(decoding: body, as: UTF8.self)))
      }
      if treatment != .answers { return connection.waitForClient() }
      var text = "{\"status\":\"ok\"}"
      if request.path.hasSuffix("/1/validate-token") { text = "{\"valid\":true,\"user_name\":\"Me & you\"}" }
      if let limit = request.path.firstMatch(of: /\/1\/user\/Me%20%26%20you\/listens\?max_ts=(\d+)/).map({ Int($0.1) })
      {
        let found = kept.withLock { $0.filter { $0 < limit ?? 0 }.sorted(by: >).prefix(5) }
        text =
          "{\"payload\":{\"listens\":["
          + found.map { "{\"listened_at\":\($0),\"track_metadata\":{\"track_name\":\"Aria\"}}" }.joined(separator: ",")
          + "]}}"
      }
      connection.sendHead(
        status, ["Content-Type: application/json", "Content-Length: \(text.utf8.count)"])
      connection.send(text)
    }

    /// The bodies about the track that plays, or about tracks that were heard: of those one request may have several.
    func bodies(playing: Bool, below path: String = "/") -> [String] {
      requests.withLock { requests in
        requests.filter { $0.path.hasPrefix(path) }.map(\.body)
          .filter { $0.hasPrefix("{\"listen_type\":\"playing_now\"") == playing }
      }
    }

    /// When the tracks began that were sent as heard, in seconds since 1970.
    var heard: [Int] { bodies(playing: false).flatMap(times) }
    /// The same for those that were sent to the other path, where the service always answers.
    var heardAgain: [Int] { bodies(playing: false, below: "/again/").flatMap(times) }
  }

  private let folder: TemporaryFolder
  private let service = Service()
  private let server: ScriptedServer

  init() throws {
    folder = try TemporaryFolder()
    server = try ScriptedServer { [service] in service.take($0, $1) }
    try #require(mkdir(folder("home"), 0o700) == 0)
    try write("secret-token\n".utf8, to: folder("home/listenbrainz-token"))
    for (index, title) in ["Aria", "Variatio"].enumerated() {
      // 2 s.
      let tags = [("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg")]
      try write(madeMP3(sound: index, tags, frames: 77), to: folder("\(index).mp3"))
    }
    // Without tags, so that no server is told of it.
    try write(madeMP3(sound: 2, frames: 400), to: folder("nameless.mp3"))
  }

  /// Plays these tracks again and again: one of two seconds does not count as heard if the player stands still in it.
  private func play(_ names: String..., path: String = "", output: String = "output") throws -> ChildProcess {
    try ChildProcess(
      [
        Program.path, "--no-ui", "--output", "null", "--repeat", "all", "--events", folder("events"), "-o",
        "listenbrainz=\(server.address)\(path)",
      ] + names.map { folder($0) },
      environment: ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder.path], output: .file(folder(output)),
      errors: folder("errors"))
  }

  private func end(_ player: ChildProcess) {
    player.signal(SIGTERM)
    #expect(player.wait() == 4, "ended by a signal")
  }

  /// Waits until each of these titles was sent, both as the one that plays and as heard.
  private func expectListens(_ titles: [String]) {
    for title in titles {
      for isPlaying in [true, false] {
        #expect(
          eventually { service.bodies(playing: isPlaying).contains { $0.contains("\"track_name\":\"\(title)\"") } },
          "\(requests)")
      }
    }
  }

  /// The whole lines of a player's journal.
  private func journal(of player: ChildProcess) -> [String] {
    String(decoding: contents(of: folder("home/state/listens/\(player.id).jsonl")), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
  }

  private var errors: String { String(decoding: contents(of: folder("errors")), as: UTF8.self) }
  private var requests: String { service.requests.withLock { $0.map { "\($0)" }.joined(separator: "\n") } }

  @Test func `the tracks of a cue sheet, by its titles`() throws {
    // 4 s.
    try write(madeMP3(sound: 3, frames: 154), to: folder("album.mp3"))
    try write(
      """
      PERFORMER "Bach"
      FILE "album.mp3" MP3
      TRACK 01 AUDIO
      TITLE "Praeludium"
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      TITLE "Fuga"
      INDEX 01 00:02:00
      """.utf8, to: folder("album.cue"))
    let player = try play("album.cue")
    expectListens(["Praeludium", "Fuga"])
    end(player)
  }

  @Test func `the track that plays, and each that was heard, with the token`() throws {
    let began = time(nil)
    let player = try play("0.mp3", "1.mp3", path: "/base/")
    expectListens(["Aria", "Variatio"])
    end(player)
    #expect(errors == "")
    let requests = service.requests.withLock { $0 }
    #expect(requests.allSatisfy { $0.path == "/base/1/submit-listens" && $0.token == "Token secret-token" })
    let beginnings = Event.all(in: folder("events")).count { $0.name == "track" }
    #expect(service.bodies(playing: true).count <= beginnings, "each is told once")
    let first = try #require(service.bodies(playing: false).first { $0.contains("Aria") })
    #expect(first.contains("\"artist_name\":\"Bach\",\"track_name\":\"Aria\",\"release_name\":\"Goldberg\""))
    let heard = service.heard
    #expect(heard.allSatisfy { (began...time(nil)).contains($0) } && Set(heard).count == heard.count, "\(heard)")
  }

  @Test func `listens wait on the disk while no server answers, survive a kill, and arrive once`() throws {
    service.status.withLock { $0 = "503 Service Unavailable" }
    let first = try play("0.mp3", "1.mp3")
    #expect(eventually { !journal(of: first).isEmpty }, "\(requests)")
    first.signal(SIGKILL)
    _ = first.wait()
    let kept = journal(of: first).flatMap(times)
    // Another path: the last request of the first may still arrive.
    let second = try play("nameless.mp3", path: "/again/")
    #expect(eventually { Set(kept).isSubset(of: service.heardAgain) }, "\(kept), \(requests)")
    // Its answer has come, too: the file of the first player is gone, and that of the second is empty.
    #expect(eventually { journal(of: first).isEmpty && journal(of: second).isEmpty }, "\(requests)")
    end(second)
    let third = try play("1.mp3", path: "/again/")
    #expect(eventually { service.heardAgain.count > kept.count }, "\(requests)")
    end(third)
    let heard = service.heardAgain
    #expect(Array(heard.prefix(kept.count)) == kept && Set(heard).count == heard.count, "\(requests)")
  }

  @Test(arguments: [SIGKILL, SIGTERM], [Service.Treatment.isSilent, .losesThem])
  private func `a listen arrives once, whether or not the server has it when the player ends without an answer`(
    signal: Int32, treatment: Service.Treatment
  ) throws {
    service.treatment.withLock { $0 = treatment }
    let first = try play("0.mp3")
    #expect(eventually { !service.heard.isEmpty }, "\(requests)")
    first.signal(signal)
    _ = first.wait()
    let sent = Set(service.heard + journal(of: first).flatMap(times))
    service.treatment.withLock { $0 = .answers }
    let second = try play("nameless.mp3")
    #expect(eventually { sent.isSubset(of: service.kept.withLock { $0 }) }, "\(sent), \(requests)")
    #expect(eventually { journal(of: first).isEmpty && journal(of: second).isEmpty }, "\(requests)")
    end(second)
    #expect(service.kept.withLock { $0.sorted() } == sent.sorted(), "\(requests)")
  }

  @Test func `listens at the end of the queue arrive once, however often the player is started`()
    throws
  {
    let environment = ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder.path]
    try #require(mkdir(folder("music"), 0o700) == 0 && link(folder("0.mp3"), folder("music/0.mp3")) == 0)
    _ = try ChildProcess.output(of: [Program.path, "library", "add", folder("music")], environment: environment)
    // A track of two seconds in which a busy machine makes the player stand still does not count as heard: the library
    // knows how many did.
    var players: [ChildProcess] = []
    while players.count < 4 || service.heard.isEmpty {
      try #require(players.count < 40, "\(requests)")
      let player = try ChildProcess(
        [
          Program.path, "--no-ui", "--output", "null", "-o", "listenbrainz=\(server.address)", folder("music/0.mp3"),
        ], environment: environment, errors: folder("errors"))
      #expect(eventually { player.isOver } && player.wait() == 0, "\(players.count)")
      players.append(player)
    }
    let last = try play("nameless.mp3")
    #expect(eventually { String(decoding: contents(of: folder("events")), as: UTF8.self).contains("playing") })
    #expect(eventually { (players + [last]).allSatisfy { journal(of: $0).isEmpty } }, "\(requests)")
    end(last)
    let kept = service.kept.withLock { $0 }
    #expect(kept.count == Set(kept).count && Set(kept) == Set(service.heard), "\(requests)")
    let track = try ChildProcess.output(
      of: [Program.path, "library", "search", "--json", "aria"], environment: environment)
    #expect(track.firstMatch(of: /"plays": ?(\d+)/)?.1 == "\(kept.count)", "\(track), \(requests)")
  }

  @Test func `a token that is refused, and one that is missing, are named`() throws {
    service.status.withLock { $0 = "401 Unauthorized" }
    func isSaid(_ sentence: String, by output: String) throws -> Bool {
      let player = try play("0.mp3", output: output)
      defer { end(player) }
      return eventually { String(decoding: contents(of: folder(output)), as: UTF8.self).contains(sentence) }
    }
    #expect(try isSaid("ListenBrainz refuses the token: HTTP status 401", by: "first"), "\(requests)")
    #expect(!service.requests.withLock { $0.isEmpty })
    unlink(folder("home/listenbrainz-token"))
    service.requests.withLock { $0 = [] }
    let token = "\(folder("home"))/listenbrainz-token"
    #expect(try isSaid("ListenBrainz refuses the token: there is none in \(token)", by: "second"), "\(requests)")
    #expect(service.requests.withLock { $0.isEmpty })
  }
}

/// The values of `listened_at`.
private func times(_ text: String) -> [Int] { text.matches(of: /"listened_at":(\d+)/).compactMap { Int($0.1) } }
