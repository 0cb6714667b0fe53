internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
internal import Library
internal import RemoteProtocols
internal import Threads

/// The options of `play` that list music.
struct MatchOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "List the music that the words mean, instead of playing.") var list = false
  @Flag(help: "With --list: print JSON objects, one per line.") var json = false
}

/// Arguments of `segue` that name no file: words that mean music, or a command that was misspelt.
struct PlayedWords {
  private let words: [String]
  private let text: String
  private let folders = UserFolders()

  init(_ inputs: [BytePath]) {
    words = inputs.map { ByteArguments.text(of: $0.bytes) }
    text = LibraryQuery.text(ofArguments: words)
  }

  /// True if one of the inputs is a file, an address, or looks like a path, or all are blank.
  static func areFiles(_ inputs: [BytePath]) -> Bool {
    inputs.contains { NamedPaths.isFile($0, extensions: PlayProgram.playableExtensions) }
      || inputs.allSatisfy { $0.description.allSatisfy(\.isWhitespace) }
  }

  private func result() throws -> MusicSearch.Result {
    // An error in the query ends the command and shows its place.
    _ = try LibraryCommand.query([text])
    return try MusicSearch(folders, playableExtensions: PlayProgram.playableExtensions).result(text)
  }

  /// The paths to play, and a sentence about them. Without any, or for a word that is rather a command, ends the command.
  func found() throws -> (paths: [BytePath], sentence: String) {
    let result = try result()
    let hasNone = result.paths.isEmpty || result.isCorrected
    if let command, hasNone || !mayPlay(result) {
      let hint = hasNone ? "" : " segue --query \(quoted(text)) plays the music"
      throw refusal((hint.isEmpty ? nothing : "\"\(text)\" may be a command") + "; did you mean \(command)?" + hint)
    }
    guard let best = result.matches.first else {
      let hasLibrary = folders.data.map { LibraryConnection($0).has("catalogue.map") } ?? true
      let needsLibrary = !hasLibrary && words.first != "radio"
      throw refusal(nothing + (needsLibrary ? "; there is no library yet: segue library add ~/Music" : ""))
    }
    guard !result.paths.isEmpty else { throw refusal("the files of \(best.title) are not there") }
    let list = "segue -l " + words.map(quoted).joined(separator: " ")
    let error = result.isCorrected ? "Nothing is called \(result.text). " : ""
    return (result.paths, error + "Playing \(best.title)" + (result.others.map { " (\($0): \(list))" } ?? ""))
  }

  func list(json: Bool) throws {
    let matches = try result().matches
    guard !matches.isEmpty else { throw refusal(nothing) }
    var output = LineWriter()
    for (place, match) in matches.enumerated() {
      output.add(json ? match.json.description : "\(place + 1)  \(match.title)\(match.details)".printable)
    }
    output.flush()
  }

  private func refusal(_ text: String) -> ExitCode {
    try? FileWriter(descriptor: STDERR_FILENO).write(Array("segue: \(text)".printable.utf8) + [0x0a])
    return .nothingPlayable
  }

  private var nothing: String {
    guard words.first == "radio" else { return "no file and no music named \"\(text)\"" }
    guard words.count > 1 else { return "radio needs the name of a station: segue radio NAME" }
    return "no saved or recent station has \"\(words.dropFirst().joined(separator: " "))\" in its name. "
      + "To play one, give its address: segue http://..."
  }

  // MARK: Commands

  /// The commands of the program, which sets them.
  static let ownCommands = Guarded<[String]>([])
  private static let controls = PlayerVerbs.all.map(\.name) + ControlRequest.words.map(\.name) + ["watch"]

  /// The command that the words are, or nearly are.
  private var command: String? {
    guard let first = words.first else { return nil }
    let rest = words.dropFirst().map { " " + quoted($0) }.joined()
    if Self.controls.contains(first) { return "segue ctl " + first + rest }
    if let own = nearest(to: first, among: Self.ownCommands.withLock { $0 }) { return "segue " + own + rest }
    return commandMeant(by: first, among: Self.controls).map { "segue ctl " + $0 + rest }
  }

  /// True unless the only word is a command, or nearly one and not a whole word of the music.
  private func mayPlay(_ result: MusicSearch.Result) -> Bool {
    guard words.count == 1 else { return true }
    guard !Self.controls.contains(words[0]), let plain = SearchWords(text) else { return false }
    return result.matches.first?.hasWhole(plain) ?? false
  }
}

extension MusicMatch {
  /// The numbers behind the title: ` (1993, 12 tracks)`.
  fileprivate var details: String {
    let tracks = kind == .tracks || kind == .track ? nil : trackCount.map { counted($0, "track", grouped) }
    let parts = [year.map(String.init), tracks].compactMap(\.self)
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }

  fileprivate var json: JSON {
    [
      "kind": .string(kind.rawValue), "name": .string(name), "artist": JSON(artist), "year": JSON(year),
      "tracks": JSON(trackCount),
    ]
  }
}
