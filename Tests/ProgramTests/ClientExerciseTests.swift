import AudioModel
import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Random commands of ten clients, of MPD and of the control socket, against a model of the player.
///
/// `SEGUE_CLIENT_COMMANDS` is the number of commands (600 by default), `SEGUE_CLIENT_SEED` repeats a run.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Ten clients` {
  private let folder: TemporaryFolder
  private let player: ChildProcess
  private static let songs = (0..<6).map { "Album/\($0).mp3" }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "music", "music/Album"] { mkdir(folder(name), 0o700) }
    for (number, song) in Self.songs.enumerated() {
      // Longer than the commands between two that change the track.
      try write(madeMP3(sound: number, [("TIT2", "Song \(number)")], frames: 4000), to: folder("music/\(song)"))
    }
    let environment: [String: String?] = [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "LC_ALL": "C.UTF-8",
    ]
    _ = try ChildProcess.output(of: [Program.path, "library", "add", folder("music")], environment: environment)
    player = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", "--repeat", "all", folder("music/Album")], environment: environment,
      errors: folder("errors"))
    #expect(try waitUntilPlaying(environment))
  }

  private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

  @Test func `random commands leave the state of the model, and nothing grows`() throws {
    let seed = Self.number("SEGUE_CLIENT_SEED") ?? UInt64.random(in: 0...999_999)
    let count = Int(clamping: Self.number("SEGUE_CLIENT_COMMANDS") ?? 600)
    print("ten clients: seed \(seed), \(count) commands")
    var random = SeededGenerator(seed: seed)
    var model = ClientModel(songs: Self.songs, music: folder("music"))
    var clients = try (0..<10).map { try connect($0) }
    var (resources, limit): ((descriptors: Int, kilobytes: Int)?, Int) = (nil, 0)
    for step in 0..<count {
      let index = Int.random(in: 0..<clients.count, using: &random)
      if Int.random(in: 0..<40, using: &random) == 0 { clients[index] = try connect(index) }
      let client = clients[index]
      let act = client.isMPD ? model.mpdAct(&random) : model.controlAct(&random)
      let answer = client.ask(act.line)
      let hasObeyed = answer.last.map { $0.hasPrefix("OK") || $0.hasPrefix("ok") } ?? false
      let context: Comment = "seed \(seed), \(step): \(act.line): \(answer)"
      if let isPossible = act.isPossible { try #require(hasObeyed == isPossible, context) }
      try #require(!answer.isEmpty, context)
      if hasObeyed { model = act.model }
      if step % 10 == 0 {
        let shown = try shown(by: clients)
        try #require(shown == model.text, context)
      }
      // The most in the middle third, when the caches are filled. On a busy machine a client may not be connected yet.
      if step % 10 == 0, count / 3..<count * 2 / 3 ~= step {
        let now = used
        resources = (max(resources?.descriptors ?? 0, now.descriptors), max(resources?.kilobytes ?? 0, now.kilobytes))
        limit = step
      }
    }
    let shown = try shown(by: clients)
    try #require(shown == model.text, "seed \(seed)")
    let (first, last) = (try #require(resources), used)
    // Descriptors of clients that have just gone may be open for a turn, and the files of a track or of the library may
    // be opened late. One per thirty commands would be seen, and one per ten thousand in a long run.
    let open = (0..<256).map { canonical("/proc/\(player.id)/fd/\($0)") }.filter { !$0.hasPrefix("/proc") }
    #expect(
      eventually { used.descriptors <= first.descriptors + 6 },
      "seed \(seed): \(first), \(last) after \(limit), \(open)")
    // A page per hundred commands would be seen in a long run. Threads that still work give some back.
    #expect(
      eventually { used.kilobytes <= first.kilobytes + 8192 }, "seed \(seed): \(first), \(last) after \(limit)")
    #expect(String(decoding: contents(of: folder("errors")), as: UTF8.self) == "")
    player.end()
  }

  @Test func `no command of ten concurrent clients is lost`() throws {
    let clients = try (0..<10).map { try connect($0) }
    try #require(clients[0].ask("save all") == ["OK"])
    for client in clients {
      for song in Self.songs {
        client.send("add \(client.isMPD ? song : folder("music/\(song)"))")
        client.send(client.isMPD ? "playlistadd all \(song)" : "playlist add all \(folder("music/\(song)"))")
        client.send("volume \(client.isMPD ? "+1" : "50")")
      }
    }
    for client in clients {
      for _ in 0..<3 * Self.songs.count {
        let answer = client.answer()
        #expect(answer.last.map { $0.lowercased().hasPrefix("ok") } ?? false, "\(answer)")
      }
    }
    for line in ["playlist", "listplaylist all"] {
      let songs = clients[0].ask(line).dropLast()
      #expect(songs.count == 11 * Self.songs.count, "\(line)")
      for song in Self.songs { #expect(songs.count { $0.hasSuffix(song) } == 11, "\(line): \(song)") }
    }
    player.end()
  }

  private func connect(_ index: Int) throws -> LineClient {
    let isMPD = index < 6
    return try #require(LineClient(folder("run/segue/\(isMPD ? "mpd" : "control")"), isMPD: isMPD))
  }

  /// Descriptors and memory of the player.
  private var used: (descriptors: Int, kilobytes: Int) {
    let status = String(decoding: contents(of: "/proc/\(player.id)/status"), as: UTF8.self)
    let memory = status.firstMatch(of: /RssAnon:\s+(\d+)/).flatMap { Int($0.1) } ?? 0
    return ((0..<256).count { access("/proc/\(player.id)/fd/\($0)", F_OK) == 0 }, memory)
  }

  /// The state that a client of MPD reads, in the form of the model.
  private func shown(by clients: [LineClient]) throws -> String {
    let client = clients[0]
    func values(_ line: String, _ key: String) -> [String] {
      client.ask(line).filter { $0.hasPrefix(key + ": ") }.map { String($0.dropFirst(key.count + 2)) }
    }
    let status = client.ask("status")
    let modes = ["volume", "repeat", "random"].map { key in status.first { $0.hasPrefix(key + ":") } ?? "" }
    let queue = client.ask("playlist").dropLast().map { String($0.drop { $0 != " " }.dropFirst()) }
    let lists = values("listplaylists", "playlist").map { "\($0) = \(values("listplaylist \($0)", "file"))" }
    return (modes + ["\(queue)"] + lists.sorted()).joined(separator: "\n")
  }
}

/// A connection on a Unix socket that asks and waits.
private final class LineClient {
  let isMPD: Bool
  private let descriptor: CInt
  private var input: [UInt8] = []

  /// Connects, and reads the greeting.
  init?(_ path: String, isMPD: Bool) {
    self.isMPD = isMPD
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    // A player that does not answer ends the test.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard isConnected, line() != nil else { return nil }
  }

  deinit { close(descriptor) }

  /// The lines of the answer; empty if there is none.
  func ask(_ text: String) -> [String] {
    send(text)
    return answer()
  }

  func send(_ text: String) {
    _ = (text + "\n").withCString { Glibc.send(descriptor, $0, strlen($0), CInt(MSG_NOSIGNAL)) }
  }

  /// The lines of the next answer; empty if there is none.
  func answer() -> [String] {
    var lines: [String] = []
    while let line = line() {
      lines.append(line)
      if !isMPD || line == "OK" || line.hasPrefix("ACK ") { return lines }
    }
    return []
  }

  private func line() -> String? {
    while true {
      if let end = input.firstIndex(of: 0x0a) {
        defer { input.removeSubrange(...end) }
        return String(decoding: input[..<end], as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 1 << 14)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      input += buffer[..<count]
    }
  }
}

/// The parts of the player that clients change: queue, modes, stored playlists.
private struct ClientModel {
  /// A command, and the state after it.
  struct Act {
    var line: String
    /// False if the player must refuse; `nil` if that depends on what plays.
    var isPossible: Bool?
    var model: ClientModel
  }

  private let songs: [String]
  private let music: String
  private var queue: [String]
  private var volume = 100
  private var (repeats, isRandom) = (true, false)
  private var lists: [String: [String]] = [:]

  init(songs: [String], music: String) { (self.songs, self.music, queue) = (songs, music, songs) }

  var text: String {
    let modes = ["volume: \(volume)", "repeat: \(repeats ? 1 : 0)", "random: \(isRandom ? 1 : 0)"]
    return (modes + ["\(queue)"] + lists.map { "\($0) = \($1)" }.sorted()).joined(separator: "\n")
  }

  private static let names = ["a", "b", "c", "d"]
  private static let queueLimit = 60

  /// A row, now and then one behind the end.
  private func row(_ count: Int, _ random: inout SeededGenerator) -> Int { Int.random(in: 0...count, using: &random) }

  private func act(_ line: String, if isPossible: Bool? = true, _ change: (inout ClientModel) -> Void = { _ in }) -> Act
  {
    var model = self
    if isPossible == true { change(&model) }
    return Act(line: line, isPossible: isPossible, model: model)
  }

  // MARK: MPD

  func mpdAct(_ random: inout SeededGenerator) -> Act {
    let song = songs[Int.random(in: 0..<songs.count, using: &random)]
    let count = queue.count
    let (first, second) = (row(count, &random), row(count, &random))
    if count > Self.queueLimit { return act("clear") { $0.queue = [] } }
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return act("add \(song)") { $0.queue.append(song) }
    case 1: return act("addid \(song) \(first)") { $0.queue.insert(song, at: first) }
    case 2: return act("delete \(first)", if: first < count) { $0.queue.remove(at: first) }
    case 3:
      let end = min(count, first + 3)
      return act("delete \(first):\(end)") { $0.queue.removeSubrange(first..<end) }
    case 4:
      return act("move \(first) \(second)", if: first < count && second < count) {
        $0.queue.insert($0.queue.remove(at: first), at: second)
      }
    case 5:
      return act("swap \(first) \(second)", if: first < count && second < count) { $0.queue.swapAt(first, second) }
    case 6: return act("setvol \(first)") { $0.volume = first }
    case 7: return act("repeat \(first % 2)") { $0.repeats = first % 2 == 1 }
    case 8: return act("random \(first % 2)") { $0.isRandom = first % 2 == 1 }
    case 9: return act(["play", "pause 1", "pause 0", "next", "previous", "stop", "seekcur 5"][first % 7], if: nil)
    case 10: return act(["nonsense \(song)", "delete x", "status 1", "subscribe a/b"][first % 4], if: false)
    case 11:
      return act("command_list_begin\nadd \(song)\nsetvol 7\ncommand_list_end") {
        $0.queue.append(song)
        $0.volume = 7
      }
    // Answered at once if something has changed.
    case 12: return act("idle\nnoidle")
    default: return listAct(song, &random)
    }
  }

  /// A command about stored playlists.
  private func listAct(_ song: String, _ random: inout SeededGenerator) -> Act {
    let names = Self.names.shuffled(using: &random)
    let name = names[0]
    guard let list = lists[name] else {
      if Bool.random(using: &random) { return act("save \(name)") { $0.lists[name] = $0.queue } }
      if Bool.random(using: &random) { return act("playlistadd \(name) \(song)") { $0.lists[name] = [song] } }
      return act(
        "\(["load", "rm", "playlistclear", "listplaylistinfo"].randomElement(using: &random) ?? "") \(name)", if: false)
    }
    let (first, second) = (row(list.count, &random), row(list.count, &random))
    if list.count > Self.queueLimit { return act("rm \(name)") { $0.lists[name] = nil } }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return act("load \(name)") { $0.queue += list }
    case 1: return act("rm \(name)") { $0.lists[name] = nil }
    case 2: return act("playlistclear \(name)") { $0.lists[name] = [] }
    case 3: return act("playlistadd \(name) \(song)") { $0.lists[name]?.append(song) }
    case 4: return act("playlistadd \(name) \(song) \(first)") { $0.lists[name]?.insert(song, at: first) }
    case 5:
      return act("playlistdelete \(name) \(first)", if: first < list.count) { _ = $0.lists[name]?.remove(at: first) }
    case 6:
      return act("playlistmove \(name) \(first) \(second)", if: first < list.count && second < list.count) {
        var moved = list
        moved.insert(moved.remove(at: first), at: second)
        $0.lists[name] = moved
      }
    case 7:
      return act("rename \(name) \(names[1])", if: lists[names[1]] == nil) {
        $0.lists[names[1]] = list
        $0.lists[name] = nil
      }
    case 8: return act("save \(name) replace") { $0.lists[name] = $0.queue }
    default: return act("save \(name)", if: false)
    }
  }

  // MARK: The control socket

  func controlAct(_ random: inout SeededGenerator) -> Act {
    let song = songs[Int.random(in: 0..<songs.count, using: &random)]
    let count = queue.count
    let (first, second) = (row(count, &random), row(count, &random))
    if count > Self.queueLimit { return act("clear") { $0.queue = [] } }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return act("add '\(music)/\(song)'") { $0.queue.append(song) }
    case 1: return act("remove \(first + 1)", if: first < count) { $0.queue.remove(at: first) }
    case 2:
      return act("move \(first + 1) \(second + 1)", if: first < count && second < count) {
        $0.queue.insert($0.queue.remove(at: first), at: second)
      }
    case 3: return act("volume \(first)") { $0.volume = first }
    case 4: return act("repeat \(first % 2 == 1 ? "all" : "off")") { $0.repeats = first % 2 == 1 }
    case 5: return act("shuffle \(first % 2 == 1 ? "on" : "off")") { $0.isRandom = first % 2 == 1 }
    case 6: return act(["pause", "resume", "next", "stop", "seek 5"][first % 5], if: nil)
    case 7: return act("nonsense", if: false)
    default:
      let name = Self.names.randomElement(using: &random) ?? ""
      return act("playlist add \(name) '\(music)/\(song)'") { $0.lists[name, default: []].append(song) }
    }
  }
}
