import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The stream that the player serves, as curl, ffmpeg and another player hear it. The player is in its sandbox.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn)
struct `The stream` {
  private static let track = "e2-44100-v2.mp3"
  private let folder: TemporaryFolder
  private let port = KeptPort()
  private var address: String { "http://127.0.0.1:\(port.number)/" }
  private var environment: [String: String?] {
    [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "LC_ALL": "C.UTF-8", "http_proxy": nil,
    ]
  }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "home"] { mkdir(folder(name), 0o700) }
  }

  private func play(_ settings: String, _ options: String...) throws -> ChildProcess {
    try write(Array(settings.utf8), to: folder("home/config"))
    return try ChildProcess(
      [
        "sh", "-c", "exec \"$@\" > \"$0\"", folder("output"), Program.path, "--no-ui", "--output", "null", "--repeat",
        "all",
      ] + options + [fixture(Self.track)], environment: environment, errors: folder("errors"))
  }

  /// A player that serves at the port.
  private func serve(_ settings: String = "") throws -> ChildProcess {
    let player = try play("set stream=\(port.number)\n" + settings)
    try #require(eventually { output.contains("Serving what plays at \(address)") }, "\(output) \(errors)")
    return player
  }

  private var output: String { String(decoding: contents(of: folder("output")), as: UTF8.self) }
  private var errors: String { String(decoding: contents(of: folder("errors")), as: UTF8.self) }

  /// Starts to receive the stream into a file.
  private func receive(_ name: String, _ options: String...) throws -> ChildProcess {
    try ChildProcess(["curl", "-sN", "-o", folder(name)] + options + [address], environment: environment)
  }

  private func waitFor(_ name: String, byteCount: Int) -> Bool {
    eventually { contents(of: folder(name)).count >= byteCount }
  }

  private func curl(_ arguments: String...) throws -> String {
    try ChildProcess.output(
      of: ["sh", "-c", "exec curl -s -m 60 \"$@\" 2>&1", "curl"] + arguments, environment: environment)
  }

  /// The stream in the player's status; `nil` if there is none.
  private var listenerCount: Int? {
    get throws {
      let text = try ChildProcess.output(of: [Program.path, "ctl", "status", "--json"], environment: environment)
      guard let start = text.firstRange(of: "\"stream\":{") else { return nil }
      #expect(text[start.upperBound...].contains("\"address\":\"\(address)\""), "\(text)")
      return text[start.upperBound...].firstRange(of: "\"listeners\":").flatMap { range in
        Int(text[range.upperBound...].prefix { $0.isNumber })
      }
    }
  }

  /// The stereo samples of a received file, from the first that is not silent.
  private func sound(of name: String) throws -> [Frame] {
    let decoder = try ChildProcess(
      ["ffmpeg", "-v", "error", "-i", folder(name), "-ar", "44100", "-ac", "2", "-f", "s16le", "-"], output: .collected)
    var bytes: [UInt8] = []
    while case let more = decoder.read(), !more.isEmpty { bytes += more }
    _ = decoder.wait()
    return Array(bytes.withUnsafeBytes { $0.bindMemory(to: Frame.self).drop { $0 == 0 } })
  }

  /// Fails if the frames are not a part of the track, which is repeated without a gap.
  /// Returns the place in the track.
  @discardableResult
  private func expectPart(_ found: [Frame], atLeast frameCount: Int, ignoring ignored: Int = 0) throws -> Int {
    let track = try Program.decode(fixture(Self.track))
    let found = found.dropFirst(ignored)
    try #require(found.count >= frameCount, "\(found.count) frames")
    let start = Array(found.prefix(500))
    let doubled = track + track
    let place = try #require(
      doubled.indices.dropLast(500).first { doubled[$0] == start[0] && doubled[$0..<$0 + 500].elementsEqual(start) })
    let differing = found.enumerated().first { $0.element != track[(place + $0.offset) % track.count] }
    #expect(differing == nil, "frame \(differing?.offset ?? 0) of \(found.count)")
    return place
  }

  // MARK: Sound

  @Test func `FLAC is what is heard, bit for bit, for two listeners, one of whom is late`() throws {
    let player = try serve("set stream-format=flac\nset volume=30\n")
    let first = try receive("first")
    try #require(waitFor("first", byteCount: 300_000))
    let second = try receive("second", "-H", "Icy-MetaData: 0")
    try #require(waitFor("second", byteCount: 1))
    try write(contents(of: folder("first")), to: folder("before"))
    try #require(waitFor("second", byteCount: 600_000))
    #expect(try listenerCount == 2)
    first.end()
    second.end()
    #expect(try eventually(milliseconds: 200) { try listenerCount == 0 })
    let start = try expectPart(try sound(of: "first"), atLeast: 100_000)
    let late = try expectPart(try sound(of: "second"), atLeast: 100_000)
    let lead = start + (try sound(of: "before").count) - late
    #expect(lead > 44_100, "it gets the last seconds at once, not \(lead) frames")
    player.end()
  }

  @Test(arguments: ["opus", "mp3"]) func `other players can play it`(format: String) throws {
    let player = try serve("set stream-format=\(format)\nset stream-bitrate=96\n")
    let listener = try receive("received")
    try #require(waitFor("received", byteCount: 80_000))
    listener.end()
    let byteCount = contents(of: folder("received")).count
    let frames = try sound(of: "received")
    // Some of it may be the silence before.
    #expect(frames.count > 44_100 && frames.count < byteCount * 8 / 96_000 * 44_100 + 60_000, "\(frames.count)")
    let types = ["opus": "audio/ogg", "mp3": "audio/mpeg"]
    #expect(try curl("-I", address).contains("Content-Type: \(types[format] ?? "")\r\n"))
    player.end()
  }

  @Test func `segue plays it, with its title`() throws {
    let player = try serve("set stream-format=flac\n")
    mkdir(folder("other"), 0o700)
    var other = environment
    other["XDG_RUNTIME_DIR"] = folder("other")
    other["SEGUE_HOME"] = folder("other")
    let listener = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", "--events", folder("events"), address], environment: other)
    let events = { String(decoding: contents(of: folder("events")), as: UTF8.self) }
    let isHeard = eventually { events().contains("\"playing\"") }
    #expect(isHeard, "\(events())")
    // The server's title: that of the tags, or the file's name.
    #expect(eventually { events().contains("\"\(Self.track)\"") }, "\(events())")
    listener.end()
    player.end()
  }

  @Test func `a paused player serves silence, and who listens stays`() throws {
    let player = try serve("set stream-format=mp3\n")
    let listener = try receive("received")
    try #require(waitFor("received", byteCount: 60_000))
    _ = try ChildProcess.output(of: [Program.path, "ctl", "pause"], environment: environment)
    let count = contents(of: folder("received")).count
    try #require(waitFor("received", byteCount: count + 60_000))
    // Music that a busy machine has not encoded, sent or received yet still comes.
    let isSilent = try eventually(milliseconds: 500) {
      let frames = try sound(of: "received")
      return frames.count > 88_200 && frames.suffix(44_100).allSatisfy { $0 == 0 }
    }
    #expect(isSilent)
    listener.end()
    player.end()
  }

  // MARK: Clients

  @Test func `a password keeps others out, and is not shown`() throws {
    let player = try play("set stream=0.0.0.0:\(port.number)\nset stream-password='open sesame'\n")
    try #require(eventually { output.contains("Serving what plays at") }, "\(output)")
    #expect(try curl("-I", address).hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
    #expect(try curl("-I", "-u", "me:wrong", address).hasPrefix("HTTP/1.1 401 "))
    #expect(try curl("-I", "-u", "me:open sesame", address).hasPrefix("HTTP/1.1 200 "))
    let shown = try ChildProcess.output(
      of: ["sh", "-c", "\"$0\" ctl set stream-password 2>&1 || true", Program.path], environment: environment)
    #expect(shown.contains("stream-password") && !shown.contains("sesame"), "\(shown)")
    player.end()
    #expect(!output.contains("sesame") && !errors.contains("sesame"))
  }

  @Test func `the stream keeps its password when config loses it`() throws {
    let open = "set stream=0.0.0.0:\(port.number)\n"
    try write(Array((open + "set stream-password=sesame\n").utf8), to: folder("home/config"))
    let tmux = try Tmux(
      "exec env XDG_RUNTIME_DIR='\(folder("run"))' SEGUE_HOME='\(folder("home"))' '\(Program.path)' --output null "
        + "--events \(folder("events")) --repeat all \(fixture(Self.track))")
    #expect(try eventually(milliseconds: 50) { try curl("-I", address).hasPrefix("HTTP/1.1 401 ") }, "\(tmux.screen)")
    try write(Array(open.utf8), to: folder("home/config"))
    let isRead = eventually { Event.all(in: folder("events")).contains { $0.message == "settings reloaded" } }
    #expect(isRead, "\(tmux.screen)")
    #expect(try curl("-I", address).hasPrefix("HTTP/1.1 401 "))
    #expect(try curl("-I", "-u", "me:sesame", address).hasPrefix("HTTP/1.1 200 "))
    tmux.send(":quit without-saving\r")
  }

  @Test func `an address that is open to others needs a password`() throws {
    let player = try play("set stream=0.0.0.0:\(port.number)\n")
    #expect(eventually { output.contains("stream is off: 0.0.0.0:\(port.number) is open to others and needs") })
    #expect(try curl("-v", address).contains("refused"))
    player.end()
  }

  @Test func `other methods and other paths get an error`() throws {
    let player = try serve()
    #expect(try curl("-i", "-X", "POST", "-d", "x=1", address).hasPrefix("HTTP/1.1 405 "))
    #expect(try curl("-i", address + "favicon.ico").hasPrefix("HTTP/1.1 404 "))
    player.end()
  }

  @Test func `hundreds of silent clients, and one that never reads, keep nobody out`() throws {
    let player = try serve("set stream-format=flac\n")
    let program = """
      import socket, sys
      port = int(sys.argv[1])
      def client(): return socket.create_connection(('127.0.0.1', port))
      deaf = client(); deaf.sendall(b'GET / HTTP/1.1\\r\\n\\r\\n')
      silent = [client() for _ in range(200)]
      junk = client(); junk.sendall(bytes(range(256)) * 100)
      s = client(); s.settimeout(60); s.sendall(b'GET / HTTP/1.1\\r\\nIcy-MetaData: 1\\r\\n\\r\\n')
      count = 0
      while count < 800000:
          more = s.recv(65536)
          assert more
          count += len(more)
      print('OK')
      """
    let result = try ChildProcess.output(of: [
      "sh", "-c", "exec python3 -c \"$1\" $2 2>&1", "", program, "\(port.number)",
    ])
    #expect(result == "OK\n")
    player.end()
  }

  @Test func `without listeners its thread sleeps while the player plays`() throws {
    let player = try serve()
    let listener = try receive("received")
    try #require(waitFor("received", byteCount: 10_000))
    // The thread has named itself before it served anything.
    let tasks = "/proc/\(player.id)/task"
    let names = try ChildProcess.output(of: ["sh", "-c", "grep -l '^stream$' \(tasks)/*/comm"])
    let task = String(names.dropLast("comm\n".count))
    try #require(task.hasPrefix(tasks))
    func switches() -> String {
      String(decoding: contents(of: task + "status"), as: UTF8.self).split(separator: "\n")
        .filter { $0.contains("ctxt_switches") }.joined()
    }
    listener.end()
    #expect(try eventually(milliseconds: 200) { try listenerCount == 0 })
    // Once it has noticed that.
    var before = ""
    let isAsleep = eventually(milliseconds: 2000) {
      let now = switches()
      defer { before = now }
      return now == before && !now.isEmpty
    }
    #expect(isAsleep, "\(before)")
    player.end()
  }

  @Test func `it can be switched on, changed and off while the player plays`() throws {
    let player = try serve()
    func set(_ value: String) throws {
      _ = try ChildProcess.output(of: [Program.path, "ctl", "set", value], environment: environment)
    }
    try set("stream=off")
    #expect(try curl("-v", "-I", address).contains("refused"))
    #expect(try listenerCount == nil)
    try set("stream-format=mp3")
    try set("stream=\(port.number)")
    #expect(try curl("-I", address).contains("audio/mpeg"))
    // An impossible address is refused, and the stream goes on.
    let listener = try receive("received")
    #expect(waitFor("received", byteCount: 10_000))
    for value in ["0.0.0.0:\(port.number)", "192.0.2.1:\(port.number)"] {
      let refused = try ChildProcess(
        [Program.path, "ctl", "set", "stream=\(value)"], environment: environment, errors: folder("refusal"))
      #expect(refused.wait() == 1, "\(value)")
      let refusal = String(decoding: contents(of: folder("refusal")), as: UTF8.self)
      #expect(refusal.contains("the stream stays as it was: \(value) is open to others and needs"), "\(refusal)")
    }
    #expect(try listenerCount == 1)
    let count = contents(of: folder("received")).count
    #expect(waitFor("received", byteCount: count + 10_000))
    listener.end()
    player.end()
  }
}
