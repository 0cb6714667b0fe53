internal import Commands
internal import Library
internal import Playback

/// A client of the HTTP server: it gets the stream, the page, or an answer for the page, which is that of the control
/// socket. One request for each connection.
public struct WebConnection: RemoteConnection {
  private enum Stage {
    case head(WebRequest)
    case body(WebRequest.Question)
    case waiting(Awaited)
    /// Each change is told.
    case following
    case over
  }

  private enum Awaited {
    /// The answer of the control connection.
    case control
    case search
    /// The tracks of a row of a search, for this place in the queue.
    case tracks(Command.Destination)
    case added
    case cover(isEmbedded: Bool)
  }

  private var stage: Stage
  private var control: ControlConnection

  /// A new client.
  ///
  /// - Parameters:
  ///   - program: The version of the player.
  ///   - process: The number of its process.
  public init(_ offer: WebRequest.Offer, program: String, process: Int32) {
    stage = .head(WebRequest(for: offer))
    control = ControlConnection(program: program, process: process)
  }

  public var isBusy: Bool {
    switch stage {
    case .waiting, .over: true
    case .head, .body, .following: false
    }
  }

  /// The time to send a request, and to read the page or a cover, is limited. That of the player is not: a track may come
  /// from a slow network.
  public var isAdmitted: Bool {
    switch stage {
    case .waiting(.cover), .head, .body, .over: false
    case .waiting, .following: true
    }
  }

  public var awaitedByteCount: Int? {
    switch stage {
    case .body(.command(let count)), .body(.found(let count)): count
    default: nil
    }
  }

  public mutating func handle(_ event: RemoteEvent, _ player: PlayerSnapshot) -> [RemoteEffect] {
    switch (stage, event) {
    case (.head(var request), .line(let line)):
      let answer = request.take(line)
      stage = .head(request)
      return answer.map { begin($0, player) } ?? []
    case (.body(let question), .line(let body)):
      guard let text = String(validating: body, as: UTF8.self) else { return refuse("the line is not UTF-8") }
      if case .found = question { return take(found: text) }
      return take(command: text, player)
    case (.waiting(let awaited), .found(let answer)): return take(answer, awaited, player)
    case (.waiting(.added), .answered(let answer)): return finish(answer)
    case (.waiting(.control), _), (.following, .changed): return pass(event, player)
    default: return []
    }
  }

  private mutating func begin(_ answer: WebRequest.Answer, _ player: PlayerSnapshot) -> [RemoteEffect] {
    switch answer {
    case .end(let bytes): return end(bytes)
    case .stream(let head, let hasTitles):
      stage = .over
      return [.stream(head: head, hasTitles: hasTitles)]
    case .ask(.events):
      stage = .following
      // The first answer only says that the request is obeyed.
      let reports = pass(Self.request("observe position track volume queue modes"), player).dropFirst()
      return [.send(WebRequest.head("text/event-stream"))] + reports
    case .ask(.cover): return askForCover(isEmbedded: true, player)
    case .ask(.search(let words)):
      stage = .waiting(.search)
      return [.ask(.songs(SongQuestion(WebQuestion(words))))]
    case .ask(let question):
      stage = .body(question)
      return []
    }
  }

  private mutating func take(_ answer: Answer, _ awaited: Awaited, _ player: PlayerSnapshot) -> [RemoteEffect] {
    switch (awaited, answer) {
    case (.control, _): return pass(.found(answer), player)
    case (.search, .text(let rows)): return finish(rows)
    case (.tracks(let destination), .locations(let locations)) where !locations.isEmpty:
      stage = .waiting(.added)
      return [.perform(.collect(locations.map(\.written), destination))]
    case (.search, _), (.tracks, _): return refuse("nothing was found in the music library")
    case (.cover, .coverPart(let part)) where part.bytes.count == part.byteCount:
      return end(WebRequest.head(part.mimeType) + part.bytes)
    case (.cover(isEmbedded: true), _): return askForCover(isEmbedded: false, player)
    case (.cover, _): return end(WebRequest.notFound)
    case (.added, _): return []
    }
  }

  // MARK: Commands

  private static let rowLimit = 500

  private mutating func take(command line: String, _ player: PlayerSnapshot) -> [RemoteEffect] {
    // The control connection refuses a line without a command, and says the reason.
    let request = try? ControlRequest(line: line)
    guard request?.isOfPage ?? true else { return refuse("the page does not take this command") }
    stage = .waiting(.control)
    if case .queue(let range)? = request,
      (range ?? 0..<Int.max).clamped(to: player.queue.entries.indices).count > Self.rowLimit
    {
      return refuse("the page gets \(Self.rowLimit) rows at most")
    }
    return pass(Self.request(line), player)
  }

  /// Plays or adds a row of a search: `play 3 WORDS`, from 0.
  private mutating func take(found text: String) -> [RemoteEffect] {
    let words = text.split(separator: " ", maxSplits: 2)
    guard words.count == 3, ["play", "add"].contains(words[0]), let row = Int(words[1]) else {
      return refuse("write play ROW WORDS, or add ROW WORDS")
    }
    stage = .waiting(.tracks(words[0] == "play" ? .played : .turn(.end)))
    return [.ask(.songs(SongQuestion(WebQuestion(String(words[2]), row: row))))]
  }

  private static func request(_ line: String) -> RemoteEvent {
    .line(Array(JSON.object([("command", .string(line))]).description.utf8))
  }

  /// Passes an event to the control connection, whose lines become answers.
  private mutating func pass(_ event: RemoteEvent, _ player: PlayerSnapshot) -> [RemoteEffect] {
    var effects: [RemoteEffect] = []
    for effect in control.handle(event, player) {
      switch (effect, stage) {
      case (.send(let line), .following): effects.append(.send(Array("data: ".utf8) + line + [0x0a]))
      case (.send(let line), _): effects += end(WebRequest.head("application/json") + line)
      default: effects.append(effect)
      }
    }
    return effects
  }

  // MARK: Answers

  private mutating func end(_ bytes: [UInt8]) -> [RemoteEffect] {
    stage = .over
    return [.send(bytes), .close]
  }

  private mutating func finish(_ json: String) -> [RemoteEffect] {
    end(WebRequest.head("application/json") + Array((json + "\n").utf8))
  }

  private mutating func finish(_ answer: CommandAnswer) -> [RemoteEffect] {
    switch answer {
    case .done(let text), .added(_, let text):
      finish(JSON.object([("error", .string("success")), ("message", JSON(text))]).description)
    case .refused(let reason): refuse(reason)
    }
  }

  private mutating func refuse(_ reason: String) -> [RemoteEffect] {
    finish(JSON.object([("error", .string("refused")), ("message", .string(reason))]).description)
  }

  private static let coverLimit = 8 << 20

  private mutating func askForCover(isEmbedded: Bool, _ player: PlayerSnapshot) -> [RemoteEffect] {
    guard let entry = player.entry else { return end(WebRequest.notFound) }
    stage = .waiting(.cover(isEmbedded: isEmbedded))
    let location = player.whole(entry.location)
    return [.ask(.coverPart(location, isEmbedded: isEmbedded, from: 0, byteCount: Self.coverLimit))]
  }
}

extension ControlRequest {
  /// True for what the page may ask: to play, to seek, modes, volume, queue, rating. No files, no settings, no end.
  fileprivate var isOfPage: Bool {
    switch self {
    case .status, .queue, .row: true
    case .command(let command): command.isOfPage
    default: false
    }
  }
}

extension Command {
  fileprivate var isOfPage: Bool {
    switch self {
    case .playback(.pause), .playback(.stop), .playback(.seek), .playback(.seekBy), .resume, .togglePause,
      .playFromStart, .next, .previous, .seekToPercent, .seekChapter, .goLive, .changeVolume, .setVolume, .toggleMute,
      .toggleShuffle, .setShuffle, .cycleRepeat, .setRepeat, .undo, .redo, .library(.rate(_, [])):
      true
    default: false
    }
  }
}
