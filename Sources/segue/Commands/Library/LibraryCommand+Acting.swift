internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Library

// Acts of the listener.
extension LibraryCommand {
  /// `segue library rate FILE|QUERY 0-10`
  struct Rate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rate", abstract: "Rate a file, or all tracks of a query, from 0 to 10.",
      discussion: "The last argument is the rating; 'none' removes ratings.")

    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var protection: ProtectionOptions
    @Argument(
      help: "A file, a folder, or words and conditions; then the rating.", completion: .custom(ShellCompletion.query))
    var arguments: [String]

    func validate() throws {
      guard arguments.count >= 2, let word = arguments.last, word == "none" || Int(word).map((0...10).contains) == true
      else { throw ValidationError("rate takes a file or a query, then a rating from 0 to 10 or none.") }
      try LibraryCommand.refuseBlank(arguments.dropLast())
    }

    func run() throws {
      let rating = arguments.last.flatMap { Int($0) }
      try LibraryCommand.act(on: Array(arguments.dropLast()), of: protection.library(), json: json) {
        try $0.rate($1, rating)
      }
    }
  }

  /// `segue library love FILE|QUERY`
  struct Love: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "love", abstract: "Love a file, or all tracks of a query.",
      discussion: "The query loved:yes finds them.")

    @Flag(help: "Unlove them.") var off = false
    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "A file, a folder, or words and conditions.", completion: .custom(ShellCompletion.query))
    var arguments: [String]

    func validate() throws { try LibraryCommand.refuseBlank(arguments) }

    func run() throws {
      try LibraryCommand.act(on: arguments, of: protection.library(), json: json) { try $0.love($1, !off) }
    }
  }

  /// `segue library forget FOLDER|FILE|QUERY`
  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Remove a folder, a server, or the tracks of a query, from the library.",
      discussion: "Music files are not changed. 'segue library undo' restores the tracks.")

    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "A folder, a file, or words and conditions.", completion: .custom(ShellCompletion.query))
    var arguments: [String]

    func validate() throws { try LibraryCommand.refuseBlank(arguments) }

    func run() throws {
      let library = try protection.library()
      if arguments.count == 1 {
        let path =
          try LibraryCommand.account(named: arguments[0], in: library)?.root
          ?? library.named(BytePath(ByteArguments.bytes(of: arguments[0])))
        let before = try library.view()
        if try library.forgetRoot(path) {
          ServerStations(folder: library.folder).remove(root: path)
          _ = try library.view()
          let count =
            (0..<before.index.trackCount).count { before.track($0).path.isBelow(path) }
            + before.otherPlaces { $0.isBelow(path) }.count
          return LibraryCommand.sayCount(count, json: json)
        }
      }
      try LibraryCommand.act(on: arguments, of: library, json: json) { try $0.forget($1) }
    }
  }

  /// `segue library undo`
  struct Undo: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "undo", abstract: "Undo the last rating, love, pin, addition, removal or change of a playlist.")

    @OptionGroup var protection: ProtectionOptions

    func run() throws {
      let library = try protection.library()
      let text = try library.undo()
      _ = try library.view()
      guard let text else { throw ExitCode.nothingPlayable.reporting("library", "there is nothing to undo") }
      var output = LineWriter()
      output.add("undone: \(text)".printable)
      output.flush()
      try LibraryCommand.tellServers(of: library)
    }
  }

  /// Does something to tracks and says to how many.
  private static func act(
    on words: [String], of library: MusicLibrary, json: Bool, _ body: (MusicLibrary, [LibraryTrack]) throws -> Void
  ) throws {
    let tracks = try tracks(named: words, in: library.view())
    try body(library, tracks)
    _ = try library.view()
    sayCount(tracks.count, json: json)
    if tracks.isEmpty { throw ExitCode.nothingPlayable }
    try tellServers(of: library)
  }

  private static func sayCount(_ count: Int, json: Bool) {
    var output = LineWriter()
    output.add(
      json ? (["tracks": JSON(count)] as JSON).description : count == 0 ? "no track matches" : counted(count, "track"))
    output.flush()
  }
}
