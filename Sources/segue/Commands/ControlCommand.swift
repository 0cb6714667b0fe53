internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Containers
internal import Desk
internal import Glibc
internal import Library
internal import Player
internal import RemoteProtocols

/// `segue ctl`: commands for a running player.
struct ControlCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ctl", abstract: "Control a running segue, and show what it plays.",
    usage: """
      segue ctl [--json] [--null] [--instance <pid>] [<command> [<word> ...]]
      segue ctl watch [--json] [--null] [--format <template>] [<name> ...]
      segue ctl -Q
      """,
    discussion: """
      Without a command, ctl shows the status. The commands are those of the player's command line, and some of its own:

      \(ControlRequest.words.map { "  \($0.name) \($0.synopsis)" }.joined(separator: "\n"))
        watch [NAME]...

        segue ctl toggle
        segue ctl seek +10
        segue ctl add ~/Music/Album
        segue ctl --format '{sign} [{artist} - ]{name} {position}/{duration}'

      The exit status is 0 if the player has obeyed, 1 if it refused, 2 if no player runs, and 64 for a wrong command \
      or value.
      """)

  @Flag(help: "Print the answers as JSON.") var json = false

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "End lines with a zero byte instead of a line feed, and print names with all their characters.")
  var endsWithZero = false

  @Flag(name: .customShort("Q"), help: "Print the status as cmus-remote -Q does.") var isForCmus = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Print the status as this text, with fields in braces.", valueName: "template"))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "With watch and --format: also print a line every this many seconds, so that positions move.",
      valueName: "seconds"))
  var every: Double?

  @Option(
    help: ArgumentHelp(
      "Control the player with this process number; otherwise the one that was started first.", valueName: "pid"))
  var instance: Int32?

  @Argument(
    parsing: .allUnrecognized, help: "A command and its words.",
    completion: .custom { words, _, _ in ControlCompletion.words(after: words) })
  var words: [String] = []

  mutating func validate() throws {
    // The argument parser leaves the end of the options among the words.
    if let end = words.firstIndex(of: "--") { words.remove(at: end) }
    if let every, !(0.1...86_400 ~= every) { throw ValidationError("--every must be 0.1 to 86400 seconds.") }
    if every != nil, format == nil || words.first != "watch" {
      throw ValidationError("--every needs watch and --format.")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_DFL)
    let client = try connect()
    if words.first == "watch" { return try watch(client) }
    // Once: a shell may have put thousands of names here.
    let isQuery = isQuery
    var request = words.enumerated().map { place, word in
      if namesFile(at: place, isQuery: isQuery) { return self.place(of: word) }
      return place > 0 && isQuery ? LibraryQuery.text(ofArguments: [word]) : word
    }
    if isForCmus { request = ["status", "cmus"] }
    if let format { request = ["format", format] }
    let isStatus = request.isEmpty || request == ["status"]
    if isStatus { request = json ? ["status"] : ["format", try statusTemplate(client)] }
    if endsWithZero, request.first == "format" { request = request.map(\.withZeros) }
    let answer = try request == ["levels"] ? levels(client) : client.ask(request)
    guard answer["error"]?.text == "success" else { throw fail(answer) }
    if json {
      put("\(isStatus ? answer["data"] ?? .null : answer)")
    } else if let text = text(of: answer) {
      put(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    } else if request == ["levels"] {
      for channel in answer["data"]?.elements ?? [] { put(Self.line(ofChannel: channel)) }
    } else if request == ["output"] {
      for device in answer["data"]?.elements ?? [] { put(line(ofDevice: device)) }
    } else {
      for row in answer["data"]?.elements ?? [] { put(line(ofRow: row)) }
      if request.first == "version", let data = answer["data"] { put("\(data)") }
    }
  }

  private var lineEnd: String { endsWithZero ? "\0" : "\n" }

  private func put(_ line: String) { print(line, terminator: lineEnd) }

  /// A name as one line, unless it is wanted as it is.
  private func shown(_ name: String) -> String { endsWithZero ? name : name.printable }

  /// The text of an answer. Its line breaks are those of a template: that of an answer to `format` has fields of one line
  /// as its message, if they differ from the data.
  private func text(of answer: JSON) -> String? {
    let (data, message) = (answer["data"]?.text, answer["message"]?.text)
    return endsWithZero ? data ?? message : (message ?? data)?.printableLines
  }

  /// Asks again while there are no levels and the music plays: the player begins to listen with the first question, once
  /// the server has played what it already holds, and forgets a question after two seconds without another.
  private func levels(_ client: ControlClient) throws -> JSON {
    for _ in 0..<120 {
      let answer = try client.ask(["levels"])
      guard answer["data"]?.elements?.isEmpty == true,
        let state = try client.ask(["status"])["data"]?["state"]?.text, ["playing", "waiting"].contains(state)
      else { return answer }
      usleep(250_000)
    }
    return try client.ask(["levels"])
  }

  /// Without a current track there is no line for it, and no number.
  private func statusTemplate(_ client: ControlClient) throws -> String {
    let hasTrack = try client.ask(["format", "{row}"])["data"]?.text?.isEmpty == false
    return """
      [{name}[ - {artist}][ \\({album}\\)]\\n]{state}[ {position}][ / {duration}]  vol {volume}%[ {muted}]\
      \(hasTrack ? "  track {row} of {length}" : "")[  {shuffle}][  repeat {repeat}][  speed {speed}]
      """
  }

  private func line(ofRow row: JSON) -> String {
    let name = row["name"]?.text ?? ""
    let mark = row["current"] == nil ? " " : ">"
    return "\(mark) \(row["row"] ?? .null)  \(shown(name))"
      + (row["artist"]?.text.map { " - \(shown($0))" } ?? "")
  }

  private func line(ofDevice device: JSON) -> String {
    let mark = device["current"] == nil ? " " : ">"
    let name = (device["device"]?.text ?? "") + (device["default"] == nil ? "" : " (default)")
    return "\(mark) \(shown(name))  \(shown(device["description"]?.text ?? ""))"
  }

  private static func line(ofChannel channel: JSON) -> String {
    func decibels(_ name: String) -> String { channel[name]?.double.map { "\($0) dB" } ?? "silent" }
    return "peak \(decibels("peak"))  rms \(decibels("rms"))"
  }

  // MARK: Connecting

  private func connect() throws -> ControlClient {
    do throws(ControlClient.Failure) {
      return try ControlClient(folder: UserFolders().runtime, instance: instance)
    } catch { throw ExitCode(2).reporting("ctl", error) }
  }

  private func fail(_ answer: JSON) -> ExitCode {
    let kind = answer["error"]?.text
    if json { print(answer) } else { report("ctl", answer["message"]?.text ?? "the player does not answer") }
    return kind == "refused" ? ExitCode(1) : .validationFailure
  }

  /// True if a word is the name of a file, by its place or because that is there.
  private func namesFile(at place: Int, isQuery: Bool) -> Bool {
    guard place > 0, let verb, case let word = words[place], !word.contains("://") else { return false }
    switch verb.completion {
    case .files where Self.queryVerbs.contains(verb.name): return !isQuery
    case .files: return true
    case .words where verb.name == "library": return place == 2
    case .playlists where ["export", "export!"].contains(words[1]): return place == 3
    case .playlists where words[1] == "import": return place > 1
    case .playlists where ["add", "create"].contains(words[1]) && place > 2:
      return isThere(word)
    default: return false
    }
  }

  /// True for a command that takes a query, if none of its words names a file.
  private var isQuery: Bool {
    guard let verb, Self.queryVerbs.contains(verb.name) else { return false }
    return !words.dropFirst().contains {
      NamedPaths.isFile(BytePath(ByteArguments.bytes(of: $0)), extensions: AudioFileTypeID.playableExtensions)
    }
  }

  private static let queryVerbs = ["open", "play", "add", "enqueue", "play-next"]

  private var verb: Verb<Command>? {
    words.first.flatMap { try? Verb.named(.init(text: $0, column: 1), in: PlayerVerbs.all) }
  }

  private func isThere(_ word: String) -> Bool {
    BytePath(ByteArguments.bytes(of: word)).exists
  }

  /// The name of a file as the player understands it, whose current folder is another one: from the root on.
  private func place(of word: String) -> String {
    let path = BytePath(ByteArguments.bytes(of: word)).absolute
    if let text = String(validating: path.bytes, as: UTF8.self) { return text }
    // JSON is text: bytes that are not take the form of an address.
    return "file://" + path.bytes.percentEscaped { $0 >= 0x80 || $0 <= 0x20 || "%?#\"'\\".utf8.contains($0) }
  }

  // MARK: Watching

  /// Prints changes until the player ends, or nobody reads them.
  private func watch(_ client: ControlClient) throws {
    client.eventOutput = STDOUT_FILENO
    guard let format else {
      let answer = try client.ask(["observe"] + words.dropFirst())
      guard answer["error"]?.text == "success" else { throw fail(answer) }
      while let event = client.nextEvent(within: nil) { try show(json ? event.description : Self.line(of: event)) }
      return
    }
    let answer = try client.ask(["observe"])
    guard answer["error"]?.text == "success" else { throw fail(answer) }
    var last: String?
    repeat {
      let answer = try client.ask(["format", endsWithZero ? format.withZeros : format])
      guard let text = text(of: answer) else { throw fail(answer) }
      if text != last { try show(text) }
      last = text
    } while client.waitForEvents(within: every)
  }

  /// Writes a line at once: its reader waits for it.
  private func show(_ line: String) throws {
    try FileWriter(descriptor: STDOUT_FILENO).write(Array((line + lineEnd).utf8))
  }

  private static func line(of event: JSON) -> String {
    let name = event["name"]?.text ?? event["event"]?.text ?? ""
    return "\(name) \(event["data"] ?? event)"
  }
}

extension String {
  /// A template with zero bytes in place of its line feeds.
  fileprivate var withZeros: String {
    var text = UnicodeScalarView()
    var isQuoted = false
    for scalar in unicodeScalars {
      switch scalar {
      case "n" where isQuoted: text.append("\0")
      case "\n" where !isQuoted: text.append("\0")
      case "\\" where !isQuoted: break
      default:
        if isQuoted { text.append("\\") }
        text.append(scalar)
      }
      isQuoted = scalar == "\\" && !isQuoted
    }
    return String(text) + (isQuoted ? "\\" : "")
  }
}
