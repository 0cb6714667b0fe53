/// A word of the command language with its arguments. A table of verbs reads, completes and explains commands, the same
/// for the command line, the files `config` and `keys`, and clients that send lines.
public struct Verb<Result: Sendable>: Sendable {
  public let name: String
  /// The arguments in the notation of manuals.
  public let synopsis: String
  public let help: String
  public let completion: VerbCompletion
  public let read: @Sendable (inout CommandScanner) throws(CommandError) -> Result

  public init(
    _ name: String, _ synopsis: String = "", _ help: String, completing completion: VerbCompletion = .nothing,
    _ read: @escaping @Sendable (inout CommandScanner) throws(CommandError) -> Result
  ) {
    (self.name, self.synopsis, self.help) = (name, synopsis, help)
    (self.completion, self.read) = (completion, read)
  }

  public init(_ name: String, _ help: String, _ result: Result) {
    self.init(name, "", help) { (_) throws(CommandError) in result }
  }

  public func map<Other>(_ transform: @escaping @Sendable (Result) -> Other) -> Verb<Other> {
    Verb<Other>(name, synopsis, help, completing: completion) { [read] (scanner) throws(CommandError) in
      transform(try read(&scanner))
    }
  }
}

/// The words that can follow a verb.
public enum VerbCompletion: Sendable {
  case nothing
  case words([String])
  /// One or more files.
  case files
  case folders
  /// `name=value`.
  case settings
  /// A key and then a command.
  case keys
  case outputs
  /// One of these words, then names of files.
  case wordsThenFiles([String])
  /// One of these words, the name of a playlist, files.
  case playlists([String])
}

extension Verb {
  /// Reads a line; `nil` if it is empty or a comment.
  ///
  /// - Parameter hint: Text after the message on an unknown word.
  public static func parse(
    _ scanner: inout CommandScanner, with verbs: [Verb], hint: (String) -> String
  ) throws(CommandError) -> Result? {
    guard let word = try scanner.word() else { return nil }
    if let own = foreignCommands[word.text], case let name = own.prefix(while: { $0 != " " }),
      verbs.contains(where: { $0.name == name })
    {
      var own = CommandScanner((own.hasSuffix("=") ? own : own + " ") + (scanner.rest()?.text ?? ""))
      return try parse(&own, with: verbs, hint: hint)
    }
    let verb = try named(word, in: verbs, hint: hint)
    let result = try verb.read(&scanner)
    try scanner.end(after: verb.synopsis.isEmpty ? verb.name : nil)
    return result
  }

  /// The verb of that name, or the only one with that prefix: `sh` is `shuffle`.
  public static func named(
    _ word: CommandScanner.Word, in verbs: [Verb], hint: (String) -> String = { _ in "" }
  ) throws(CommandError) -> Verb {
    if let verb = verbs.first(where: { $0.name == word.text }) { return verb }
    let candidates = verbs.filter { $0.name.hasPrefix(word.text) }
    guard let first = candidates.min(by: { $0.name.count < $1.name.count }) else {
      let (hint, meant) = (hint(word.text), commandMeant(by: word.text, among: verbs.map(\.name)))
      throw CommandError(
        message: "unknown command \"\(word.text)\"" + (hint.isEmpty ? didYouMean(meant) : hint), column: word.column)
    }
    if candidates.allSatisfy({ $0.name.hasPrefix(first.name) }) { return first }
    throw CommandError(message: "\"\(word.text)\" may be \(listed(candidates.map(\.name)))", column: word.column)
  }
}
