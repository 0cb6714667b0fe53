import AudioModel
import ByteIO
import Glibc
import Testing

@testable import Commands
@testable import RemoteProtocols

/// Hostile input for all dialects: no line ends the program, blocks its connection, or gets an answer that is no text of
/// whole lines.
///
/// `SEGUE_REMOTE_LINES` is the number of lines (3000 by default), `SEGUE_CLIENT_SEED` repeats a run.
struct RandomInputTests {
  private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

  private let count = Int(clamping: number("SEGUE_REMOTE_LINES") ?? 3000)
  private let seed = number("SEGUE_CLIENT_SEED") ?? UInt64.random(in: 0...999_999)

  private static let words: [String] =
    MPDCommands.table.keys.sorted() + PlayerVerbs.all.map(\.name) + ControlRequest.words.map(\.name) + [
      "command_list_begin", "command_list_ok_begin", "command_list_end", "idle", "noidle", "close", "player-play",
      "player-prev", "toggle", "set", "add", "-q", "-l", "vol", "+5%", "seek", "format_print", "%a", "passwd", "\"",
      "'",
      "\\", "(", ")", "==", "AND", "!", "1", "0", "-1", "9:", ":", "1:2", "99999999999999999999",
      "-9223372036854775808",
      "1e999", "nan", "0.5", "é", "'x y'", "\"a \\\" b\"", "window", "sort", "group", "artist", "album",
      "(artist == 'x')",
      "file:///%00", "../../etc", "http://", "/", "~", "{", "}", "[", "]", "{\"command\":", "[\"seek\",", "\"+10\"]",
      ",\"request_id\":", "null", "true", "\\u0000", "\\ud800", "#", "song", "rating", "mix", "\u{202e}", "\0",
    ]

  private func line(_ random: inout SeededGenerator) -> [UInt8] {
    if Int.random(in: 0..<8, using: &random) == 0 {
      return (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        .filter { $0 != 0x0a }
    }
    let words = (0..<Int.random(in: 1...7, using: &random)).map { _ in Self.words.randomElement(using: &random) ?? "" }
    return Array(words.joined(separator: Bool.random(using: &random) ? " " : "").utf8.filter { $0 != 0x0a })
  }

  private static let arguments = [
    "0", "1", "2", "0:2", "1:", "-1", "5", "+1", "mix", "a.mp3", "\"\"", "artist", "title", "x", "\"(artist == 'x')\"",
    "group",
    "sort", "window", "song", "get", "set", "find", "rating", "all", "create", "99999999999", "http://a", "\"a b\"",
  ]

  /// A command of MPD with as many arguments as it takes.
  private func command(_ random: inout SeededGenerator) -> [UInt8] {
    let name = MPDCommands.table.keys.sorted().randomElement(using: &random) ?? ""
    let limits = MPDCommands.table[name]?.arguments ?? 0...0
    let count = Int.random(in: limits.lowerBound...min(limits.upperBound, limits.lowerBound + 4), using: &random)
    let words = (0..<count).map { _ in Self.arguments.randomElement(using: &random) ?? "" }
    return Array(([name] + words).joined(separator: " ").utf8)
  }

  /// An answer that fits, or any other one.
  private func answer(to question: Inquiry, _ random: inout SeededGenerator) -> Answer {
    let path = BytePath("/music/a.mp3")
    let item = DiskItem(kind: .song, location: .file(path))
    let answers: [Answer] = [
      .items([]), .items([item, item]), .text("a: b\n"), .lines(["a: b\n"]),
      .playlists([PlaylistName(name: "a\nb", modified: .max)]),
      .playlist([item, item], .library), .playlist([item], .file(path)), .playlist([], .library),
      .locations([.file(path)]),
      .coverPart(CoverPart(mimeType: "a/b", byteCount: 1, bytes: [7])), .file(path), .done, .missing, .exists,
      .failed("a\nb"),
    ]
    let any = answers.randomElement(using: &random) ?? .done
    return switch question {
    case _ where Bool.random(using: &random): any
    case .coverPart: .coverPart(CoverPart(mimeType: "a/b", byteCount: 9, bytes: [7]))
    case .playlist: .playlist([item, item], .library)
    case .listing: .items([item])
    case .songs: [.text("a: b\n"), .lines(["a: b\n"]), .locations([.file(path)])].randomElement(using: &random) ?? any
    default: .done
    }
  }

  private func connections() -> [any RemoteConnection] {
    let places = MPDPlaces(music: BytePath("/music"), playlists: BytePath("/lists"))
    var far = MPDConnection(places: places, start: .zero, access: .network(password: "x"))
    for event in [RemoteEvent.opened, .found(.done), .line(Array("password x".utf8))] {
      _ = far.handle(event, playingSnapshot())
    }
    return [ControlConnection(program: "1", process: 1), CmusConnection(), greetedMPDConnection(), far]
  }

  @Test func `random lines neither crash a connection nor block it`() {
    var random = SeededGenerator(seed: seed)
    var library = playingSnapshot()
    library.library = LibrarySnapshot(music: BytePath("/music"), revision: 1, change: 0)
    let pictures = [playingSnapshot(), PlayerSnapshot(), library]
    var connections = connections()
    for number in 0..<count {
      let (index, picture) = (number % connections.count, pictures[number / 7 % pictures.count])
      let isCommand = index >= 2 && Bool.random(using: &random)
      let line = isCommand ? command(&random) : line(&random)
      var effects = connections[index].handle(.line(line), picture)
      for _ in 0..<200 {
        var event: RemoteEvent?
        for effect in effects {
          switch effect {
          case .send(let bytes):
            let isText = String(validating: bytes, as: UTF8.self) != nil && bytes.last == 0x0a
            #expect(isText, "seed \(seed), \(number): \(String(decoding: line, as: UTF8.self))")
          case .perform: event = .answered(Bool.random(using: &random) ? .done("a\nb") : .refused("a\nb"))
          case .ask(let question): event = .found(answer(to: question, &random))
          case .publish(let text, let channel): event = event ?? .message(text, channel: channel)
          case .giveTags: event = event ?? .resumed
          case .listen(let answer):
            if case .send = answer([]) { break }
            Issue.record("no levels are sent")
          case .close, .stream: connections[index] = self.connections()[index]
          }
        }
        guard let next = event else { break }
        effects = connections[index].handle(next, picture)
      }
      let isBusy = connections[index].isBusy
      #expect(!isBusy, "seed \(seed), \(number): \(String(decoding: line, as: UTF8.self)) has no answer")
      if number % 50 == 0 { _ = connections[index].handle(.changed(PlayerChanges(rawValue: -1)), picture) }
    }
  }

  @Test func `random calls on the bus are answered`() {
    var random = SeededGenerator(seed: seed)
    let (mpris, pictures) = (MPRIS(), [playingSnapshot(), PlayerSnapshot()])
    let members = [
      "Next", "Previous", "Pause", "PlayPause", "Stop", "Play", "Seek", "SetPosition", "OpenUri", "Raise", "Quit",
      "Get",
      "Set", "GetAll", "Introspect", "Ping", "GetMachineId", "",
    ]
    let names = ["Rate", "Volume", "Position", "LoopStatus", "Shuffle", "Metadata", "PlaybackStatus", "Fullscreen", ""]
    let interfaces = [MPRIS.root, MPRIS.player, MPRIS.properties, "org.freedesktop.DBus.Introspectable", "", "x"]
    func value(_ random: inout SeededGenerator) -> BusValue? {
      let numbers: [Int64] = [0, 1, -1, .min, .max, 5_000_000]
      let number = numbers.randomElement(using: &random) ?? 0
      let values: [BusValue?] = [
        nil, .bool(true), .int32(Int32(truncatingIfNeeded: number)), .uint32(.max), .int64(number),
        .double([0, -1, .nan, .infinity, 1e300, 0.5].randomElement(using: &random) ?? 0), .string(interfaces[1]),
        .string(names.randomElement(using: &random) ?? ""), .string("file:///a\0b"), .string("http://a"),
        .path("/org/segue/track/2"), .path("/org/segue/track/99999999999999999999"), .path("x"), .strings([]),
        .paths([""]),
        .dictionary([("a", .int64(number))]),
      ]
      guard let value = values.randomElement(using: &random) ?? nil else { return nil }
      return Bool.random(using: &random) ? value : .variant(value)
    }
    for _ in 0..<count {
      let call = BusCall(
        path: Bool.random(using: &random) ? MPRIS.objectPath : "/",
        interface: interfaces.randomElement(using: &random) ?? "",
        member: members.randomElement(using: &random) ?? "",
        arguments: (0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random) })
      for picture in pictures {
        guard case .reply(.error(let name, _)) = mpris.handle(call, picture) else { continue }
        #expect(name.hasPrefix("org."), "seed \(seed): \(call)")
      }
    }
  }
}
