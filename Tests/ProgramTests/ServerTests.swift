import Glibc
import SoundServerSupport
import Synchronization
import TestTraits
import Testing

/// The real program, in its sandbox, and servers of music.
@Suite(.onThreadsOfTheirOwn) struct `A server as a part of the library` {
  private let folder: TemporaryFolder
  private var environment: [String: String?] { ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder.path] }

  init() throws { folder = try TemporaryFolder() }

  /// Runs the program to its end, with a password on its standard input. Returns all that it wrote, and the status.
  private func run(_ arguments: String..., password: String = "") throws -> String {
    let script = "printf '%s\\n' \"$0\" | \"$@\" 2>&1; echo \"status $?\""
    return try output(ofClient: ["sh", "-c", script, password, Program.path] + arguments, environment)
  }

  /// The files below the program's folders that contain one of these texts, but the file of servers.
  private func files(with secrets: [String]) throws -> String {
    let patterns = secrets.flatMap { ["-e", $0] }
    return try output(
      ofClient: ["grep", "-rlaF", "--exclude=servers"] + patterns + [folder("home"), folder("events")], environment)
  }

  @Test(.enabled(if: Supysonic.isInstalled, "no supysonic"))
  func `supysonic is added, scanned, played and forgotten`() throws {
    for name in ["music", "music/one", "home"] { try #require(mkdir(folder(name), 0o700) == 0) }
    for (index, title) in ["Aria", "Variatio"].enumerated() {
      let tags = [("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "\(index + 1)")]
      try write(madeMP3(sound: index, tags, frames: 77), to: folder("music/one/\(index).mp3"))
    }
    let server = try Supysonic(serving: folder("music"))
    let added = try run("library", "add", server.address, "--user", "me", password: Supysonic.password)
    #expect(added.contains(/segue:\/\/127.0.0.1: a server, Subsonic 1[.0-9]+, 2 tracks/), "\(added)")
    #expect(added.contains("2 files found: 2 read") && added.contains("status 0"), "\(added)")
    var status = stat()
    #expect(stat(folder("home/data/servers"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try run("library", "scan").contains("2 files found: 2 unchanged"))
    #expect(
      try run("library", "list", "folders").contains("segue://127.0.0.1  (me at \(server.address))"))
    let found = try run("library", "search", "--paths", "aria")
    let track = try #require(found.split(separator: "\n").first.map(String.init))
    #expect(track.hasPrefix("segue://127.0.0.1/"), "\(found)")
    let bytes = try ChildProcess.bytes(
      of: [Program.path, "decode", "--raw", "-o", "-", track], environment: environment)
    #expect(try !bytes.isEmpty && bytes == Program.decodedBytes(folder("music/one/0.mp3")), "the same sound")
    let played = try run(
      "--no-ui", "--output", "null", "--events", folder("events"), "--query", "artist:bach sort:title")
    #expect(played.contains("Aria") && played.contains("Variatio") && played.contains("status 0"), "\(played)")
    // As text, in an address, and in hexadecimal.
    let secrets = [Supysonic.password, "se%20cr%C3%A9t", "736520637"]
    #expect(try files(with: secrets) == "" && files(with: ["segue://127.0.0.1/"]) != "")
    server.end()
    let away = try run("library", "scan")
    #expect(away.contains("2 away") && away.contains("segue://127.0.0.1: away: "), "\(away)")
    #expect(try run("library", "search", "aria").contains("Bach - Aria  (Goldberg)  [away]"))
    #expect(try run("library", "forget", server.address).contains("2 tracks"))
    #expect(try run("library", "search", "aria") == "status 0\n")
    #expect(try run("library", "undo").contains("undone: forget segue://127.0.0.1"))
  }

  /// A server that answers as the test says, after a number of refusals.
  private func scripted(
    refusals: Int = 0, _ requests: @escaping @Sendable (String) -> Void = { _ in },
    _ answer: @escaping @Sendable (String) -> (type: String, text: String)
  ) throws -> ScriptedServer {
    try ScriptedServer { request, connection in
      requests(request.path)
      if request.number < refusals {
        connection.sendHead("503 Service Unavailable", ["Retry-After: 0", "Content-Length: 0"])
        return
      }
      let (type, text) = answer(request.path)
      connection.sendHead("200 OK", ["Content-Type: \(type)", "Content-Length: \(text.utf8.count)"])
      connection.send(text)
    }
  }

  private static func json(_ rest: String, status: String = "ok") -> (type: String, text: String) {
    (
      "application/json",
      "{\"subsonic-response\":{\"status\":\"\(status)\",\"version\":\"1.16.1\",\"type\":\"made\"\(rest)}}"
    )
  }

  private static func failure(_ code: Int) -> (type: String, text: String) {
    json(",\"error\":{\"code\":\(code),\"message\":\"no\"}", status: "failed")
  }

  /// The answers of a server with one album of two tracks, which repeats each page for ever.
  private static func album(_ path: String) -> (type: String, text: String) {
    if path.contains("/getAlbumList2.view") {
      return json(",\"albumList2\":{\"album\":[{\"id\":\"a\",\"songCount\":2}]}")
    }
    guard path.contains("/getAlbum.view") else { return path.contains("/stream.view") ? failure(70) : json("") }
    let songs = (1...2).map { "{\"id\":\"\($0)\",\"title\":\"Song \($0)\\u0000\"}" }.joined(separator: ",")
    return json(",\"album\":{\"id\":\"a\",\"name\":\"A\",\"artist\":\"B\",\"song\":[\(songs)]}")
  }

  @Test func `a busy server is asked again, by a token and never by the password`() throws {
    let requests = Requests()
    let server = try scripted(refusals: 2, requests.add) { Self.album($0) }
    let added = try run("library", "add", "\(server.address)/base/", "--user", "me", password: "sesame")
    #expect(added.contains("made, Subsonic 1.16.1, 2 tracks") && added.contains("2 read"), "\(added)")
    let paths = requests.all
    #expect(
      paths.allSatisfy { $0.hasPrefix("/base/rest/") && $0.contains("&t=") && !$0.contains("sesame") }, "\(paths)")
    #expect(!String(decoding: contents(of: folder("home/data/servers")), as: UTF8.self).contains("sesame"))
    // It sends an error in place of sound.
    let played = try run("--no-ui", "--output", "null", "--query", "song")
    #expect(played.contains("a message in place of sound"), "\(played)")
    let token = try #require(paths[0].split(separator: "&").first { $0.hasPrefix("t=") })
    #expect(token.utf8.count == 34 && !played.contains(token.dropFirst(2)))
    #expect(try files(with: [String(token.dropFirst(2))]) == "")
  }

  @Test func `nothing is added if the password is wrong, or missing, or if no server of music answers`() throws {
    let refusing = try scripted { _ in Self.failure(40) }
    let page = try scripted { _ in ("text/html", "<!DOCTYPE html><title>Log in</title>") }
    for (address, words) in [
      (refusing.address, "wrong user name or password"), (page.address, "web page"),
      ("http://127.0.0.1:1", "127.0.0.1"),
    ] {
      let output = try run("library", "add", address, "--user", "me", password: "sesame")
      #expect(output.contains(words) && !output.contains("status 0") && !output.contains("sesame"), "\(output)")
    }
    #expect(try run("library", "add", page.address, "--user", "me").contains("no password was given"))
    #expect(try run("library", "add", page.address).contains("--user NAME"))
    #expect(try run("library", "list", "folders") == "status 0\n")
    #expect(access(folder("home/data/servers"), F_OK) != 0)
  }

  @Test func `the terminal does not show the password`() throws {
    let server = try scripted { Self.album($0) }
    let terminal = try PseudoTerminal()
    let program = try ChildProcess(
      [Program.path, "library", "add", server.address, "--user", "me"], environment: environment,
      output: .terminal(terminal), errors: folder("errors"))
    #expect(eventually { contents(of: folder("errors")).contains(UInt8(ascii: ":")) })
    terminal.send("sesame\r")
    #expect(program.wait() == 0)
    let errors = String(decoding: contents(of: folder("errors")), as: UTF8.self)
    #expect(errors.contains("Password of me at \(server.address): ") && errors.contains("2 tracks"), "\(errors)")
    #expect(!terminal.output.contains("sesame") && terminal.output.contains("2 files found"), "\(terminal.output)")
  }
}

/// The paths that were asked for.
private final class Requests: Sendable {
  private let paths = Mutex<[String]>([])

  var all: [String] { paths.withLock { $0 } }

  func add(_ path: String) { paths.withLock { $0.append(path) } }
}
