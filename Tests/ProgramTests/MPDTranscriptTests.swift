import Glibc
import SoundServerSupport
import TestTraits
import Testing

private let hasMPD = access("/usr/bin/mpd", X_OK) == 0

/// One script of commands, to the real MPD (0.23.12 is Debian's) and to segue, over the same files. The answers are equal
/// but for the differences that `normalized` and docs/manual/mpd.md name.
@Suite(.enabled(if: hasFixtures && hasMPD, "no fixtures, or no mpd"), .onThreadsOfTheirOwn)
struct MPDTranscriptTests {
  private let folder: TemporaryFolder
  private let players: [ChildProcess]
  private var sockets: (mpd: String, segue: String) { (folder("mpd.socket"), folder("run/segue/mpd")) }

  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    for name in ["run", "music", "music/Album", "music/Zed B", "music/Zed B/Inner", "lists"] {
      mkdir(folder(name), 0o700)
    }
    func add(_ name: String, _ sound: Int, _ tags: [(String, String)]) throws {
      try write(madeMP3(sound: sound, tags, frames: 80), to: folder("music/\(name)"))
    }
    try add(
      "Album/01 One.mp3", 1,
      [("TIT2", "One"), ("TPE1", "Band"), ("TALB", "Record"), ("TRCK", "1/3"), ("TDRC", "1999"), ("TCON", "Rock")])
    try add(
      "Album/02 Two.mp3", 2,
      [
        ("TIT2", "Two"), ("TPE1", "Band"), ("TALB", "Record"), ("TRCK", "2"), ("TDRC", "1999-03-04"), ("TPOS", "1/2"),
        ("TCOM", "Writer"),
      ])
    try add("Album/10 Ten.mp3", 3, [("TIT2", "Ten"), ("TPE1", "Guest\0Band"), ("TALB", "Record"), ("TRCK", "10")])
    try add("Zed B/Inner/x.mp3", 4, [("TIT2", "Ärger"), ("TPE1", "zulu"), ("TPE2", "The Zulus"), ("TALB", "Äther")])
    try add("Zed B/y.mp3", 5, [])
    try add("loose.mp3", 6, [("TIT2", "Loose"), ("TPE1", "Alpha")])
    let configuration = """
      music_directory "\(folder("music"))"
      playlist_directory "\(folder("lists"))"
      db_file "\(folder("db"))"
      sticker_file "\(folder("sticker.sql"))"
      bind_to_address "\(folder("mpd.socket"))"
      log_file "\(folder("log"))"
      audio_output {
        type "null"
        name "null"
      }

      """
    try write(Array(configuration.utf8), to: folder("mpd.conf"))
    let environment: [String: String?] = [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "LC_ALL": "C.UTF-8",
    ]
    _ = try ChildProcess.output(of: [Program.path, "library", "add", folder("music")], environment: environment)
    players = [
      try ChildProcess(
        ["mpd", "--no-daemon", folder("mpd.conf")], environment: environment, errors: folder("mpd.err")),
      try ChildProcess(
        [Program.path, "--no-ui", "--output", "null", "--repeat", "all", fixture("e2-44100-cbr160.mp3")],
        environment: environment, errors: folder("errors")),
    ]
    let sockets = [folder("mpd.socket"), folder("run/segue/mpd")]
    #expect(eventually { sockets.allSatisfy { SoundServer.accepts($0) } })
    _ = try Self.answers(to: ["stop", "clear"], at: sockets[1])
    // MPD reads its folder first; its database has a time once it is saved.
    #expect(eventually { (try? Self.answers(to: ["stats"], at: sockets[0]))?.first?.contains("db_update") == true })
  }

  /// The answer to each line, asked one after the other over one connection.
  private static func answers(to lines: [String], at socket: String) throws -> [String] {
    let program = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); f = s.makefile('rwb'); f.readline()
      for line in sys.argv[2:]:
          f.write(line.encode() + b'\\n'); f.flush()
          while True:
              answer = f.readline()
              sys.stdout.buffer.write(answer)
              if not answer or answer.startswith((b'OK', b'ACK')): break
          sys.stdout.buffer.write(b'\\x1e')
      """
    let output = try ChildProcess.output(of: ["python3", "-c", program, socket] + lines)
    return output.split(separator: "\u{1e}", omittingEmptySubsequences: false).dropLast().map { String($0) }
  }

  /// Without what differs:
  /// - MPD 0.24 tells when a song was added, 0.23 does not.
  /// - Formats are those of the decoders. The library does not keep the times of folders, and the queue not those of files.
  /// - MPD estimates the duration of an MP3 file from its size; it is some milliseconds off.
  /// - Other times and numbers of jobs are those of each program. Ids of songs begin elsewhere.
  /// - `list file` and `find` without `sort` follow the order of the library: by artist, album, disc and number.
  private func normalized(_ answer: String, to line: String) -> [String] {
    var isFolder = false
    let isQueue = answer.contains("\nPos: ")
    let lines = answer.split(separator: "\n").compactMap { line -> String? in
      let key = String(line.prefix { $0 != ":" })
      if key == "file" || key == "directory" { isFolder = key == "directory" }
      if ["Added", "Format"].contains(key) || key == "Last-Modified" && (isFolder || isQueue) { return nil }
      return ["uptime", "playtime", "db_update", "updating_db", "duration", "Id"].contains(key) ? key : String(line)
    }
    return line == "list file" ? lines.sorted() : lines
  }

  private func compare(_ lines: [String]) throws {
    let (theirs, ours) = (try Self.answers(to: lines, at: sockets.mpd), try Self.answers(to: lines, at: sockets.segue))
    try #require(theirs.count == lines.count && ours.count == lines.count)
    for (line, (theirs, ours)) in zip(lines, zip(theirs, ours)) {
      #expect(normalized(ours, to: line) == normalized(theirs, to: line), "\(line)")
    }
    for player in players { player.end() }
  }

  @Test func `about folders and songs`() throws {
    try compare([
      "lsinfo Album", "lsinfo \"Zed B\"", "lsinfo \"Album/01 One.mp3\"", "lsinfo nothing", "lsinfo ../x", "listall",
      "listall Album", "listallinfo \"Zed B/Inner\"", "list album", "list album group albumartist", "list artist",
      "list albumartist", "list title artist Band", "list date", "list album Band", "list file", "list genre",
      "list album group artist group date", "list", "list nothing", "list album nobody", "list album group foo",
      "find \"(artist == 'Band')\" sort -Track", "search any band sort title", "find artist Band sort foo",
      "search title o sort title window 0:1", "find artist Band window 3", "count artist Band",
      "count artist Band group album", "count group artist", "find \"(base 'Zed B/Inner')\"",
      "find \"(title foo 'O.*')\"", "find \"(artist == 'Band'\"", "find foo bar", "find", "find artist",
      "find file \"Album/01 One.mp3\"", "search \"(title contains 'O')\" sort title",
      "search \"(artist == 'band')\" sort title",
      "find \"(artist == \\\"Band\\\" )\" sort title",
      "find \"((artist == 'Band') AND (!(title == 'One')))\" sort title",
      "find \"(!(title == 'One'))\" sort title", "find \"(title != 'One')\" sort title",
      "find \"(title !contains 'O')\" sort title", "find \"(modified-since '2020-01-01T00:00:00Z')\" sort title",
      "find \"(modified-since '2099-01-01T00:00:00Z')\"", "stats", "update", "rescan", "update Album",
    ])
  }

  @Test func `about stored playlists`() throws {
    let (one, ten) = ("\"Album/01 One.mp3\"", "\"Album/10 Ten.mp3\"")
    try compare([
      "listplaylists", "findadd artist Band sort title", "save mix", "save mix", "listplaylist mix",
      "listplaylistinfo mix", "playlistadd mix loose.mp3", "listplaylist mix", "playlistadd mix \(one) 1",
      "listplaylist mix", "playlistadd mix \(ten) 9", "playlistadd mix nothing", "playlistadd new \"Zed B/Inner\"",
      "playlistadd new \(ten)", "playlistadd new loose.mp3",
      "listplaylist new", "playlistmove mix 0 2", "playlistmove mix 3 0", "playlistmove mix 9 0",
      "playlistmove mix 0 9", "listplaylist mix", "playlistdelete mix 1", "playlistdelete mix 9",
      "playlistdelete mix 0:2", "listplaylist mix", "clear", "load new 1:2", "playlist", "load mix", "playlist",
      "load new 0:1 0", "playlist", "load none", "load new 9:10", "rename mix new", "rename none x",
      "rename mix \"a b\"", "listplaylist mix", "listplaylist \"a b\"", "rename \"a b\" x/y", "save x/y",
      "playlistclear \"a b\"", "listplaylist \"a b\"", "playlistclear none", "playlistadd none/a \(one)",
      "rm \"a b\"", "rm \"a b\"", "rm ../x", "rm new", "listplaylists", "lsinfo",
    ])
  }

  @Test func `about the queue, playlists and stickers`() throws {
    let one = "\"Album/01 One.mp3\""
    try compare([
      "findadd artist Band sort title", "playlistinfo", "playlist", "playlistfind title Ten", "playlistinfo 9",
      "move 0 2",
      "swap 0 1", "delete 0", "playlistid", "deleteid 99", "searchadd title loose", "playlist", "clear", "playlist",
      "addid nothing", "add nothing", "add Album", "playlistinfo 0", "clear", "searchaddpl hits artist band sort title",
      "listplaylist hits", "listplaylistinfo hits", "rm hits", "rm hits", "load nothing",
      "sticker get song \(one) rating", "sticker set song \(one) rating 7", "sticker get song \(one) rating",
      "sticker list song \(one)", "sticker find song \"\" rating", "sticker find song \"\" rating = 7",
      "sticker find song Album rating > 6", "sticker find song Album rating like 6",
      "sticker set song nothing rating 7", "sticker get song nothing rating", "sticker get foo nothing rating",
      "sticker foo song nothing rating", "sticker delete song \(one) rating", "sticker delete song \(one) rating",
      "sticker delete song \(one)", "sticker get", "ping", "nothing", "status 1", "urlhandlers 1", "password",
    ])
  }
}
