import Glibc
import SoundServerSupport
import Synchronization
import TestTraits
import Testing

/// The login by the real program, and the listens that the player sends afterwards.
@Suite(.onThreadsOfTheirOwn) struct `Listens are sent to Last.fm` {
  private let folder: TemporaryFolder
  private let requests: Requests
  private let server: ScriptedServer

  private final class Requests: Sendable {
    let bodies = Mutex<[String]>([])
    /// When the tracks began that were scrobbled.
    let kept = Mutex<[Int]>([])
    /// True if scrobbles are kept without an answer.
    let isSilent = Mutex(false)
  }

  init() throws {
    folder = try TemporaryFolder()
    requests = Requests()
    server = try ScriptedServer { [requests] request, connection in
      let count = request.fields["content-length"].flatMap { Int($0) } ?? 0
      let body = String(decoding: connection.receive(count: count), as: UTF8.self)
      requests.bodies.withLock { $0.append(body) }
      if body.contains("method=track.scrobble&") {
        requests.kept.withLock { $0 += body.matches(of: /timestamp%5B\d+%5D=(\d+)/).compactMap { Int($0.1) } }
        if requests.isSilent.withLock({ $0 }) { return connection.waitForClient() }
      }
      let from = body.firstMatch(of: /&user=me&from=(\d+)/).flatMap { Int($0.1) } ?? .max
      let recent = requests.kept.withLock { $0.filter { $0 >= from }.map { #"{"date":{"uts":"\#($0)"}}"# } }
      let answers = [
        "auth.getToken": #"{"token":"tok"}"#, "auth.getSession": #"{"session":{"name":"me","key":"sess-key"}}"#,
        "track.updateNowPlaying": #"{"nowplaying":{}}"#, "track.scrobble": #"{"scrobbles":{}}"#,
        "user.getInfo": #"{"user":{"name":"me"}}"#,
        "user.getRecentTracks": #"{"recenttracks":{"track":[\#(recent.joined(separator: ","))]}}"#,
      ]
      let text = answers.first { body.contains("method=\($0.key)&") }?.value ?? #"{"error":3,"message":"no method"}"#
      connection.sendHead("200 OK", ["Content-Type: application/json", "Content-Length: \(text.utf8.count)"])
      connection.send(text)
    }
    try #require(mkdir(folder("home"), 0o700) == 0)
    // 31 s, a second more than Last.fm asks for.
    let tags = [("TIT2", "Aria"), ("TPE1", "Bach")]
    try write(madeMP3(sound: 0, tags, frames: 31 * 77 / 2 + 40), to: folder("aria.mp3"))
  }

  private var environment: [String: String?] { ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder.path] }

  private func login(input: String) throws -> (status: Int32, output: String) {
    let process = try ChildProcess(
      ["sh", "-c", "printf '\(input)' | \(Program.path) lastfm --server \(server.address)/2.0/ 2>&1"],
      environment: environment, output: .file(folder("output")))
    #expect(eventually { process.isOver })
    return (process.wait(), String(decoding: contents(of: folder("output")), as: UTF8.self))
  }

  @Test func `the address is there before Enter, in a pipe or file, too`() throws {
    try write("key=k\nsecret=s\n".utf8, to: folder("home/lastfm"))
    try #require(mkfifo(folder("keyboard"), 0o600) == 0)
    let keyboard = open(folder("keyboard"), O_RDWR | O_CLOEXEC)
    defer { close(keyboard) }
    let process = try ChildProcess(
      ["sh", "-c", "exec \(Program.path) lastfm --server \(server.address)/2.0/ <\(folder("keyboard"))"],
      environment: environment, output: .file(folder("output")))
    let isShown = eventually {
      String(decoding: contents(of: folder("output")), as: UTF8.self).contains("&token=tok\n")
    }
    #expect(isShown)
    #expect(Glibc.write(keyboard, "\n", 1) == 1)
    #expect(process.wait() == 0)
  }

  @Test func `a scrobble that the server has without an answer when the player is killed is not sent again`() throws {
    try write("key=k\nsecret=s\n".utf8, to: folder("home/lastfm"))
    for place in ["home/state", "home/state/listens", "home/state/listens/lastfm"] {
      try #require(mkdir(folder(place), 0o700) == 0)
    }
    try write("sess-key\n".utf8, to: folder("home/state/listens/lastfm/session"))
    func play() throws -> ChildProcess {
      try ChildProcess(
        [
          Program.path, "--no-ui", "--output", "null", "-o", "lastfm=\(server.address)/2.0/", "-o", "speed=2",
          folder("aria.mp3"),
        ], environment: environment)
    }
    requests.isSilent.withLock { $0 = true }
    let first = try play()
    #expect(eventually { requests.kept.withLock { !$0.isEmpty } })
    first.signal(SIGKILL)
    _ = first.wait()
    requests.isSilent.withLock { $0 = false }
    // It asks as soon as it plays, and has nothing to send before half of the track is over.
    let second = try play()
    let journal = "home/state/listens/lastfm/\(second.id).jsonl"
    #expect(eventually { requests.bodies.withLock { $0.contains { $0.contains("user.getRecentTracks") } } })
    #expect(eventually { contents(of: folder(journal)).isEmpty })
    second.signal(SIGKILL)
    _ = second.wait()
    #expect(requests.kept.withLock { Set($0).count == $0.count }, "\(requests.bodies.withLock { $0 })")
    #expect(access(folder("home/state/listens/lastfm/\(first.id).jsonl"), F_OK) != 0)
  }

  @Test func `after a login in the browser, what was heard is sent with the session`() throws {
    #expect(try login(input: "").output.contains("key=..."))
    try write("key=k\nsecret=s\n".utf8, to: folder("home/lastfm"))
    #expect(try login(input: "").status != 0, "nobody pressed Enter")
    let (status, output) = try login(input: #"\n"#)
    #expect(status == 0 && output.contains("/api/auth/?api_key=k&token=tok") && output.contains("Connected as me"))
    #expect(
      requests.bodies.withLock { $0.contains { $0.contains("method=auth.getSession&token=tok&api_key=k&api_sig=") } })

    let player = try ChildProcess(
      [
        Program.path, "--no-ui", "--output", "null", "-o", "lastfm=\(server.address)/2.0/", "-o", "speed=2",
        folder("aria.mp3"),
      ], environment: environment, errors: folder("errors"))
    func scrobbles() -> [String] { requests.bodies.withLock { $0.filter { $0.contains("method=track.scrobble&") } } }
    #expect(eventually { player.isOver })
    #expect(player.wait() == 0)
    // What could not be sent before the end is sent by the next player.
    if scrobbles().isEmpty {
      let next = try ChildProcess(
        [Program.path, "--no-ui", "--output", "null", "-o", "lastfm=\(server.address)/2.0/", folder("aria.mp3")],
        environment: environment)
      #expect(eventually { !scrobbles().isEmpty })
      next.signal(SIGTERM)
      _ = next.wait()
    }
    let scrobble = try #require(scrobbles().first)
    #expect(scrobble.contains("track%5B0%5D=Aria&") && scrobble.contains("&sk=sess-key&"))
    #expect(contents(of: folder("errors")).isEmpty)
  }
}
