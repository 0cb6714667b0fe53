internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Playback
internal import Commands

/// A client of the control socket: JSON lines in the manner of mpv, and plain lines of the command language.
///
///     {"command":["seek","+10"],"request_id":7}   {"request_id":7,"error":"success","data":{"position":73.402,...}}
///     pause                                       ok
public struct ControlConnection: RemoteConnection {
  /// The version of the protocol. It increases if clients of an earlier version may fail.
  public static let version = 1

  private enum Form {
    case json(id: JSON?)
    case plain
  }

  private let program: String
  private let process: Int32
  private var outstanding: Form?
  /// The form of a status that waits for the library's facts.
  private var awaitingTrack: Form?
  /// The rows of the queue that wait for facts of their tracks.
  private var awaitingRows: (form: Form, range: Range<Int>?)?
  private var observed: Set<PlayerSnapshot.Property> = []
  private var hearsEvents = false

  /// A new client.
  ///
  /// - Parameters:
  ///   - program: The version of the player.
  ///   - process: The number of its process.
  public init(program: String, process: Int32) { (self.program, self.process) = (program, process) }

  /// True if the player has not answered yet.
  public var isBusy: Bool { outstanding != nil || awaitingTrack != nil || awaitingRows != nil }

  public mutating func handle(_ event: RemoteEvent, _ player: PlayerSnapshot) -> [RemoteEffect] {
    switch event {
    case .opened: return [Self.line([("event", .string("hello"))] + versions)]
    case .line(let bytes): return handle(bytes, player)
    case .answered(let answer):
      guard let form = outstanding else { return [] }
      outstanding = nil
      switch (answer, form) {
      case (.done(let text), .json), (.added(_, let text), .json):
        return [Self.success(form, player.shortStatus, text.map { [("message", .string($0))] } ?? [])]
      case (.done(let text), .plain), (.added(_, let text), .plain):
        return [Self.plain(text.map { "ok: " + $0 } ?? "ok")]
      case (.refused(let reason), _): return [failure(form, "refused", reason)]
      }
    case .changed(let changes):
      let names = PlayerSnapshot.Property.allCases.filter {
        observed.contains($0) && !$0.changes.isDisjoint(with: changes)
      }
      return names.map { report($0, player) }
    case .events(let events): return hearsEvents ? events.map { Self.line($0) } : []
    case .found(let answer):
      if let (form, range) = awaitingRows {
        awaitingRows = nil
        return [Self.rows(range, form, player)]
      }
      guard let form = awaitingTrack else { return [] }
      awaitingTrack = nil
      var player = player
      // Another track may play by now.
      if case .library(.track(let track, let path)) = answer, path == Self.path(player) { player.heard = track }
      return [Self.success(form, player.status)]
    case .message, .resumed, .left: return []
    }
  }

  private var versions: [(String, JSON)] {
    [("protocol", JSON(Self.version)), ("version", .string(program)), ("pid", JSON(process))]
  }

  // MARK: Requests

  private mutating func handle(_ bytes: [UInt8], _ player: PlayerSnapshot) -> [RemoteEffect] {
    let isJSON = bytes.first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "{")
    guard isJSON else {
      guard let line = String(validating: bytes, as: UTF8.self) else {
        return [failure(.plain, "invalid request", "the line is not UTF-8")]
      }
      return handle(line: line, .plain, player)
    }
    let object: JSON
    do throws(JSON.SyntaxError) { object = try JSON(parsing: bytes) } catch {
      return [failure(.json(id: nil), "invalid request", error.description)]
    }
    let form = Form.json(id: object["request_id"])
    switch object["command"] {
    case .string(let line): return handle(line: line, form, player)
    case .array(let elements):
      let words = elements.compactMap(Self.word)
      guard words.count == elements.count else {
        return [failure(form, "invalid request", "words of a command are texts or numbers")]
      }
      return handle(line: words.map { quoted($0) }.joined(separator: " "), form, player)
    default: return [failure(form, "invalid request", "write {\"command\":[\"pause\"]}")]
    }
  }

  private static func word(_ element: JSON) -> String? {
    switch element {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .bool(let isOn): isOn ? "on" : "off"
    default: nil
    }
  }

  private mutating func handle(line: String, _ form: Form, _ player: PlayerSnapshot) -> [RemoteEffect] {
    let request: ControlRequest?
    do throws(CommandError) { request = try ControlRequest(line: line) } catch {
      return [failure(form, "invalid command", error.message)]
    }
    guard let request else {
      // Blank lines and comments get no answer in plain form; a JSON request always gets one.
      if case .plain = form { return [] }
      return [failure(form, "invalid command", "the command is empty")]
    }
    return handle(request, form, player)
  }

  private mutating func handle(_ request: ControlRequest, _ form: Form, _ player: PlayerSnapshot) -> [RemoteEffect] {
    switch request {
    case .command(let command):
      outstanding = form
      return [.perform(command)]
    case .status:
      guard let path = Self.path(player) else { return [Self.success(form, player.status)] }
      awaitingTrack = form
      return [.ask(.library(.track(path)))]
    case .cmusStatus: return [Self.success(form, .string(CmusStatus.text(player)))]
    case .format(let template):
      let (text, line) = (template.text(player), template.text(player, isPrintable: true))
      return [Self.success(form, .string(text), text == line ? [] : [("message", .string(line))])]
    case .levels:
      return [.listen { levels in Self.success(form, .array(levels.map(Self.level))) }]
    case .outputs: return [Self.success(form, player.outputRows)]
    case .queue(let range):
      let entries = player.queue.entries[(range ?? 0..<Int.max).clamped(to: player.queue.entries.indices)]
      let unknown = entries.filter { player.facts[$0.id] == nil }
      guard !unknown.isEmpty, unknown.count <= Self.factsLimit else { return [Self.rows(range, form, player)] }
      awaitingRows = (form, range)
      return [.ask(.facts(unknown))]
    case .row(let row, let command):
      var rows = [row]
      if case .move(let target) = command { rows.append(target) }
      guard rows.allSatisfy({ player.queue.entries.indices.contains($0) }) else {
        return [failure(form, "refused", "the queue has \(counted(player.queue.entries.count, "row"))")]
      }
      outstanding = form
      return [.perform(command.command(on: row, in: player))]
    case .observe(let properties, let events):
      let new = properties.subtracting(observed)
      observed.formUnion(properties)
      hearsEvents = hearsEvents || events
      return [Self.success(form, .null)]
        + PlayerSnapshot.Property.allCases.filter(new.contains).map { report($0, player) }
    case .unobserve:
      (observed, hearsEvents) = ([], false)
      return [Self.success(form, .null)]
    case .version: return [Self.success(form, .object(versions))]
    }
  }

  /// Tags of more entries are not read for an answer.
  private static let factsLimit = 500

  private static func rows(_ range: Range<Int>?, _ form: Form, _ player: PlayerSnapshot) -> RemoteEffect {
    let rows = (range ?? 0..<Int.max).clamped(to: player.queue.entries.indices)
    return success(form, .array(rows.map { player.row($0) }))
  }

  /// The path of the current track, if it can be in the library.
  private static func path(_ player: PlayerSnapshot) -> BytePath? {
    player.entry.flatMap { player.whole($0.location).libraryPath }
  }

  // MARK: Answers

  private func report(_ property: PlayerSnapshot.Property, _ player: PlayerSnapshot) -> RemoteEffect {
    Self.line([
      ("event", .string("change")), ("name", .string(property.rawValue)), ("data", player.value(of: property)),
    ])
  }

  private static func success(_ form: Form, _ data: JSON, _ more: [(String, JSON)] = []) -> RemoteEffect {
    switch (form, data) {
    case (.json(let id), _):
      line((id.map { [("request_id", $0)] } ?? []) + [("error", .string("success")), ("data", data)] + more)
    case (.plain, .null): plain("ok")
    case (.plain, .string(let text)): plain(text)
    case (.plain, _): plain(data.description)
    }
  }

  private func failure(_ form: Form, _ kind: String, _ message: String) -> RemoteEffect {
    switch form {
    case .json(let id):
      Self.line(
        (id.map { [("request_id", $0)] } ?? []) + [("error", .string(kind)), ("message", .string(message))])
    case .plain: Self.plain("error: " + message)
    }
  }

  /// Silence is null: JSON has no infinity.
  private static func level(_ level: AudioLevel) -> JSON {
    func decibels(_ value: Float) -> JSON { value.isFinite ? JSON(Double((10 * value).rounded()) / 10) : .null }
    return .object([("peak", decibels(level.peakDecibels)), ("rms", decibels(level.averageDecibels))])
  }

  private static func line(_ members: [(String, JSON)]) -> RemoteEffect {
    .send(Array(JSON.object(members).description.utf8) + [0x0a])
  }

  /// One line, without the line breaks of the text.
  private static func plain(_ text: String) -> RemoteEffect {
    .send(Array(text.utf8).map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 } + [0x0a])
  }
}

extension ControlRequest.RowCommand {
  fileprivate func command(on row: Int, in player: PlayerSnapshot) -> Command {
    let id = player.queue.entries[row].id
    return switch self {
    case .play: .play(id)
    case .remove: .edit(.remove([id]))
    case .move(let target): .edit(.move([id], by: max(-10_000_000, min(target - row, 10_000_000))))
    }
  }
}
