import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The real program, in its sandbox, and scripts that its settings name.
@Suite(.onThreadsOfTheirOwn) struct `Programs of the settings` {
  private let folder: TemporaryFolder
  private var environment: [String: String?] {
    [
      "SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "http_proxy": nil,
    ]
  }

  init() throws {
    folder = try TemporaryFolder()
    try #require(mkdir(folder("home"), 0o700) == 0)
    for (index, title) in ["Aria", "Variatio"].enumerated() {
      try write(madeMP3(sound: index, [("TIT2", title)], frames: 40), to: folder("\(index).mp3"))
    }
  }

  /// A script whose file has room for what it writes beside it.
  private func script(_ text: String) throws -> String {
    let path = folder("script")
    try write(script: text, to: path)
    return path
  }

  /// Plays to the end. Returns all that the player wrote, and the status.
  private func play(_ settings: String, _ inputs: String...) throws -> String {
    try write(Array(settings.utf8), to: folder("home/config"))
    let command = "\"$@\" 2>&1; echo \"status $?\""
    return try output(
      ofClient: ["sh", "-c", command, "", Program.path, "--no-ui", "--output", "null", "--events", folder("events")]
        + inputs, environment)
  }

  private func text(_ name: String) -> String { String(decoding: contents(of: folder(name)), as: UTF8.self) }

  @Test func `get each event as JSON, up to the end of the player`() throws {
    let script = try script("line=$(cat); echo \"$1 $line\" >> \"$0.heard\"")
    let played = try play("set on-event='\(script) \"two words\"'\n", folder("0.mp3"), folder("1.mp3"))
    #expect(played.hasSuffix("status 0\n"), "\(played)")
    #expect(eventually { text("script.heard").contains("\"event\":\"quit\"") }, "\(played)")
    let lines = text("script.heard").split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("two words {\"event\":\"") })
    for (event, title) in [("track", "Aria"), ("track", "Variatio"), ("end", "state"), ("quit", "state")] {
      #expect(lines.count { $0.contains("\"event\":\"\(event)\"") && $0.contains(title) } == 1, "\(lines)")
    }
  }

  @Test func `that cannot be started are named once`() throws {
    let played = try play("set on-event=/nowhere/program\n", folder("0.mp3"), folder("1.mp3"))
    let parts = played.split(separator: "program: it cannot be started: No such file or directory")
    #expect(played.hasSuffix("status 0\n") && parts.count == 2, "\(played)")
  }

  @Test func `find the sound of a page, which keeps its address`() throws {
    let sound = madeMP3(sound: 2, frames: 40)
    let server = try ScriptedServer { request, connection in
      if request.path.hasPrefix("/sound") {
        connection.serve(sound, request)
      } else {
        connection.sendHead("200 OK", ["Content-Type: text/html", "Content-Length: 0"])
      }
    }
    let answer = """
      {"url": "\(server.address)/sound?secret=7", "track": "A talk", "http_headers": {"User-Agent": "Mozilla"}}
      """
    let script = try script("echo \"$@\" >> \"$0.asked\"; echo '\(answer)'")
    let page = server.address + "/watch?v=x"
    let played = try play("set resolver='127.0.0.1/watch* \(script) -J'\n", page)
    #expect(played.contains("A talk") && played.hasSuffix("status 0\n"), "\(played)")
    #expect(text("script.asked") == "-J \(page)\n")
    #expect(server.requests.allSatisfy { $0.path == "/sound?secret=7" && $0.fields["user-agent"] == "Mozilla" })
    #expect(Event.all(in: folder("events")).contains { $0.track == page })
    let found = try output(ofClient: ["grep", "-rl", "secret", folder("home"), folder("events")], environment)
    #expect(found == "")
  }

  @Test func `say why there is no sound`() throws {
    let script = try script("echo 'WARNING: old' >&2; echo 'ERROR: no such video' >&2; exit 1")
    let played = try play("set resolver='127.0.0.1 \(script)'\n", "http://127.0.0.1:1/watch")
    #expect(played.contains("script: ERROR: no such video") && played.hasSuffix("status 2\n"), "\(played)")
  }
}
