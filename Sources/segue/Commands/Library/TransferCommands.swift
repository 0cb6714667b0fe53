internal import ArgumentParser
internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
internal import Library
internal import Player

/// `segue library export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print ratings, counts, dates and playlists of the library as JSON lines.")

  @OptionGroup var protection: ProtectionOptions

  func run() throws {
    let library = try protection.library()
    var output = LineWriter()
    try ListenerRecord.forEach(of: library) { output.add($0.json.description) }
    for playlist in try PlaylistRecord.all(of: library) { output.add(playlist.json.description) }
    output.flush()
  }
}

/// `segue library import FILE`
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Read ratings, counts, dates and playlists from an 'export' or another player.",
    discussion: """
      Tracks are recognised by their sound or their path; data of tracks not yet in the library is kept until they \
      are added. Existing ratings stay, and the larger count wins, so a second import changes nothing. Files of other \
      players: ~/.local/share/rhythmbox/rhythmdb.xml, ~/.local/share/strawberry/strawberry/strawberry.db, \
      ~/.config/Clementine/clementine.db, ~/.config/cmus/cache with its playlists, one \
      of these or lib.pl or queue.pl alone, the Library.xml of iTunes and Music, and the sticker \
      database of MPD (sticker_file in mpd.conf). The last two need --music ~/Music: the place of their music folder.
      """)

  @Option(
    help: ArgumentHelp("The music_directory of your mpd.conf, or your copy of iTunes Media.", valueName: "folder"))
  var music: BytePath?
  @OptionGroup var protection: ProtectionOptions
  @Argument(help: "A file, or - for standard input.") var file: BytePath

  func run() throws {
    let library = try protection.library()
    let (records, playlists, hasFailures) = try records()
    let known = try ListenerRecord.add(records, to: library)
    var added = 0
    // After the tracks, which the entries name.
    for playlist in playlists where try playlist.add(to: library) { added += 1 }
    try ResumePoints.save(of: library)
    var output = LineWriter()
    output.add("\(counted(known, "track")) known, \(records.count - known) not in the library yet")
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
    } catch { throw ExitCode.nothingPlayable.reporting(file, error) }
    guard let player = ForeignLibrary(firstBytes: bytes) else { return try exported(bytes) }
    guard !isStandardInput || player != .database && player != .cmusPlaylist else {
      throw ExitCode.nothingPlayable.reporting(
        file, "\(player == .database ? "a database" : "a playlist"): name its file")
    }
    switch try player.read(file, bytes, music: music?.absolute, now: Int64(time(nil))) {
    case .contents(let contents): return (contents.records, contents.playlists, false)
    case .needsMusic(let reason):
      throw ExitCode.nothingPlayable.reporting(file, "\(reason): add --music FOLDER")
    }
  }

  /// The records of an export, and true if a line is none.
  private func exported(_ bytes: [UInt8]) throws -> ([ListenerRecord], [PlaylistRecord], hasFailures: Bool) {
    var (records, playlists, wrong): ([ListenerRecord], [PlaylistRecord], [Int]) = ([], [], [])
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where !line.isEmpty {
      if let record = ListenerRecord(line) {
        records.append(record)
      } else if let playlist = PlaylistRecord(line) {
        playlists.append(playlist)
      } else {
        wrong.append(number + 1)
      }
    }
    guard let first = wrong.first else { return (records, playlists, false) }
    guard !records.isEmpty || !playlists.isEmpty else {
      throw ExitCode.nothingPlayable.reporting(
        file, "neither from 'segue library export' nor a file of another player: nothing is imported")
    }
    let others = wrong.count == 1 ? "" : ", nor are \(wrong.count - 1) more"
    report("\(file), line \(first)", "not a line of 'segue library export'\(others): left out")
    return (records, playlists, true)
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
    love = values["love"]?.isTrue == true
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
