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
    try run(arguments: arguments, password: password)
  }

  private func run(arguments: [String], password: String = "") throws -> String {
    let script = "printf '%s\\n' \"$0\" | \"$@\" 2>&1; echo \"status $?\""
    return try output(ofClient: ["sh", "-c", script, password, Program.path] + arguments, environment)
  }

  /// The same with another library, as on another computer.
  private func elsewhere(_ arguments: String..., password: String = "") throws -> String {
    let script = "SEGUE_HOME=\(folder("other")); export SEGUE_HOME; printf '%s\\n' \"$0\" | \"$@\" 2>&1"
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
    let server = try serveTwoTracks()
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
    #expect(played.contains("Aria") && played.contains("Canon") && played.contains("status 0"), "\(played)")
    // As text, in an address, and in hexadecimal.
    let secrets = [Supysonic.password, "se%20cr%C3%A9t", "736520637"]
    #expect(try files(with: secrets) == "" && files(with: ["segue://127.0.0.1/"]) != "")
    server.end()
    let away = try run("library", "scan")
    #expect(away.contains("2 away") && away.contains("segue://127.0.0.1: away: "), "\(away)")
    #expect(try run("library", "search", "aria").contains("Bach - Aria  (Goldberg)  [127.0.0.1, away]"))
    #expect(try run("library", "forget", server.address).contains("2 tracks"))
    #expect(try run("library", "search", "aria") == "status 0\n")
    #expect(try run("library", "undo").contains("undone: forget segue://127.0.0.1"))
  }

  @Test(.enabled(if: Supysonic.isInstalled, "no supysonic"))
  func `ratings and love go to supysonic and come from it, and it is told of plays`() throws {
    try #require(mkdir(folder("other"), 0o700) == 0)
    let server = try serveTwoTracks()
    for added in [
      try run("library", "add", server.address, "--user", "me", password: Supysonic.password),
      try elsewhere("library", "add", server.address, "--user", "me", password: Supysonic.password),
    ] {
      #expect(added.contains("2 files found: 2 read"), "\(added)")
    }
    #expect(try run("library", "rate", "aria", "7") == "1 track\nstatus 0\n")
    #expect(try run("library", "love", "canon") == "1 track\nstatus 0\n")
    _ = try elsewhere("library", "scan")
    let found = try elsewhere("library", "search", "--json", "sort:title")
    let lines = found.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains("\"rating\":8,\"loved\":false"), "\(found)")
    #expect(lines.last?.contains("\"rating\":null,\"loved\":true") == true, "\(found)")
    // Both ways.
    _ = try elsewhere("library", "rate", "aria", "2")
    _ = try elsewhere("library", "love", "--off", "canon")
    _ = try run("library", "scan")
    #expect(try run("library", "search", "--json", "rating:2").contains("Aria"))
    #expect(try run("library", "search", "loved:yes") == "status 0\n")
    #expect(try run("library", "undo").contains("undone: take ratings from segue://127.0.0.1: 2 tracks"))
    #expect(try run("library", "search", "--json", "rating:7").contains("Aria"))
    _ = try elsewhere("library", "scan")
    #expect(try elsewhere("library", "search", "--json", "rating:8").contains("Aria"))

    _ = try run("--no-ui", "--output", "null", "--query", "aria")
    // A busy server may take some of it from the next player only.
    _ = try run("--no-ui", "--output", "null", folder("music/one/1.mp3"))
    let words = ["scrobble.view", "submission=false", "submission=true"]
    #expect(eventually { words.allSatisfy(server.log.contains) }, "\(server.log)")
  }

  @Test(.enabled(if: Supysonic.isInstalled, "no supysonic"))
  func `a track on the disk and on supysonic is one, and what is pinned plays without it`() throws {
    let server = try serveTwoTracks()
    _ = try run("library", "add", server.address, "--user", "me", password: Supysonic.password)
    _ = try run("library", "add", folder("music"))
    #expect(try run("library", "search", "--paths", "bach sort:track").contains("/music/one/0.mp3\n"))
    #expect(try run("library", "stats").contains("tracks: 2\nalbums: 1\n"))
    #expect(try run("library", "rate", "aria", "9") == "1 track\nstatus 0\n")
    #expect(try run("library", "pin", "bach").contains("no track of a server"), "they are here")
    // The disk is away.
    try #require(rename(folder("music/one"), folder("one")) == 0)
    _ = try run("library", "scan", folder("music"))
    let found = try run("library", "search", "--json", "rating:9")
    #expect(found.contains("\"server\":\"127.0.0.1\"") && found.contains("\"state\":\"here\""), "\(found)")
    try #require(rename(folder("one"), folder("music/one")) == 0)
    let pinned = try run("library", "pin", "bach")
    #expect(pinned.contains("2 tracks pinned\n2 tracks fetched (2 pinned, 1 of 10000 MB)\nstatus 0"), "\(pinned)")
    let listed = try run("library", "pin", "--limit", "20G")
    #expect(listed.contains("0 tracks fetched (2 pinned, 1 of 20000 MB)"), "\(listed)")
    #expect(listed.contains(": 2 tracks, 1 MB\n") && listed.contains(" MB free on the disk\n"), "\(listed)")
    server.end()
    #expect(try run("library", "forget", folder("music")).contains("status 0"))
    #expect(try run("library", "scan").contains("away"))
    #expect(try run("library", "search", "aria") == "Bach - Aria  (Goldberg)  [127.0.0.1]\nstatus 0\n")
    let played = try run("--no-cache", "--no-ui", "--output", "null", "--query", "artist:bach sort:title")
    #expect(played.contains("Aria") && played.contains("Canon") && played.contains("status 0"), "\(played)")
    let track = try #require(
      try run("library", "search", "--paths", "aria").split(separator: "\n").first.map(String.init))
    let bytes = try ChildProcess.bytes(
      of: [Program.path, "decode", "--raw", "-o", "-", track], environment: environment)
    #expect(try !bytes.isEmpty && bytes == Program.decodedBytes(folder("music/one/0.mp3")), "the same sound")
    #expect(try run("library", "list", "folders").contains("(2 pinned, 1 of 20000 MB)"))
    #expect(try run("library", "pin", "--off", "aria").contains("1 track not pinned any more"))
    #expect(try run("library", "search", "bach sort:title").contains("[127.0.0.1, away]\nBach - Canon"))
    #expect(try run("library", "undo").contains("undone: unpin segue://127.0.0.1/"))
  }

  @Test(.enabled(if: Supysonic.isInstalled, "no supysonic"))
  func `playlists go to supysonic and come from it`() throws {
    try #require(mkdir(folder("other"), 0o700) == 0)
    let server = try serveTwoTracks()
    func ask(_ method: String) throws -> String {
      let login = "u=me&p=enc:7365206372c3a974&v=1.9.0&c=t&f=json"
      return try output(ofClient: ["curl", "-s", "\(server.address)/rest/\(method)\(login)"], environment)
    }
    _ = try run("library", "add", server.address, "--user", "me", password: Supysonic.password)
    _ = try elsewhere("library", "add", server.address, "--user", "me", password: Supysonic.password)
    let paths = try run("library", "search", "--paths", "aria")
    let id = try #require(paths.split(separator: "\n").first?.split(separator: "/").last)
    _ = try ask("createPlaylist.view?name=Evening&songId=\(id)&")
    _ = try run("library", "scan")
    #expect(try run("library", "playlists").contains("Evening: 1 track  [127.0.0.1]\n"))
    #expect(try run("library", "playlists", "add", "Evening", "canon").contains("1 track added"))
    let listed = try ask("getPlaylists.view?")
    #expect(listed.contains(/"songCount": ?2/), "\(listed)")
    _ = try elsewhere("library", "scan")
    let shown = try elsewhere("library", "playlists", "show", "Evening")
    #expect(shown.split(separator: "\n").count == 2 && shown.contains("Aria") && shown.contains("Canon"), "\(shown)")
    // Both ways.
    _ = try elsewhere("library", "playlists", "rename", "Evening", "Night")
    _ = try elsewhere("library", "playlists", "remove", "Night", "1")
    _ = try run("library", "scan")
    #expect(try run("library", "playlists").contains("Night: 1 track  [127.0.0.1]\n"))
    #expect(try run("library", "playlists", "delete", "Night").contains("deleted"))
    #expect(try !ask("getPlaylists.view?").contains("Night"))
    _ = try elsewhere("library", "scan")
    #expect(try !elsewhere("library", "playlists").contains("Night"))
    #expect(try run("library", "undo").contains("undone: delete playlist Night"))
    let again = try ask("getPlaylists.view?")
    #expect(again.contains("Night") && again.contains(/"songCount": ?1/), "\(again)")
    // One that was made here.
    _ = try run("library", "playlists", "create", "Mine", "aria")
    let sent = try run("library", "playlists", "send", "Mine")
    #expect(sent == "playlist Mine goes to 127.0.0.1\nstatus 0\n", "\(sent)")
    #expect(try ask("getPlaylists.view?").contains("Mine"))
    #expect(try run("library", "undo").contains("undone: send playlist Mine to 127.0.0.1"))
    #expect(try !ask("getPlaylists.view?").contains("Mine"))
  }

  /// A server with an album of two tracks in the folder "music/one".
  private func serveTwoTracks() throws -> Supysonic {
    for name in ["music", "music/one", "home"] { try #require(mkdir(folder(name), 0o700) == 0) }
    for (index, title) in ["Aria", "Canon"].enumerated() {
      let tags = [("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "\(index + 1)")]
      try write(madeMP3(sound: index, tags, frames: 77), to: folder("music/one/\(index).mp3"))
    }
    return try Supysonic(serving: folder("music"))
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
    let busy = try ScriptedServer { _, connection in
      connection.sendHead("503 Service Unavailable", ["Retry-After: 61", "Content-Length: 0"])
    }
    for (address, words) in [
      (refusing.address, "wrong user name or password"), (page.address, "web page"),
      (busy.address, "the server is busy (503)"),
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

  @Test func `plays and ratings that a server did not get are sent later, each once`() throws {
    let told = Requests()
    told.isRefused.withLock { $0 = true }
    let sounds = (1...2).map { madeMP3(sound: $0, [("TIT2", "Song \($0)")], frames: 77) }
    let server = try ScriptedServer { request, connection in
      let path = request.path
      if path.contains("/stream.view") {
        return connection.serve(sounds[path.contains("&id=1&") ? 0 : 1], request)
      }
      if ["scrobble", "setRating", "star"].contains(where: { path.contains("/\($0).view") }) {
        if told.isRefused.withLock({ $0 }) { return connection.reset() }
        told.add(path)
      }
      let (type, text) = Self.album(path)
      connection.sendHead("200 OK", ["Content-Type: \(type)", "Content-Length: \(text.utf8.count)"])
      connection.send(text)
    }
    #expect(try run("library", "add", server.address, "--user", "me", password: "sesame").contains("2 read"))
    let rated = try run("library", "rate", "song", "8")
    #expect(rated.contains("2 tracks") && rated.contains("gets ratings later"), "\(rated)")
    let play = ["--no-ui", "--output", "null", "--query", "song"]
    #expect(try run(arguments: play).contains("Song 2"))
    #expect(told.all == [])
    told.isRefused.withLock { $0 = false }
    for _ in 0..<2 {
      #expect(try run(arguments: play).contains("Song 2"))
      _ = try run("library", "scan")
    }
    // A busy server may take some of it from the next player only.
    try write(sounds[0], to: folder("local.mp3"))
    _ = try run("--no-ui", "--output", "null", folder("local.mp3"))
    func submissions() -> [String] { told.all.filter { $0.contains("submission=true") } }
    #expect(eventually { submissions().count >= 6 })
    let plays = submissions().map { path in
      path.split(separator: "&").filter { $0.hasPrefix("id=") || $0.hasPrefix("time=") }.joined(separator: " ")
    }
    #expect(plays.count == 6 && Set(plays).count == 6, "\(plays)")
    #expect(plays.allSatisfy { $0.wholeMatch(of: /id=[12] time=\d{10}000/) != nil }, "\(plays)")
    let ratings = told.all.filter { $0.contains("setRating") }.map { String($0.split(separator: "&id=").last ?? "") }
    #expect(ratings.sorted() == ["1&rating=4", "2&rating=4"], "\(ratings)")
  }

  @Test(.enabled(if: hasFixtures, "no fixtures: make fixtures"))
  func `a wire that is cut in the middle of a track, and comes back, costs no sample`() throws {
    let streams = Requests()
    let file = fixture("e2-44100-cbr160.mp3")
    let sound = contents(of: file)
    let server = try ScriptedServer { request, connection in
      guard request.path.contains("/stream.view") else {
        let (type, text) = Self.album(request.path)
        connection.sendHead("200 OK", ["Content-Type: \(type)", "Content-Length: \(text.utf8.count)"])
        connection.send(text)
        return
      }
      streams.add(request.path)
      switch streams.all.count {
      case 1: connection.serve(sound, request, limit: sound.count / 2)
      case 2: connection.reset()
      default: connection.serve(sound, request)
      }
    }
    #expect(try run("library", "add", server.address, "--user", "me", password: "sesame").contains("2 read"))
    let played = try run(
      "--no-ui", "--no-cache", "--output", "wav:\(folder("out.wav"))", "segue://127.0.0.1/1")
    #expect(played.contains("status 0"), "\(played)")
    #expect(streams.all.count > 2)
    let expected = try Program.decodedBytes(file)
    let isSame = contents(of: folder("out.wav")).suffix(expected.count).elementsEqual(expected)
    #expect(isSame && expected.count > 1_000_000)
  }

  @Test func `a server gets the queue`() throws {
    let queues = Requests()
    let sound = madeMP3(sound: 1, [("TIT2", "Song")], frames: 77)
    let server = try ScriptedServer { request, connection in
      if request.path.contains("/stream.view") { return connection.serve(sound, request) }
      if request.path.contains("/savePlayQueue.view") { queues.add(request.path) }
      let (type, text) = Self.album(request.path)
      connection.sendHead("200 OK", ["Content-Type: \(type)", "Content-Length: \(text.utf8.count)"])
      connection.send(text)
    }
    #expect(try run("library", "add", server.address, "--user", "me", password: "sesame").contains("2 read"))
    #expect(try run("--no-ui", "--output", "null", "--query", "song").contains("status 0"))
    // The server may take it after the end of the player.
    #expect(
      eventually { queues.all.first?.contains(/&id=[12]&id=[12]&current=[12]&position=\d+$/) == true },
      "\(queues.all)")
  }

  @Test func `a server is added by a key`() throws {
    let requests = Requests()
    let server = try scripted(requests.add) { path in
      path.contains("/tokenInfo.view") ? Self.json(",\"tokenInfo\":{\"username\":\"me\"}") : Self.album(path)
    }
    let added = try run("library", "add", server.address, password: "k1")
    #expect(added.contains("made, Subsonic 1.16.1, 2 tracks") && added.contains("2 read"), "\(added)")
    #expect(requests.all.allSatisfy { $0.contains("?apiKey=k1&") && !$0.contains("&u=") })
    #expect(try run("library", "list", "folders").contains("(me at \(server.address))"))
    let old = try scripted { _ in Self.failure(10) }
    let refused = try run("library", "add", old.address, password: "k1")
    #expect(refused.contains("takes no API keys") && !refused.contains("status 0"), "\(refused)")
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
    let isAdded = eventually { terminal.output.contains("2 files found") }
    #expect(isAdded && !terminal.output.contains("sesame"), "\(terminal.output)")
  }
}

/// The paths that were asked for.
private final class Requests: Sendable {
  /// True while the test answers none.
  let isRefused = Mutex(false)
  private let paths = Mutex<[String]>([])

  var all: [String] { paths.withLock { $0 } }

  func add(_ path: String) { paths.withLock { $0.append(path) } }
}
