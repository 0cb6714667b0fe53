internal import Playback
public import Commands

public enum ControlRequest: Sendable {
  case command(Command)
  case status
  case levels
  case outputs
  /// The status as `cmus-remote -Q` prints it.
  case cmusStatus
  /// The status as a line of text.
  case format(StatusTemplate)
  /// Rows of the queue; `nil` for all.
  case queue(Range<Int>?)
  /// A command about a row, from 0.
  case row(Int, RowCommand)
  /// Reports of changes from now on.
  case observe(Set<PlayerSnapshot.Property>, events: Bool)
  /// The end of all reports.
  case unobserve
  /// The protocol's version and the player's.
  case version

  public enum RowCommand: Sendable, Hashable {
    case play, remove
    case move(to: Int)
  }

  /// A word of the protocol that the command language does not have.
  public struct Word: Sendable {
    public let name: String
    /// The arguments in the notation of manuals.
    public let synopsis: String
    public let help: String
  }

  /// The words that clients may use besides those of the command language.
  public static let words: [Word] = [
    Word(name: "status", synopsis: "[cmus]", help: "state, position, track, volume, modes and queue"),
    Word(name: "format", synopsis: "TEMPLATE", help: "the status as a line: '{artist} - {title}'"),
    Word(name: "levels", synopsis: "", help: "the level of each channel that is heard now, in decibels"),
    Word(name: "queue", synopsis: "[FIRST [LAST]]", help: "rows of the queue, counted from 1"),
    Word(name: "goto", synopsis: "ROW", help: "play a row of the queue"),
    Word(name: "remove", synopsis: "ROW", help: "remove a row from the queue"),
    Word(name: "move", synopsis: "ROW TO", help: "move a row of the queue"),
    Word(
      name: "observe", synopsis: "[NAME]...",
      help: "report changes of \(PlayerSnapshot.Property.allCases.map(\.rawValue).joined(separator: ", ")), or events"),
    Word(name: "unobserve", synopsis: "", help: "stop reporting"),
    Word(name: "version", synopsis: "", help: "versions of protocol and player"),
  ]

  /// Reads a line of words, as the command language has them.
  public init?(line: String) throws(CommandError) {
    var scanner = CommandScanner(line)
    guard let first = try scanner.word() else { return nil }
    var ahead = scanner
    if first.text == Command.showOutputs.text, try ahead.word() == nil {
      self = .outputs
      return
    }
    guard Self.words.contains(where: { $0.name == first.text }) else {
      guard let command = try Command.parse(line) else { return nil }
      self = .command(command)
      return
    }
    var words: [CommandScanner.Word] = []
    while let word = try scanner.word() { words.append(word) }
    self = try Self.request(first, words)
  }

  private static func request(
    _ verb: CommandScanner.Word, _ words: [CommandScanner.Word]
  ) throws(CommandError) -> ControlRequest {
    switch (verb.text, words.count) {
    case ("status", 0): return .status
    case ("status", 1) where words[0].text == "cmus": return .cmusStatus
    case ("format", 1):
      do throws(StatusTemplate.SyntaxError) { return .format(try StatusTemplate(words[0].text)) } catch {
        throw CommandError(message: error.description, column: words[0].column)
      }
    case ("levels", 0): return .levels
    case ("queue", 0): return .queue(nil)
    case ("queue", 1...2):
      let first = try row(words[0])
      let last = words.count == 2 ? try row(words[1]) : first
      return .queue(first..<max(first, last) + 1)
    case ("goto", 1): return .row(try row(words[0]), .play)
    case ("remove", 1): return .row(try row(words[0]), .remove)
    case ("move", 2): return .row(try row(words[0]), .move(to: try row(words[1])))
    case ("observe", _): return try observing(words)
    case ("unobserve", 0): return .unobserve
    case ("version", 0): return .version
    default:
      let synopsis = Self.words.first { $0.name == verb.text }?.synopsis ?? ""
      throw CommandError(message: "write \(verb.text) \(synopsis)", column: verb.column)
    }
  }

  /// The row of a number that a person counts from 1.
  private static func row(_ word: CommandScanner.Word) throws(CommandError) -> Int {
    guard let number = Int(word.text), 1...10_000_000 ~= number else {
      throw CommandError(message: "\"\(word.text)\" is not a row of the queue: rows count from 1", column: word.column)
    }
    return number - 1
  }

  private static func observing(_ words: [CommandScanner.Word]) throws(CommandError) -> ControlRequest {
    guard !words.isEmpty else { return .observe(Set(PlayerSnapshot.Property.allCases), events: false) }
    var (properties, events) = (Set<PlayerSnapshot.Property>(), false)
    for word in words {
      if word.text == "events" {
        events = true
      } else if let property = PlayerSnapshot.Property(rawValue: word.text) {
        properties.insert(property)
      } else {
        let names = listed(PlayerSnapshot.Property.allCases.map(\.rawValue) + ["events"])
        throw CommandError(message: "cannot observe \"\(word.text)\". Choose \(names)", column: word.column)
      }
    }
    return .observe(properties, events: events)
  }
}
