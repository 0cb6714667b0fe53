/// A word of the command language: the one table by which commands are read, completed and explained. The same for the
/// command line, the files `config` and `keys`, and whoever speaks to the player from outside.
public struct Verb: Sendable {
  /// What a word after the verb can be, so that it can be completed.
  enum Completion: Sendable {
    case nothing
    case words([String])
    /// A file; several.
    case files
    case folders
    /// `name=value`.
    case settings
    /// A key, and behind it a command.
    case keys
  }

  /// What it is called.
  public let name: String
  /// What may follow it, as manuals write it.
  public let synopsis: String
  /// What it does.
  public let help: String
  let completion: Completion
  let read: @Sendable (inout CommandScanner) throws(CommandError) -> Action

  init(
    _ name: String, _ synopsis: String = "", _ help: String, completing completion: Completion = .nothing,
    _ read: @escaping @Sendable (inout CommandScanner) throws(CommandError) -> Action
  ) {
    (self.name, self.synopsis, self.help) = (name, synopsis, help)
    (self.completion, self.read) = (completion, read)
  }

  /// A verb that takes nothing.
  init(_ name: String, _ help: String, _ action: Action) {
    self.init(name, "", help) { (_) throws(CommandError) in action }
  }

  /// All of them.
  public static let all = playing + sound + queue + streams + lists + settings

  /// The verb of that name, or the one that alone begins so: `sh` is `shuffle`.
  static func named(_ word: CommandScanner.Word) throws(CommandError) -> Verb {
    if let verb = all.first(where: { $0.name == word.text }) { return verb }
    let candidates = all.filter { $0.name.hasPrefix(word.text) }
    guard let first = candidates.min(by: { $0.name.count < $1.name.count }) else {
      throw CommandError(message: "unknown command \"\(word.text)\"" + suggestion(for: word.text), column: word.column)
    }
    if candidates.allSatisfy({ $0.name.hasPrefix(first.name) }) { return first }
    throw CommandError(message: "\"\(word.text)\" may be \(listed(candidates.map(\.name)))", column: word.column)
  }
}

extension Action {
  /// What a line says; `nil` for an empty one, or a comment.
  public static func parse(_ line: String) throws(CommandError) -> Action? {
    var scanner = CommandScanner(line)
    return try parse(&scanner)
  }

  static func parse(_ scanner: inout CommandScanner) throws(CommandError) -> Action? {
    guard let word = try scanner.word() else { return nil }
    let action = try Verb.named(word).read(&scanner)
    try scanner.end()
    return action
  }
}

/// What a line like `theme=light` was meant to be.
private func suggestion(for word: String) -> String {
  let name = word.prefix { $0 != "=" }
  guard Setting(rawValue: String(name)) != nil else { return "" }
  return ". Write: set \(word.contains("=") ? word : name + "=VALUE")"
}
