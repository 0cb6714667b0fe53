internal import Cells
public import Commands

/// The verbs of the screen: those of the player, and those that need a screen.
public enum ActionVerbs {
  /// All verbs in the order of Help and manual.
  public static let all: [Verb<Action>] =
    playing + seeking
    + actions(PlayerVerbs.modes + PlayerVerbs.sound + SessionVerbs.all + PlayerVerbs.queue) + queue + streams
    + library + actions(PlaylistVerbs.all + PlayerVerbs.rating) + marks + lists + actions(PlayerVerbs.quitting)
    + settings

  private static func actions(_ verbs: [Verb<Command>]) -> [Verb<Action>] { verbs.map { $0.map { .player($0) } } }
}

extension Verb<Action> {
  /// The verb of an action without arguments.
  init(_ action: Action, help: String? = nil) { self.init(action.text, help ?? action.help, action) }

  /// The verb of an action with one of these words, which the synopsis lists unless it is given.
  init<Value: Sendable>(
    _ name: String, _ choices: [(word: String, value: Value)], synopsis: String? = nil, _ help: String,
    orSay refusal: String, _ action: @escaping @Sendable (Value) -> Action
  ) {
    let words = choices.map(\.word)
    self.init(name, synopsis ?? words.joined(separator: " | "), help, completing: .words(words)) {
      (scanner) throws(CommandError) in
      let column = scanner.column
      guard let value = try scanner.choice(choices) else { throw CommandError(message: refusal, column: column) }
      return action(value)
    }
  }
}

extension Action {
  /// Reads a line of the command language; `nil` if it is empty or a comment.
  public static func parse(_ line: String) throws(CommandError) -> Action? {
    if let seek = PlayerVerbs.seek(toTime: line) { return .player(seek) }
    var scanner = CommandScanner(line)
    return try parse(&scanner)
  }

  static func parse(_ scanner: inout CommandScanner) throws(CommandError) -> Action? {
    try Verb.parse(&scanner, with: ActionVerbs.all, hint: hint(on:))
  }

  /// The correct form of a line like `theme=light`.
  private static func hint(on word: String) -> String {
    let name = word.prefix { $0 != "=" }
    guard SettingEntry(named: String(name)) != nil else { return "" }
    return ". Write: set \(word.contains("=") ? word : name + "=VALUE")"
  }
}
