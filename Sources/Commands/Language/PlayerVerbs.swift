/// The verbs that need no screen.
public enum PlayerVerbs {
  public static let all =
    playing + modes + sound + SessionVerbs.all + queue + library + PlaylistVerbs.all + rating + settings + quitting
}

extension Command {
  /// Reads a line of the command language; `nil` if it is empty or a comment.
  public static func parse(_ line: String) throws(CommandError) -> Command? {
    if let seek = PlayerVerbs.seek(toTime: line) { return seek }
    var scanner = CommandScanner(line)
    return try Verb.parse(&scanner, with: PlayerVerbs.all) { word in
      let name = word.prefix { $0 != "=" }
      guard Setting(rawValue: String(name)) != nil else { return "" }
      return ". Write: set \(word.contains("=") ? word : name + "=VALUE")"
    }
  }
}
