internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Database
internal import Desk
internal import Glibc
internal import Library
internal import Player

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
      try LibraryCommand.act(on: Array(arguments.dropLast()), protection, json: json) {
        (library, tracks) throws(DatabaseError) in
        try library.rate(tracks, rating)
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
      try LibraryCommand.act(on: arguments, protection, json: json) {
        (library, tracks) throws(DatabaseError) in
        try library.love(tracks, !off)
      }
    }
  }

  /// `segue library forget FOLDER|FILE|QUERY`
  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Remove a folder, or the tracks of a query, from the library.",
      discussion: "Music files are not changed. 'segue library undo' restores the tracks.")

    @Flag(help: "Print one JSON object.") var json = false
    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "A folder, a file, or words and conditions.", completion: .custom(ShellCompletion.query))
    var arguments: [String]

    func validate() throws { try LibraryCommand.refuseBlank(arguments) }

    func run() throws {
      if arguments.count == 1 {
        let library = try LibraryCommand.open(protection)
        let path = BytePath(ByteArguments.bytes(of: arguments[0]))
        let before = try LibraryCommand.checked { () throws(DatabaseError) in try library.view() }
        let isRoot = try LibraryCommand.checked { () throws(DatabaseError) in try library.forgetRoot(path) }
        if isRoot {
          _ = try LibraryCommand.checked { () throws(DatabaseError) in try library.view() }
          let folder = path.absolute
          let count = (0..<before.index.trackCount).count { before.track($0).path.isBelow(folder) }
          return LibraryCommand.sayCount(count, json: json)
        }
      }
      try LibraryCommand.act(on: arguments, protection, json: json) {
        (library, tracks) throws(DatabaseError) in
        try library.forget(tracks)
      }
    }
  }

  /// `segue library undo`
  struct Undo: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "undo", abstract: "Undo the last rating, love, addition, removal or change of a playlist.")

    @OptionGroup var protection: ProtectionOptions

    func run() throws {
      let library = try LibraryCommand.open(protection)
      let text = try LibraryCommand.checked { () throws(DatabaseError) in
        let text = try library.undo()
        _ = try library.view()
        return text
      }
      guard let text else {
        report("library", "there is nothing to undo")
        throw ExitCode.nothingPlayable
      }
      var output = LineWriter()
      output.add("undone: \(text)".printable)
      output.flush()
    }
  }

  /// `segue library export`
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Print ratings, counts, dates and playlists of the library as JSON lines.")

    @OptionGroup var protection: ProtectionOptions

    func run() throws {
      let library = try LibraryCommand.open(protection)
      var output = LineWriter()
      try LibraryCommand.checked { () throws(DatabaseError) in
        try ListenerRecord.forEach(of: library) { output.add($0.json.description) }
        for playlist in try PlaylistRecord.all(of: library) { output.add(playlist.json.description) }
      }
      output.flush()
    }
  }

  /// `segue library import FILE`
  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Read ratings, counts, dates and playlists from an 'export' or another player.",
      discussion: """
        Tracks are recognised by their sound or their path; data of tracks not yet in the library is kept until they \
        are added. Existing ratings stay, and the larger count wins, so a second import changes nothing. Files of other \
        players: ~/.local/share/rhythmbox/rhythmdb.xml, ~/.config/cmus/cache, and the sticker database of MPD \
        (sticker_file in mpd.conf) with its music_directory: --music ~/Music.
        """)

    @Option(help: ArgumentHelp("The music_directory of your mpd.conf.", valueName: "folder")) var music: BytePath?
    @OptionGroup var protection: ProtectionOptions
    @Argument(help: "A file, or - for standard input.") var file: BytePath

    func run() throws {
      let library = try LibraryCommand.open(protection)
      let (records, playlists, hasFailures) = try records()
      let known = try LibraryCommand.checked { () throws(DatabaseError) in
        try ListenerRecord.add(records, to: library)
      }
      var added = 0
      // After the tracks, which the entries name.
      for playlist in playlists
      where try LibraryCommand.checked({ () throws(DatabaseError) in
        try playlist.add(to: library)
      }) { added += 1 }
      try LibraryCommand.checked { () throws(DatabaseError) in try ResumePoints.save(of: library) }
      var output = LineWriter()
      output.add("\(counted(known, "track")) known, \(records.count - known) wait for their files")
      if !playlists.isEmpty {
        output.add("\(counted(added, "playlist")) added, \(playlists.count - added) are there already")
      }
      output.flush()
      if hasFailures { throw ExitCode.someFailed }
    }

    private var isStandardInput: Bool { file == BytePath("-") }

    /// All bytes until its end, of a pipe, too.
    private static func standardInput(byteLimit: Int) throws(ByteIOError) -> [UInt8] {
      var (bytes, window) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
      while true {
        let count = read(STDIN_FILENO, &window, window.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw ByteIOError(operation: "read", errno: errno) }
        guard count > 0 else { return bytes }
        bytes += window[..<count]
        guard bytes.count <= byteLimit else { throw ByteIOError(operation: "read", errno: EFBIG) }
      }
    }

    /// The records of the file, and true if a part of it is none.
    private func records() throws -> ([ListenerRecord], [PlaylistRecord], hasFailures: Bool) {
      let bytes: [UInt8]
      do throws(ByteIOError) {
        bytes =
          try isStandardInput ? Self.standardInput(byteLimit: 1 << 30) : wholeFile(file, byteLimit: 1 << 30)
      } catch {
        report(file, error)
        throw ExitCode.nothingPlayable
      }
      let now = Int64(time(nil))
      switch ForeignLibrary(firstBytes: bytes) {
      case .rhythmbox: return (ListenerRecord.rhythmbox(bytes, now: now), [], false)
      case .cmus: return (ListenerRecord.cmus(bytes, now: now), [], false)
      case .stickers:
        guard !isStandardInput else {
          report(file, "MPD's stickers are a database: name its file")
          throw ExitCode.nothingPlayable
        }
        guard let music else {
          report(file, "MPD's stickers name files below its music_directory: add --music FOLDER")
          throw ExitCode.nothingPlayable
        }
        let records = try LibraryCommand.checked { () throws(DatabaseError) in
          try ListenerRecord.stickers(file, music: music.absolute, now: now)
        }
        return (records, [], false)
      case nil:
        var (records, playlists, hasFailures): ([ListenerRecord], [PlaylistRecord], Bool) = ([], [], false)
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where !line.isEmpty {
          if let record = ListenerRecord(line) {
            records.append(record)
          } else if let playlist = PlaylistRecord(line) {
            playlists.append(playlist)
          } else {
            hasFailures = true
            report("\(file), line \(number + 1)", "not a line of 'segue library export': left out")
          }
        }
        return (records, playlists, hasFailures)
      }
    }
  }

  /// Does something to tracks and says to how many.
  private static func act(
    on words: [String], _ protection: ProtectionOptions, json: Bool,
    _ body: (MusicLibrary, [LibraryTrack]) throws(DatabaseError) -> Void
  ) throws {
    let library = try open(protection)
    let view = try checked { () throws(DatabaseError) in try library.view() }
    let tracks = try tracks(named: words, in: view)
    try checked { () throws(DatabaseError) in
      try body(library, tracks)
      _ = try library.view()
    }
    sayCount(tracks.count, json: json)
    if tracks.isEmpty { throw ExitCode.nothingPlayable }
  }

  private static func sayCount(_ count: Int, json: Bool) {
    var output = LineWriter()
    output.add(json ? (["tracks": JSON(count)] as JSON).description : counted(count, "track"))
    output.flush()
  }
}

extension ListenerRecord {
  fileprivate var json: JSON {
    [
      "key": JSON(key), "path": .string(ByteArguments.text(of: path.bytes)), "title": JSON(title),
      "artist": JSON(artist), "album": JSON(album), "added": JSON(added), "plays": JSON(plays), "skips": JSON(skips),
      "last": JSON(last), "rating": JSON(rating), "love": .bool(love),
      "resume": JSON(resume),
    ]
  }

  /// `nil` for what is no line of an export.
  fileprivate init?(_ line: ArraySlice<UInt8>) {
    guard let object = try? JSON(parsing: line), case .object(let members) = object,
      case let values = Dictionary(members, uniquingKeysWith: { $1 }),
      case .string(let path)? = values["path"], !path.isEmpty
    else { return nil }
    func text(_ name: String) -> String? { if case .string(let text)? = values[name] { text } else { nil } }
    func number(_ name: String) -> Int64? { if case .integer(let number)? = values[name] { number } else { nil } }
    self.init(path: BytePath(ByteArguments.bytes(of: path)), added: number("added") ?? Int64(time(nil)))
    (key, title, artist, album) = (text("key"), text("title"), text("artist"), text("album"))
    (plays, skips) = (Int(clamping: number("plays") ?? 0), Int(clamping: number("skips") ?? 0))
    (last, rating) = (number("last"), number("rating").map { Int(clamping: $0) })
    if case .bool(true)? = values["love"] { love = true }
    resume = values["resume"]?.double.flatMap { 0 < $0 && $0.isFinite ? $0 : nil }
  }
}

extension PlaylistRecord {
  fileprivate var json: JSON {
    let entries = entries.map { entry -> JSON in
      ["location": .string(ByteArguments.text(of: entry.location)), "key": JSON(entry.key), "title": JSON(entry.title)]
    }
    return ["playlist": .string(name), "query": JSON(query), "entries": .array(entries)]
  }

  /// `nil` for what is no playlist of an export.
  fileprivate init?(_ line: ArraySlice<UInt8>) {
    guard let object = try? JSON(parsing: line), let name = object["playlist"]?.text else { return nil }
    let entries = (object["entries"]?.elements ?? []).compactMap { entry -> Entry? in
      guard let location = entry["location"]?.text else { return nil }
      return Entry(location: ByteArguments.bytes(of: location), key: entry["key"]?.text, title: entry["title"]?.text)
    }
    self.init(name: name, query: object["query"]?.text, entries: entries)
  }
}
