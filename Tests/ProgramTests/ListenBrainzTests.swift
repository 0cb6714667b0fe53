import Glibc
import SoundServerSupport
import Synchronization
import TestTraits
import Testing

/// Listens that the real program, in its sandbox, sends to a server.
@Suite(.onThreadsOfTheirOwn) struct `Listens are sent to ListenBrainz` {
  /// A server that answers as the test says.
  private final class Service: Sendable {
    /// The heads and bodies of all requests.
    let requests = Mutex<[(path: String, token: String?, body: String)]>([])
    let status = Mutex("200 OK")

    func take(_ request: ScriptedServer.Request, _ connection: ScriptedServer.Connection) {
      let body = connection.receive(count: request.fields["content-length"].flatMap { Int($0) } ?? 0)
      requests.withLock {
        $0.append((request.path, request.fields["authorization"], String(decoding: body, as: UTF8.self)))
      }
      let text = "{\"status\":\"ok\"}"
      connection.sendHead(
        status.withLock { $0 }, ["Content-Type: application/json", "Content-Length: \(text.utf8.count)"])
      connection.send(text)
    }

    /// The bodies of one kind.
    func bodies(_ kind: String) -> [String] {
      requests.withLock { $0.map(\.body).filter { $0.hasPrefix("{\"listen_type\":\"\(kind)\"") } }
    }
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
  }

  private func play(_ names: String..., address: String? = nil) throws -> ChildProcess {
    try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", "-o", "listenbrainz=\(address ?? server.address)/base/"]
        + names.map { folder($0) },
      environment: ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder.path], errors: folder("errors"))
  }

  private var errors: String { String(decoding: contents(of: folder("errors")), as: UTF8.self) }

  @Test func `the track that plays, and each that was heard, with the token`() throws {
    let began = time(nil)
    let player = try play("0.mp3", "1.mp3")
    #expect(eventually { player.isOver })
    #expect(player.wait() == 0 && errors == "")
    let requests = service.requests.withLock { $0 }
    #expect(requests.allSatisfy { $0.path == "/base/1/submit-listens" && $0.token == "Token secret-token" })
    #expect(service.bodies("playing_now").map { $0.contains("Aria") } == [true, false])
    let first = try #require(service.bodies("single").first)
    #expect(first.contains("\"artist_name\":\"Bach\",\"track_name\":\"Aria\",\"release_name\":\"Goldberg\""))
    let listenedAt = first.firstMatch(of: /"listened_at":(\d+)/).flatMap { Int($0.1) }
    #expect(listenedAt.map { (began...began + 60).contains($0) } == true)
  }

  @Test func `listens wait on the disk while no server answers, survive a kill, and arrive once`() throws {
    service.status.withLock { $0 = "503 Service Unavailable" }
    let first = try play("0.mp3", "1.mp3")
    // The second track is announced when the first one is over.
    #expect(eventually { contents(of: folder("home/state/listens/\(first.id).jsonl")).contains(0x0a) })
    first.signal(SIGKILL)
    _ = first.wait()
    #expect(service.bodies("single").isEmpty || service.bodies("single").allSatisfy { $0.contains("Aria") })
    service.status.withLock { $0 = "200 OK" }
    let count = service.bodies("single").count
    let second = try play("1.mp3")
    #expect(eventually { service.bodies("single").count > count })
    #expect(eventually { second.isOver })
    #expect(second.wait() == 0)
    // The second one is sent at once or kept for the next run.
    let third = try play("1.mp3")
    #expect(eventually { service.bodies("single").dropFirst(count).contains { $0.contains("Variatio") } })
    third.signal(SIGTERM)
    #expect(eventually { third.isOver })
    #expect(service.bodies("single").dropFirst(count).count { $0.contains("Aria") } == 1)
  }

  @Test func `a token that is refused, and one that is missing, are named`() throws {
    service.status.withLock { $0 = "401 Unauthorized" }
    func lines() throws -> String {
      let player = try ChildProcess(
        [Program.path, "--no-ui", "--output", "null", "-o", "listenbrainz=\(server.address)", folder("0.mp3")],
        environment: ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder.path], output: .file(folder("lines")))
      #expect(eventually { player.isOver })
      return String(decoding: contents(of: folder("lines")), as: UTF8.self)
    }
    #expect(try lines().contains("ListenBrainz refuses the token: HTTP status 401"))
    #expect(!service.requests.withLock { $0.isEmpty })
    unlink(folder("home/listenbrainz-token"))
    service.requests.withLock { $0 = [] }
    let token = "\(folder("home"))/listenbrainz-token"
    #expect(try lines().contains("ListenBrainz refuses the token: there is none in \(token)"))
    #expect(service.requests.withLock { $0.isEmpty })
  }
}
