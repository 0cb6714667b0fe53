internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Containers
internal import Desk
internal import Glibc
internal import Library
internal import Player

/// `segue library playlists`
struct PlaylistsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "playlists", abstract: "Make, change, import and export playlists.",
    discussion: """
      A playlist has tracks in an order of their own; renamed, moved and retagged files stay in it. A smart playlist is \
      a query with a name. 'segue library undo' undoes each change, and 'segue --query playlist:NAME' plays one.
      """,
    subcommands: [
      List.self, Show.self, Create.self, Add.self, Smart.self, Remove.self, Move.self, Rename.self, Duplicate.self,
      Delete.self, Send.self, Import.self, Export.self,
    ], defaultSubcommand: List.self)

  /// Performs a request and prints the sentence about it; a refusal ends the command with status 2.
  fileprivate static func perform(_ request: PlaylistRequest, _ protection: ProtectionOptions) throws {
    let library = try protection.library()
    switch try outcome(of: request, in: library) {
    case .done(let text):
      // The index has the facts of new tracks.
      _ = try library.view()
      print(text.printable)
      try LibraryCommand.tellServers(of: library)
    case .refused(let reason): throw ExitCode.nothingPlayable.reporting("library", reason)
    case .file: break
    }
  }

  fileprivate static func outcome(
    of request: PlaylistRequest, in library: MusicLibrary
  ) throws -> PlaylistWork.Outcome {
    let collector = MediaCollector(playableExtensions: AudioFileTypeID.playableExtensions)
    let work = PlaylistWork(library: library, folders: UserFolders(), collector: collector)
    return try work.perform(request)
  }

  /// Performs a request with files and addresses, or with the words of a query. If only some of the files are there,
  /// the others are reported, and the command ends with status 3.
  fileprivate static func perform(
    _ words: [String], _ protection: ProtectionOptions, _ request: (PlaylistRequest.Source) -> PlaylistRequest
  ) throws {
    let (found, missing) = located(words)
    guard !found.isEmpty, !words.contains(where: LibraryQuery.namesField) else {
      return try perform(request(.names(WrittenNames(words: words), in: nil)), protection)
    }
    try perform(request(.entries(found.map { CollectedEntry(location: $0) })), protection)
    for location in missing { report(location, "No such file or directory") }
    if !missing.isEmpty { throw ExitCode.someFailed }
  }

  /// The files and addresses that words name, and those that are not there.
  private static func located(_ words: [String]) -> (found: [MediaLocation], missing: [MediaLocation]) {
    let locations = words.map { MediaLocation(written: ByteArguments.bytes(of: $0), in: BytePath("")) }
    let areThere = locations.map { location in
      switch location {
      case .url: true
      case .file(let path), .track(let path, _): path.exists
      }
    }
    let marked = zip(locations, areThere)
    return (marked.filter(\.1).map(\.0), marked.filter { !$0.1 }.map(\.0))
  }
}

extension PlaylistsCommand {
  /// `segue library playlists list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all playlists.")

    @Flag(help: "Print JSON objects, one per line.") var json = false
    @OptionGroup var protection: ProtectionOptions

    func run() throws {
      var output = LineWriter()
      for list in try protection.library().view().playlists {
        let object: JSON = ["name": .string(list.name), "query": JSON(list.query), "tracks": JSON(list.count)]
        let size = (list.query ?? counted(list.count ?? 0, "track")) + (list.server.map { "  [\($0.sentence)]" } ?? "")
        output.add(json ? object.description : "\(list.name): \(size)".printable)
      }
      output.flush()
    }
  }

  /// `segue library playlists show NAME`
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the tracks of a playlist.")

    @Flag(help: "Print JSON objects, one per line.") var json = false
    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String

    func run() throws {
      let view = try protection.library().view()
      guard let playlist = view.playlist(named: name) else {
        throw ExitCode.nothingPlayable.reporting("library", noPlaylist(name))
      }
      let items: [PlaylistItem]
      do throws(QueryError) { items = try view.items(of: playlist, now: Int64(time(nil))) } catch {
        throw ExitCode.nothingPlayable.reporting("library", "\(playlist.name): \(error)")
      }
      var output = LineWriter()
      for (place, item) in items.enumerated() {
        output.add(json ? item.json(number: place + 1).description : "\(place + 1)  \(item.line)")
      }
      output.flush()
    }
  }

  /// `segue library playlists create NAME [FILE|QUERY...]`
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Make a playlist: empty, of files, or of the tracks of a query.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The new playlist.") var name: String
    @Argument(help: "Files, folders, playlists and addresses, or words and conditions.", completion: .file())
    var tracks: [String] = []

    func validate() throws { try LibraryCommand.refuseBlank(tracks) }

    func run() throws {
      try PlaylistsCommand.perform(tracks, protection) { .create(name, $0) }
    }
  }

  /// `segue library playlists add NAME FILE|QUERY...`
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add files, or the tracks of a query, to a playlist; make it if there is none.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String
    @Argument(help: "Files, folders, playlists and addresses, or words and conditions.", completion: .file())
    var tracks: [String]

    func validate() throws { try LibraryCommand.refuseBlank(tracks) }

    func run() throws {
      try PlaylistsCommand.perform(tracks, protection) { .add(name, $0) }
    }
  }

  /// `segue library playlists smart NAME QUERY`
  struct Smart: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "smart", abstract: "Save a query as a smart playlist, or change its query.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String
    @Argument(help: "Words and conditions.", completion: .custom(ShellCompletion.query)) var query: [String]

    func run() throws {
      _ = try LibraryCommand.query(query)
      try PlaylistsCommand.perform(.edit(.save(name, query: query.joined(separator: " "))), protection)
    }
  }

  /// `segue library playlists remove NAME NUMBER...`
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove entries from a playlist, by the numbers that 'show' prints.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String
    @Argument(help: "Numbers of entries.") var numbers: [Int]

    func run() throws {
      try PlaylistsCommand.perform(.edit(.remove(name, numbers: numbers)), protection)
    }
  }

  /// `segue library playlists move NAME NUMBER TO`
  struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "move", abstract: "Move a track to another place in a playlist.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String
    @Argument(help: "Its number, as 'show' prints it.") var number: Int
    @Argument(help: "Its new number.") var target: Int

    func run() throws {
      try PlaylistsCommand.perform(.edit(.move(name, number: number, to: target)), protection)
    }
  }

  /// `segue library playlists rename NAME NEW`
  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Rename a playlist.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String
    @Argument(help: "The new name.") var new: String

    func run() throws { try PlaylistsCommand.perform(.edit(.rename(name, to: new)), protection) }
  }

  /// `segue library playlists duplicate NAME NEW`
  struct Duplicate: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "duplicate", abstract: "Copy a playlist.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String
    @Argument(help: "The name of the copy.") var new: String

    func run() throws { try PlaylistsCommand.perform(.edit(.duplicate(name, as: new)), protection) }
  }

  /// `segue library playlists delete NAME`
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a playlist.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String

    func run() throws { try PlaylistsCommand.perform(.edit(.delete([name])), protection) }
  }

  /// `segue library playlists send NAME [SERVER]`
  struct Send: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "send", abstract: "Put a playlist on a server of music.",
      discussion: "Later changes go both ways. 'segue library undo' takes it off the server again.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String
    @Argument(help: "The server, as 'segue library playlists' names it, if several have all its tracks.")
    var server: String?

    func run() throws { try PlaylistsCommand.perform(.edit(.send(name, to: server)), protection) }
  }

  /// `segue library playlists import FILE...`
  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Make one playlist per file (m3u, pls, xspf, asx), named after the file.",
      discussion: "Entries whose files are missing stay in the playlist.")

    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "Playlist files.") var files: [BytePath]

    func run() throws {
      let library = try protection.library()
      let collector = MediaCollector(playableExtensions: AudioFileTypeID.playableExtensions)
      var (output, refused) = (LineWriter(), 0)
      for file in files {
        switch try PlaylistStore(library).read(file.absolute, with: collector) {
        case .done(let text): output.add(text.printable)
        case .refused(let reason):
          refused += 1
          report("library", reason)
        }
      }
      output.flush()
      if refused > 0 { throw refused < files.count ? ExitCode.someFailed : .nothingPlayable }
    }
  }

  /// `segue library playlists export NAME [FILE]`
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Write a playlist as m3u8 to a file, or to standard output.")

    @Flag(help: "Replace an existing file; the old one is kept as FILE~.") var force = false
    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "The playlist.", completion: .custom(ShellCompletion.playlist)) var name: String
    @Argument(help: "The file.") var file: BytePath?

    func run() throws {
      let target = file.map { PlaylistFile(named: $0) }
      let library = try protection.library(output: target?.path.parent)
      let request = PlaylistRequest.write(name, to: target?.path, replacesOther: force, in: nil)
      switch try PlaylistsCommand.outcome(of: request, in: library) {
      case .done: break
      case .refused(let reason): throw ExitCode.nothingPlayable.reporting("library", reason)
      case .file(let export):
        guard let target else { return try FileWriter(descriptor: STDOUT_FILENO).write(export.bytes) }
        let permission = force ? PlaylistFile.Permission.anyPlaylist : .only(nil)
        do throws(PlaylistFile.Refusal) { try target.write(export.bytes, over: permission) } catch {
          let reason = if case .exists(let path) = error { "\(path) exists: --force replaces it" } else { "\(error)" }
          throw ExitCode.nothingPlayable.reporting("library", reason)
        }
        print("\(counted(export.count, "track")) written to \(target.path)".printable)
      }
    }
  }
}

private func noPlaylist(_ name: String) -> String { "there is no playlist \(name)" }

extension PlaylistItem {
  /// `Artist - Title  (Album)  [missing]`.
  fileprivate var line: String {
    if let track { return track.line }
    let state = state == .here ? "" : "  [\(state)]"
    return ((artist.map { "\($0) - " } ?? "") + title + (album.map { "  (\($0))" } ?? "") + state).printable
  }

  /// The object of `search --json` with the number; of what is not in the library, only what is known.
  fileprivate func json(number: Int) -> JSON {
    if case .object(let members)? = track?.json { return .object([("number", JSON(number))] + members) }
    let place = location.written.description
    return [
      "number": JSON(number), location.isAddress ? "address" : "path": .string(place), "title": .string(title),
      "artists": .array([artist].compactMap { $0.map { .string($0) } }), "album": JSON(album),
      "state": .string("\(state)"),
    ]
  }
}
