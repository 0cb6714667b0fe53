internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Containers
internal import Desk
internal import Glibc
internal import Library
internal import Playback
internal import Player
internal import Streaming

/// `segue library`: the music collection.
struct LibraryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library", abstract: "Manage the music library.",
    discussion: """
      The library keeps the tags of the files in the folders that were added, and your ratings, play counts and dates. \
      It never changes a music file. Tracks on a disk that is not connected stay in the library: only 'forget' removes \
      tracks.

      A query is a list of words and conditions: bach genre:classical -artist:"j. c." year:1720..1750 added:<30d \
      rating:>=4 plays:0 sort:added- limit:100. 'man segue' explains it.
      """,
    subcommands: [
      Add.self, Scan.self, Search.self, List.self, Stats.self, MeasureCommand.self, Rate.self, Love.self,
      PinCommand.self, PlaylistsCommand.self, Forget.self, Undo.self, ExportCommand.self, ImportCommand.self,
    ])

  /// Parses a query; an error ends the command with status 64 and shows the place.
  static func query(_ words: [String]) throws -> LibraryQuery {
    let text = words.joined(separator: " ")
    do throws(QueryError) { return try LibraryQuery(text, now: Int64(time(nil))) } catch {
      // No usage: thrown by `run`, it would be that of the whole program.
      report("query", error)
      let lines = "  \(text.printable)\n  \(String(repeating: " ", count: error.place))^\n"
      try? FileWriter(descriptor: STDERR_FILENO).write(Array(lines.utf8))
      throw ExitCode.validationFailure
    }
  }

  /// Refuses words that are all blank, as an unset variable of a script is: as a query they would mean all tracks.
  static func refuseBlank(_ words: [String]) throws {
    guard words.isEmpty || words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Name a file, a folder or a query.")
    }
  }

  /// The files of a query that are there, to be played; ends with status 2 if there are none.
  static func paths(matching text: String) throws -> [BytePath] {
    let query = try query([text])
    guard let connection = UserFolders().data.map({ LibraryConnection($0) }), connection.has("catalogue.map") else {
      throw ExitCode.nothingPlayable.reporting("library", "there is none yet: segue library add ~/Music")
    }
    let view = try connection.open().view()
    let paths: [BytePath]
    if let playlist = query.wholePlaylist.flatMap(view.playlist(named:)) {
      let items = (try? view.items(of: playlist, now: Int64(time(nil)))) ?? []
      paths = items.filter { $0.state == .here }.map { $0.location.written }
    } else {
      let tracks = LibrarySearch(view).tracksInOrder(query, seed: UInt64.random(in: 0 ... .max)).map(view.track)
      paths = tracks.filter { $0.state == .here }.map(\.path)
    }
    guard !paths.isEmpty else {
      throw ExitCode.nothingPlayable.reporting("library", "no track that is here matches \"\(text)\"")
    }
    return paths
  }

  /// The tracks of a file, below a folder, or of a query. Tracks whose files are gone have their paths, too.
  static func tracks(named words: [String], in view: LibraryView) throws -> [LibraryTrack] {
    if words.count == 1, !words[0].isEmpty {
      let path = BytePath(ByteArguments.bytes(of: words[0])).absolute
      let all = (0..<view.index.trackCount).lazy.map(view.track)
      let places = view.otherPlaces { $0 == path || $0.isBelow(path) }
      let numbers = Set(places.flatMap { view.index.tracks(ofRecording: $0.recording) })
      let found = Array(
        all.filter { $0.path == path || $0.path.isBelow(path) || !numbers.isEmpty && numbers.contains($0.number) })
      guard found.isEmpty else { return found }
      if path.exists {
        throw ExitCode.nothingPlayable.reporting(path, "not in the library: add its folder, or scan again")
      }
    }
    let query = try query(words)
    return LibrarySearch(view).tracks(query).map(view.track)
  }
}

extension LibraryCommand {
  /// `segue library add FOLDER...`, `segue library add ADDRESS [--user NAME]`
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add folders or a server, and scan them.",
      discussion: """
        A server of music speaks OpenSubsonic or Subsonic: Navidrome, gonic, supysonic and others. segue asks for the \
        password of --user, else for an API key, or reads it from standard input.
        """)

    @Flag(help: "Print the totals as one JSON object.") var json = false
    @Flag(name: .customLong("no-scan"), help: "Add the folders without a scan.") var hasNoScan = false
    @Option(help: "Your name on the server; without it, an API key is used.") var user: String?
    @Option(
      help:
        "A music folder of the server to take, or all; can be repeated. Without it, those of the last time, else all.")
    var folder: [String] = []
    @Option(
      help: ArgumentHelp(
        "Accept the server's own certificate with this SHA-256 fingerprint without a question.",
        valueName: "fingerprint"))
    var certificate: String?
    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "Folders, or the address of a server.") var folders: [BytePath]

    private var server: WebAddress? {
      folders.lazy.map { WebAddress($0.description) }.first(where: \.isHTTP)
    }

    func validate() throws {
      guard server != nil || (user == nil && folder.isEmpty && certificate == nil), server == nil || folders.count == 1
      else {
        throw ValidationError("A server is added alone: segue library add https://host/path --user NAME")
      }
      if let certificate, ServerCertificate.fingerprint(written: certificate) == nil {
        throw ValidationError("A fingerprint has 64 hexadecimal digits.")
      }
      if server?.userInfo != nil { throw ValidationError("A password is asked for: leave it out of the address.") }
    }

    func run() throws {
      if let server {
        return try LibraryCommand.add(
          server, user: user, accepted: certificate.flatMap(ServerCertificate.fingerprint(written:)), folders: folder,
          to: protection.library(), scans: !hasNoScan, json: json)
      }
      for folder in folders {
        do throws(ByteIOError) { _ = try namesInFolder(folder) } catch {
          throw ExitCode.nothingPlayable.reporting(folder, error)
        }
      }
      let library = try protection.library()
      let names = try folders.map { try library.named($0) }
      for (folder, name) in zip(folders, names) {
        switch try library.addRoot(name) {
        case .added: break
        case .known: report(folder, "is in the library already")
        case .within(let root): report(folder, "is in the library already, as a part of \(root)")
        }
      }
      guard !hasNoScan else { return }
      try Scan.scan(library, names, json: json)
    }
  }

  /// `segue library scan [FOLDER...]`
  struct Scan: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "scan", abstract: "Read new and changed files.",
      discussion: "Ctrl-C cancels the scan; the next scan continues. Tracks on a disk that is not connected stay.")

    @Flag(help: "Print the totals as one JSON object.") var json = false
    @OptionGroup var protection: ProtectionOptions
    @Argument(
      help: """
        Folders to scan; without any, all. Scans every added folder that is one of these, lies in one, or contains one.
        """)
    var folders: [BytePath] = []

    func run() throws {
      let library = try protection.library()
      let roots = try library.roots()
      if roots.isEmpty {
        throw ExitCode.nothingPlayable.reporting("library", "no folder was added yet: segue library add ~/Music")
      }
      let known = folders.map { roots.named($0.absolute) }.filter { folder in
        let isKnown = roots.contains { root in
          root.state != .forgotten && (folder == root.path || folder.isBelow(root.path) || root.path.isBelow(folder))
        }
        if !isKnown { report(folder, "not in the library: segue library add adds it") }
        return isKnown
      }
      guard folders.isEmpty || !known.isEmpty else { throw ExitCode.nothingPlayable }
      try Self.scan(library, known, json: json)
      if known.count < folders.count { throw ExitCode.someFailed }
    }

    static func scan(_ library: MusicLibrary, _ folders: [BytePath], json: Bool) throws {
      let showsProgress = isatty(STDERR_FILENO) == 1
      var line = ProgressLine()
      let totals = try LibraryScan.run(folders, of: library, extensions: AudioFileTypeID.playableExtensions) {
        progress in
        if showsProgress { line.show(progress) }
      }
      _ = try library.view()
      if showsProgress { line.clear() }
      try LibraryCommand.tellServers(of: library)
      var output = LineWriter()
      output.add(json ? totals.json.description : totals.sentence)
      for root in try library.roots() where root.state == .away {
        report(root.path, "away: \(root.reason ?? "not there")")
      }
      for places in [totals.unreadFiles, totals.unreadFolders] {
        for place in places.first { report(place.path, place.reason) }
        let more = places.count - places.first.count
        if more > 0 { report("library", "\(more) more could not be read") }
      }
      output.flush()
    }
  }
}

/// One line on standard error that is written over and over.
struct ProgressLine {
  private var last = ContinuousClock.now
  private var start = ContinuousClock.now

  mutating func show(_ progress: ScanProgress) {
    let seconds = max(0.001, (.now - start) / .seconds(1))
    show(
      progress.read == 0
        ? "found \(progress.found): \(progress.folder)"
        : "read \(progress.read) of \(progress.toRead), \(Int(Double(progress.read) / seconds)) per second: "
          + "\(progress.folder)")
  }

  /// Shows a text, ten times a second at most.
  mutating func show(_ text: @autoclosure () -> String) {
    let now = ContinuousClock.now
    guard now - last > .milliseconds(100) else { return }
    last = now
    let text = text()
    write("\r\u{1b}[K" + String(text.printable.prefix(78)))
  }

  func clear() { write("\r\u{1b}[K") }

  private func write(_ text: String) { try? FileWriter(descriptor: STDERR_FILENO).write(Array(text.utf8)) }
}

extension ScanTotals {
  fileprivate var json: JSON {
    [
      "found": JSON(found), "read": JSON(read), "unchanged": JSON(unchanged), "moved": JSON(moved),
      "retagged": JSON(retagged), "missing": JSON(missing), "away": JSON(away), "bad": JSON(bad),
      "unread": JSON(unreadFiles.count), "unreadFolders": JSON(unreadFolders.count),
      "seconds": JSON((seconds * 1e6).rounded() / 1e6),
    ]
  }
}
