import Foundation
import Glibc
import SoundServerSupport
import TestTraits
import Testing

@testable import segue

/// `segue library`, run as a process on made files.
@Suite("segue library", .onThreadsOfTheirOwn) struct LibraryCommandTests {
  private let folder: TemporaryFolder
  private var music: String { (folder.path + "/music") }

  init() throws {
    folder = try TemporaryFolder()
    mkdir(music, 0o755)
  }

  private struct Run {
    var status: Int32
    var output: String
    var errors: String
  }

  private func run(_ arguments: String..., environment: [String: String?] = [:]) throws -> Run {
    try run(arguments, environment: environment)
  }

  private func run(_ arguments: [String], environment: [String: String?] = [:]) throws -> Run {
    let errors = (folder.path + "/errors")
    unlink(errors)
    let ours: [String: String?] = ["SEGUE_HOME": (folder.path + "/home")]
    let child = try ChildProcess(
      [Program.path] + arguments, environment: ours.merging(environment) { $1 }, output: .collected, errors: errors)
    var bytes: [UInt8] = []
    while case let more = child.read(), !more.isEmpty { bytes += more }
    return Run(
      status: child.wait(), output: String(decoding: bytes, as: UTF8.self),
      errors: String(decoding: (try? contents(errors)) ?? [], as: UTF8.self))
  }

  private func object(_ line: some StringProtocol) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  /// Layer III, 128 kbit/s, 44.1 kHz; ID3v2.4 in UTF-8.
  private func add(_ name: String, sound: UInt8, _ tags: [(String, String)] = [], frames: Int = 40) throws {
    func synchsafe(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> ($0 * 7) & 0x7f) } }
    var body: [UInt8] = []
    for (key, text) in tags {
      let bytes = [3] + Array(text.utf8)
      body += Array(key.utf8) + synchsafe(bytes.count) + [0, 0] + bytes
    }
    let frame = [0xff, 0xfb, 0x90, 0x00] + [UInt8](repeating: 0, count: 32) + [UInt8](repeating: sound, count: 381)
    let sound = [[UInt8]](repeating: frame, count: frames).flatMap(\.self)
    try write(Array("ID3".utf8) + [4, 0, 0] + synchsafe(body.count) + body + sound, to: music + "/" + name)
  }

  private func setAge(of name: String, seconds: Int) {
    let times = [timespec](repeating: timespec(tv_sec: time(nil) - seconds, tv_nsec: 0), count: 2)
    #expect(utimensat(AT_FDCWD, music + "/" + name, times, 0) == 0)
  }

  @Test func `a file whose reader crashes is named, and the next scan does without it`() throws {
    for number in 0..<2000 { try add("\(number).mp3", sound: UInt8(truncatingIfNeeded: number)) }
    var bad: [[String: Any]]?
    // The signal may come between two files.
    for _ in 0..<50 where bad?.isEmpty != false {
      let scan = try ChildProcess(
        [Program.path, "library", "add", music], environment: ["SEGUE_HOME": folder.path + "/home"])
      #expect(waitUntil { scan.isOver || scan.signal(SIGSEGV, thread: "scan") })
      _ = scan.wait()
      #expect(try run("library", "scan").status == 0)
      bad = try object(try run("library", "stats", "--json").output)["badFiles"] as? [[String: Any]]
      if bad?.isEmpty != false { try forgetAll() }
    }
    let file = try #require(bad?.first)
    #expect(bad?.count == 1 && file["reason"] as? String == "segue crashed while it read this file")
    #expect((file["path"] as? String)?.hasPrefix(music) == true)
  }

  /// The next scan reads every file again.
  private func forgetAll() throws {
    try #require(rename(folder.path + "/home", folder.path + "/old\(UInt.random(in: 0...UInt.max))") == 0)
  }

  @Test func `paths are printed byte by byte, for other programs`() throws {
    try add("a.mp3", sound: 1)
    let name = Array("b".utf8) + [0xff] + Array(".mp3".utf8)
    let script = #"mv "$0/a.mp3" "$0/$(printf 'b\377.mp3')""#
    #expect(try Program.run(["sh", "-c", script, music]).status == 0)
    #expect(try run("library", "add", music).status == 0)
    let home = "SEGUE_HOME=\(folder.path)/home"
    let found = try Program.run(["env", home, Program.path, "library", "search", "--paths"])
    #expect(found.output == Array("\(music)/".utf8) + name + [0x0a])
  }

  @Test func `an export is imported from a pipe, too`() throws {
    try add("a.mp3", sound: 1)
    #expect(try run("library", "add", music).status == 0)
    #expect(try run("library", "rate", music + "/a.mp3", "8").status == 0)
    let script = #"SEGUE_HOME="$1/home" "$0" library export | SEGUE_HOME="$1/other" "$0" library import -"#
    let result = try Program.run(["sh", "-c", script, Program.path, folder.path])
    #expect(result.text == "0 tracks known, 1 not in the library yet\n" && result.status == 0, "\(result)")
  }

  @Test func `an import counts blank lines, and says how many tracks are known`() throws {
    try add("a.mp3", sound: 1)
    #expect(try run("library", "add", music).status == 0)
    try write("\n\n\(try run("library", "export").output)\nno record".utf8, to: folder.path + "/export")
    let result = try run("library", "import", folder.path + "/export")
    #expect(result.status == 3 && result.output == "1 track known, 0 not in the library yet\n", "\(result)")
    #expect(result.errors.hasPrefix("segue: \(folder.path)/export, line 5: not a line"), "\(result)")
  }

  @Test func `info prints the first of several sort names, as one text`() throws {
    try add("a.mp3", sound: 1, [("TSO2", "Davis, Miles\u{0}Coltrane, John")])
    let text = try run("info", "--json", music + "/a.mp3").output
    #expect(text.contains(#""albumArtistSort":"Davis, Miles""#), "\(text)")
  }

  @Test func `a term that is excluded is not an option`() throws {
    try add("a.mp3", sound: 1, [("TIT2", "One"), ("TPE1", "Bach"), ("TCON", "Rock")])
    try add("b.mp3", sound: 2, [("TIT2", "Two"), ("TPE1", "Cage"), ("TCON", "Rock")])
    try add("c.mp3", sound: 3, [("TIT2", "Three"), ("TPE1", "Cage"), ("TCON", "Jazz")])
    #expect(try run("library", "add", music).status == 0)
    #expect(try run("library", "search", "-artist:bach", "genre:rock", "--paths").output == music + "/b.mp3\n")
    #expect(try run("library", "search", "--paths", "cage", "-three").output == music + "/b.mp3\n")
    #expect(try run("library", "search", "--paths", "--", "-artist:cage").output == music + "/a.mp3\n")
    #expect(try run("library", "rate", "genre:rock", "-artist:bach", "8", "--json").output == "{\"tracks\":1}\n")
    #expect(try run("library", "love", "-artist:cage").output == "1 track\n")
    #expect(try run("library", "playlists", "add", "Mix", "-genre:rock").output == "playlist Mix made, with 1 track\n")
    #expect(try run("library", "playlists", "smart", "Best", "-artist:cage").status == 0)
    #expect(try run("library", "forget", "-artist:bach").output == "2 tracks\n")
    #expect(try run("library", "search", "--help").output.contains("USAGE"))
    let played = try run("--no-ui", "--query", "-artist:cage", "--output", "null")
    #expect(played.status == 0 && played.output.contains("One"), "\(played)")
  }

  @Test(arguments: [
    ("ctl add -genre:rock --json --instance 7", "ctl add --json --instance 7 -- -genre:rock"),
    ("ctl --format -artist:x", "ctl --format -artist:x"), ("ctl --format -10", "ctl --format -10"),
    ("ctl seek -10", "ctl seek -- -10"), ("ctl seek -5", "ctl seek -- -5"), ("ctl volume -00", "ctl volume -- -00"),
    ("ctl balance -0.5 --json", "ctl balance --json -- -0.5"), ("ctl preamp -.5", "ctl preamp -- -.5"),
    ("ctl -0 seek -10", "ctl -0 seek -- -10"), ("ctl seek -0 -0:10", "ctl seek -0 -- -0:10"),
    ("ctl seek -10 -0", "ctl seek -0 -- -10"), ("ctl seek -10 --null", "ctl seek --null -- -10"),
    ("ctl queue -0", "ctl queue -0"), ("ctl -0Q", "ctl -0Q"), ("ctl add -genre:rock -0", "ctl add -0 -- -genre:rock"),
    ("ctl seek -- -10", "ctl seek -- -10"), ("library search -10 x", "library search -- -10 x"),
    ("library rate x -artist:y 5 --json", "library rate x --json -- -artist:y 5"),
    ("library search -h", "library search -h"), ("library search -help", "library search -help"),
    ("library search -- -x:y --json", "library search -- -x:y --json"),
    ("library search -live -- --json", "library search -- -live --json"),
    ("library import -", "library import -"), ("play -artist:x", "play -artist:x"),
  ])
  func `options stay options beside terms that are excluded, and numbers`(line: String, separated: String) {
    #expect(QueryArguments.separated(line.split(separator: " ").map(String.init)).joined(separator: " ") == separated)
  }

  @Test func `files are added, scanned, found, rated, taken along and forgotten`() throws {
    try add(
      "a.mp3", sound: 1,
      [
        ("TIT2", "Jóga"), ("TPE1", "Björk\0Eumir Deodato"), ("TALB", "Homogenic"), ("TPE2", "Björk"), ("TRCK", "2/10"),
        ("TPOS", "1/1"), ("TDRC", "1997-09-22"), ("TCON", "Electronic"),
      ])
    try add("b.mp3", sound: 2)
    let added = try run("library", "add", music, "--json")
    #expect(added.status == 0 && added.errors == "")
    let totals = try object(added.output)
    for (name, count) in [
      "found": 2, "read": 2, "unchanged": 0, "moved": 0, "retagged": 0, "missing": 0, "away": 0, "bad": 0,
      "unread": 0, "unreadFolders": 0,
    ] { #expect(totals[name] as? Int == count, "\(name)") }
    #expect(totals["seconds"] as? Double != nil)

    let found = try object(try run("library", "search", "--json", "bjork", "year:1990..1999").output)
    #expect(
      Set(found.keys) == [
        "path", "title", "artists", "album", "albumArtists", "disc", "track", "year", "genres", "duration", "rating",
        "loved", "plays", "added", "state", "server",
      ])
    #expect(found["path"] as? String == music + "/a.mp3" && found["title"] as? String == "Jóga")
    #expect(found["artists"] as? [String] == ["Björk", "Eumir Deodato"] && found["album"] as? String == "Homogenic")
    #expect(found["albumArtists"] as? [String] == ["Björk"] && found["genres"] as? [String] == ["Electronic"])
    #expect(found["disc"] as? Int == 1 && found["track"] as? Int == 2 && found["year"] as? Int == 1997)
    #expect(found["rating"] is NSNull && found["plays"] as? Int == 0 && found["state"] as? String == "here")

    #expect(try run("library", "rate", music + "/a.mp3", "8").output == "1 track\n")
    #expect(try run("library", "rate", "rating:none", "3", "--json").output == "{\"tracks\":1}\n")
    #expect(try run("library", "search", "--paths", "rating:>=8").output == music + "/a.mp3\n")
    #expect(try run("library", "love", "rating:3").output == "1 track\n")
    #expect(try run("library", "search", "--paths", "loved:yes").output == music + "/b.mp3\n")
    #expect(try run("library", "love", "--off", music + "/b.mp3").output == "1 track\n")
    #expect(try run("library", "search", "loved:yes").output == "")
    rename(music + "/a.mp3", music + "/renamed.mp3")
    #expect(try object(try run("library", "scan", "--json").output)["moved"] as? Int == 1)
    #expect(try run("library", "search", "--paths", "rating:8").output == music + "/renamed.mp3\n")

    let station = "http://radio.example/live"
    #expect(try run("library", "playlists", "create", "Road trip", music + "/renamed.mp3", station).status == 0)
    #expect(try run("library", "playlists", "smart", "Loved", "loved:yes").status == 0)
    let export = try run("library", "export").output
    #expect(export.split(separator: "\n").count == 4)
    try write(export.utf8, to: (folder.path + "/export"))
    let other: [String: String?] = ["SEGUE_HOME": (folder.path + "/other")]
    let imported = try run("library", "import", (folder.path + "/export"), environment: other)
    #expect(imported.output == "0 tracks known, 2 not in the library yet\n2 playlists added, 0 are there already\n")
    rename(music + "/renamed.mp3", music + "/third.mp3")
    #expect(try run("library", "add", music, environment: other).status == 0)
    #expect(try run("library", "search", "--paths", "rating:8", environment: other).output == music + "/third.mp3\n")
    let list = try run("library", "playlists", "export", "Road trip", environment: other).output
    #expect(list.contains("\n\(music)/third.mp3\n") && list.hasSuffix("\n\(station)\n"), "\(list)")
    let again = try run("library", "import", (folder.path + "/export"), environment: other)
    #expect(again.output == "2 tracks known, 0 not in the library yet\n0 playlists added, 2 are there already\n")
    rename(music + "/third.mp3", music + "/renamed.mp3")

    #expect(try run("library", "forget", "joga").status == 0)
    #expect(try run("library", "search", "joga").output == "")
    #expect(try run("library", "undo").output == "undone: forget \(music)/renamed.mp3\n")
    #expect(try run("library", "search", "joga").output == "Björk; Eumir Deodato - Jóga  (Homogenic)\n")
    #expect(try run("library", "list").output.contains("Björk  (1 album, 1 track)"))
    // A folder stands for the tracks below it.
    mkdir(music + "/in", 0o755)
    try add("in/c.mp3", sound: 3)
    #expect(try run("library", "scan").status == 0)
    #expect(try run("library", "rate", music + "/in/", "6").output == "1 track\n")
    #expect(try run("library", "search", "--paths", "rating:6").output == music + "/in/c.mp3\n")
    #expect(try run("library", "forget", music + "/in").output == "1 track\n")
    mkdir(music + "/empty", 0o755)
    #expect(try run("library", "forget", music + "/empty").status == 2)
    #expect(try run("library", "stats").output.contains("tracks: 2\n"))
  }

  @Test func `words play the best match, list the others, and propose commands`() throws {
    for (number, title) in ["Aria", "Variatio"].enumerated() {
      try add(
        "\(number).mp3", sound: UInt8(number),
        [("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "\(number + 1)")])
    }
    try add("2.mp3", sound: 2, [("TIT2", "Stop"), ("TPE1", "Sam Brown"), ("TALB", "Stop")])
    // The end of a file that has just been written is waited for.
    for number in 0...2 { setAge(of: "\(number).mp3", seconds: 60) }
    func play(_ words: String...) throws -> Run { try run(["--no-ui", "--output", "null"] + words) }
    let none = try run("aria")
    #expect(none.status == 2, "\(none)")
    #expect(
      none.errors
        == "segue: no file and no music named \"aria\"; there is no library yet: segue library add ~/Music\n")
    #expect(try run("library", "add", music).status == 0)
    #expect(
      try play("bach").output
        == "Playing artist Bach (1 other match: segue -l bach)\nnow: Aria - Bach\nnow: Variatio - Bach\nstopped (end of the queue)\n"
    )
    #expect(try play("goldberg", "bach").output.hasPrefix("Playing album Goldberg by Bach\nnow: Aria - Bach\nnow: Var"))
    #expect(
      try play("album:goldberg title:vari").output.hasPrefix("Playing 1 track (album:goldberg title:vari)\nnow: Var"))
    #expect(try run("-l", "bach").output == "1  artist Bach (2 tracks)\n2  album Goldberg by Bach (2 tracks)\n")
    #expect(
      try play("glodberg").output.hasPrefix("Nothing is called glodberg. Playing album Goldberg by Bach\nnow: Aria"))
    let rows = try run("--list", "--json", "bach").output.split(separator: "\n").map(object)
    #expect(rows.map { $0["kind"] as? String } == ["artist", "album"] && rows[1]["artist"] as? String == "Bach")
    for (words, message) in [
      (["stop"], "\"stop\" may be a command; did you mean segue ctl stop? segue --query stop plays the music"),
      (["sto"], "\"sto\" may be a command; did you mean segue ctl stop? segue --query sto plays the music"),
      (["stpo"], "no file and no music named \"stpo\"; did you mean segue ctl stop?"),
      (["libary"], "no file and no music named \"libary\"; did you mean segue library?"),
      (["pause"], "no file and no music named \"pause\"; did you mean segue ctl pause?"),
      (["skip"], "no file and no music named \"skip\"; did you mean segue ctl next?"),
      (["volume", "50"], "no file and no music named \"volume 50\"; did you mean segue ctl volume 50?"),
      (["beatles"], "no file and no music named \"beatles\""),
      (["radio"], "radio needs the name of a station: segue radio NAME"),
      (
        ["radio", "fip"],
        "no saved or recent station has \"fip\" in its name. To play one, give its address: segue http://..."
      ),
      (["beatles.mp3"], "beatles.mp3: cannot open: No such file or directory"),
    ] {
      let refused = try run(words)
      #expect(refused.status == 2 && refused.errors == "segue: \(message)\n", "\(refused)")
    }
    #expect(try run("yaer:1").status == 64)
    #expect(try run("-l").status == 64 && run("--json", "bach").status == 64)
  }

  @Test func `errors say what, where, and what to do`() throws {
    let none = try run("library", "scan")
    #expect(none.status == 2 && none.errors.contains("segue library add ~/Music"))
    let missing = try run("library", "add", (folder.path + "/nowhere"))
    #expect(missing.status == 2 && missing.errors.contains("No such file or directory"))
    let wrong = try run("library", "search", "bach yaer:1720")
    #expect(wrong.status == 64 && wrong.errors.contains("no field \"yaer\"") && wrong.errors.contains("\n       ^"))
    let rating = try run("library", "rate", "bach", "11")
    #expect(rating.status == 64 && rating.errors.contains("Usage: segue library rate "))
    #expect(!wrong.errors.contains("Usage"))
    let query = try run("--no-ui", "--query", "bach", "--output", "null")
    #expect(query.status == 2 && query.errors.contains("segue library add"))
    let line = try run("library", "import", Program.path)
    #expect(line.status == 2 && line.errors.split(separator: "\n").count == 1, "\(line.errors)")
  }

  @Test(
    arguments: [
      ["rate", "", "5"], ["rate", "", " ", "5"], ["love", ""], ["forget", ""], ["playlists", "add", "Mix", ""],
      ["playlists", "create", "Mix", " ", ""],
    ])
  func `blank words change nothing`(command: [String]) throws {
    try add("a.mp3", sound: 1)
    #expect(try run("library", "add", music).status == 0)
    let before = try run("library", "export").output
    // The current folder is the library's.
    let script = #"cd "$1" && shift && exec "$@""#
    let refused = try Program.run(
      ["env", "SEGUE_HOME=\(folder.path)/home", "sh", "-c", script, "sh", music, Program.path, "library"] + command)
    #expect(refused.status == 64 && refused.errors.contains("Name a file, a folder or a query."), "\(refused)")
    #expect(try run("library", "export").output == before)
    #expect(try run("library", "search", "--paths").output == music + "/a.mp3\n")
  }

  @Test func `tracks whose files are gone are named by path, too`() throws {
    mkdir(music + "/Sub", 0o755)
    for (number, name) in ["a.mp3", "b.mp3", "Sub/c.mp3", "Sub/d.mp3"].enumerated() {
      try add(name, sound: UInt8(number))
    }
    #expect(try run("library", "add", music).status == 0)
    for name in ["b.mp3", "Sub/c.mp3", "Sub/d.mp3"] { unlink(music + "/" + name) }
    rmdir(music + "/Sub")
    #expect(try object(try run("library", "scan", "--json").output)["missing"] as? Int == 3)
    #expect(try run("library", "rate", music + "/b.mp3", "5").output == "1 track\n")
    #expect(try run("library", "search", "--paths", "rating:5").output == music + "/b.mp3\n")
    #expect(try run("library", "forget", music + "/Sub/").output == "2 tracks\n")
    #expect(try run("library", "search", "--paths", "state:missing").output == music + "/b.mp3\n")
  }

  @Test func `a query plays what matches`() throws {
    try add("a.mp3", sound: 1, [("TIT2", "One")], frames: 10)
    try add("b.mp3", sound: 2, [("TIT2", "Two")], frames: 10)
    _ = try run("library", "add", music)
    let played = try run("--no-ui", "--query", "title:two", "--output", "null", "--events", "-")
    #expect(played.status == 0, "\(played.errors)")
    #expect(played.output.contains("b.mp3") && !played.output.contains("a.mp3"))
    #expect(!played.errors.contains("lost"), "\(played.errors)")
    // It was heard to its end.
    #expect(try object(try run("library", "search", "--json", "two").output)["plays"] as? Int == 1)
  }

  @Test func `a play is kept while another program locks the library for seconds`() throws {
    try add("a.mp3", sound: 1, [("TIT2", "One")], frames: 10)
    _ = try run("library", "add", music)
    let lock = """
      import sqlite3, sys, time
      library = sqlite3.connect(sys.argv[1], isolation_level=None)
      library.execute("BEGIN IMMEDIATE")
      print("locked", flush=True)
      time.sleep(600)
      """
    let locker = try ChildProcess(
      ["python3", "-c", lock, folder.path + "/home/data/listener.db"], output: .collected)
    #expect(String(decoding: locker.read(), as: UTF8.self).hasPrefix("locked"))
    let player = try ChildProcess(
      ["sh", "-c", #"exec "$0" --no-ui --query title:one --output null 2>&1 > /dev/null"#, Program.path],
      environment: ["SEGUE_HOME": folder.path + "/home"], output: .collected)
    #expect(
      String(decoding: player.read(), as: UTF8.self)
        == "segue: library: waiting up to 10 s until the last play is saved\n")
    locker.end(atOnce: true)
    #expect(player.read().isEmpty)
    #expect(player.wait() == 0)
    #expect(try object(try run("library", "search", "--json", "one").output)["plays"] as? Int == 1)
  }

  @Test func `playlists are made, changed, undone, exported, imported and played in their order`() throws {
    for number in 1...3 { try add("\(number).mp3", sound: UInt8(number), [("TIT2", "Song \(number)")], frames: 10) }
    _ = try run("library", "add", music)
    func playlists(_ arguments: String...) throws -> Run {
      let run = try run(["library", "playlists"] + arguments)
      #expect(run.status == 0, "\(arguments): \(run.errors)")
      return run
    }
    func titles(_ name: String) throws -> [String] {
      try playlists("show", name).output.split(separator: "\n").map { String($0.drop { $0 != " " }.dropFirst(2)) }
    }
    #expect(try playlists("create", "Mix", music + "/3.mp3").output == "playlist Mix made, with 1 track\n")
    #expect(try playlists("add", "Mix", "title:song -title:3").output == "2 tracks added to Mix\n")
    #expect(try playlists("add", "Mix", music + "/3.mp3", "http://localhost:9/x").output == "2 tracks added to Mix\n")
    #expect(try playlists("move", "Mix", "3", "1").output == "entry 3 of Mix moved to 1\n")
    #expect(try titles("Mix") == ["Song 2", "Song 3", "Song 1", "Song 3", "http://localhost:9/x"])
    #expect(try playlists("remove", "Mix", "5", "2").output == "2 tracks removed from Mix\n")
    #expect(try playlists("duplicate", "Mix", "Copy").status == 0 && playlists("delete", "Mix").status == 0)
    #expect(try playlists("rename", "Copy", "Other").status == 0 && playlists().output == "Other: 3 tracks\n")
    for text in ["rename playlist Copy to Other", "delete playlist Mix"] {
      #expect(try run("library", "undo").output == "undone: \(text)\n")
    }
    #expect(try playlists("smart", "Never", "plays:0", "sort:title").output == "playlist Never saved\n")
    let objects = try playlists("list", "--json").output.split(separator: "\n").map(object)
    #expect(objects.map { $0["name"] as? String } == ["Copy", "Mix", "Never"])
    #expect(objects[1]["tracks"] as? Int == 3 && objects[1]["query"] is NSNull && objects[2]["tracks"] is NSNull)

    rename(music + "/3.mp3", music + "/renamed.mp3")
    _ = try run("library", "scan")
    #expect(try titles("mix") == ["Song 2", "Song 1", "Song 3"])
    let entry = try object(try #require(try playlists("show", "--json", "Mix").output.split(separator: "\n").last))
    #expect(entry["number"] as? Int == 3 && entry["path"] as? String == music + "/renamed.mp3")
    #expect(entry["state"] as? String == "here" && entry["title"] as? String == "Song 3")

    let file = folder.path + "/out.m3u8"
    let exported = try playlists("export", "Mix").output
    #expect(exported.hasPrefix("#EXTM3U\n#EXTINF:0,Song 2\n#SEGUE-KEY:"))
    #expect(exported.hasSuffix("\n\(music)/renamed.mp3\n"))
    #expect(try playlists("export", "Mix", file).output == "3 tracks written to \(file)\n")
    #expect(String(decoding: try contents(file), as: UTF8.self) == exported)
    try write("foreign".utf8, to: file)
    let refused = try run("library", "playlists", "export", "Mix", file)
    #expect(refused.status == 2 && refused.errors.contains("exists: --force replaces it"))
    #expect(String(decoding: try contents(file), as: UTF8.self) == "foreign")
    #expect(try playlists("export", "--force", "Mix", file).status == 0)
    #expect(String(decoding: try contents(file + "~"), as: UTF8.self) == "foreign")
    #expect(try playlists("import", file).output == "playlist out made, with 3 tracks\n")
    #expect(try titles("out") == titles("Mix"))

    let outside = folder.path + "/outside.mp3"
    try write(contents(music + "/1.mp3"), to: outside)
    #expect(try playlists("add", "Mix", outside, music + "/2.mp3").output == "2 tracks added to Mix\n")
    let played = try run("--no-ui", "--query", "playlist:mix", "--output", "null", "--events", "-")
    let events = try played.output.split(separator: "\n").map(object).filter { $0["event"] as? String == "track" }
    let names = ["/2.mp3", "/1.mp3", "/renamed.mp3"].map { music + $0 } + [outside, music + "/2.mp3"]
    #expect(played.status == 0 && events.compactMap { $0["track"] as? String } == names, "\(played.errors)")
  }

  @Test func `a playlist that is refused says why`() throws {
    for (arguments, reason) in [
      (["show", "None"], "there is no playlist None"), (["delete", "None"], "there is no playlist None"),
      (["add", "Mix", "nothing"], "no file, address or track matches nothing"),
      (["import", folder.path + "/none.m3u8"], "No such file"),
      (["import", folder.path + "/a.mp3"], "is not a playlist"),
    ] {
      let failed = try run(["library", "playlists"] + arguments)
      #expect(failed.status == 2 && failed.errors.contains(reason), "\(arguments): \(failed.errors)")
    }
    #expect(try run("library", "playlists", "smart", "Mix", "yaer:1").status == 64)
  }

  @Test func `folders and files that are not there are named on standard error, and in the status`() throws {
    try add("a.mp3", sound: 1)
    try add("b.mp3", sound: 2)
    _ = try run("library", "add", music)
    let nowhere = folder.path + "/nowhere"
    let unknown = try run("library", "scan", nowhere)
    #expect(unknown.status == 2 && unknown.output == "")
    #expect(unknown.errors == "segue: \(nowhere): not in the library: segue library add adds it\n")
    let partly = try run("library", "scan", nowhere, music)
    #expect(partly.status == 3 && partly.output.hasPrefix("2 files found") && partly.errors == unknown.errors)

    let added = try run("library", "playlists", "add", "Mix", music + "/a.mp3", nowhere)
    #expect(added.status == 3 && added.output == "playlist Mix made, with 1 track\n")
    #expect(added.errors == "segue: \(nowhere): No such file or directory\n")

    #expect(try run("library", "forget", music).output == "2 tracks\n")
  }

  @Test func `a relative SEGUE_HOME has the cache, too`() throws {
    try add("a.mp3", sound: 1)
    let script = #"cd "$1" && SEGUE_HOME=all XDG_CACHE_HOME="$1/other" "$0" --no-ui --output null "$2""#
    let result = try Program.run(["sh", "-c", script, Program.path, folder.path, music + "/a.mp3"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(access(folder.path + "/all/cache", F_OK) == 0 && access(folder.path + "/other", F_OK) != 0)
  }

  /// The moments come as they come: the library must be whole after each.
  @Test func `a scan that is killed leaves a whole library, and ratings stay`() throws {
    for number in 0..<200 { try add("\(number).mp3", sound: UInt8(number), frames: 12) }
    _ = try run("library", "add", music)
    #expect(try run("library", "rate", "state:here", "7").output == "200 tracks\n")
    for round in 0..<8 {
      for number in 0..<200 {
        rename(music + "/\(number)" + (round == 0 ? "" : "-\(round - 1)") + ".mp3", music + "/\(number)-\(round).mp3")
        if number.isMultiple(of: 3) {
          try add("\(number)-\(round).mp3", sound: UInt8(number), [("TIT2", "\(round)")], frames: 12)
        }
      }
      let child = try ChildProcess(
        [Program.path, "library", "scan"], environment: ["SEGUE_HOME": (folder.path + "/home")], output: .collected)
      // In the midst of reading, writing, or after it: the sooner the earlier.
      let limit = DispatchTime.now().uptimeNanoseconds + UInt64(round) * 6_000_000
      while DispatchTime.now().uptimeNanoseconds < limit, !child.isOver {}
      child.end(atOnce: true)
    }
    let last = try object(try run("library", "scan", "--json").output)
    #expect(last["found"] as? Int == 200)
    let rated = try run("library", "search", "--paths", "rating:7", "state:here").output.split(separator: "\n")
    #expect(rated.count == 200)
  }

  @Test func `a scan that finds no room for its rows says so and loses nothing`() throws {
    for number in 0..<20 { try add("\(number).mp3", sound: UInt8(number), frames: 12) }
    _ = try run("library", "add", music)
    #expect(try run("library", "rate", "state:here", "7").output == "20 tracks\n")
    let title = String(repeating: "long ", count: 100)
    for number in 20..<200 { try add("\(number).mp3", sound: UInt8(number), [("TIT2", title)], frames: 12) }
    // Files of more than 128 KiB are refused: EFBIG, without the signal.
    let errors = folder.path + "/full"
    let scan = "trap '' XFSZ; ulimit -f 256; exec '\(Program.path)' library scan"
    let child = try ChildProcess(
      ["/bin/sh", "-c", scan], environment: ["SEGUE_HOME": (folder.path + "/home")], output: .collected, errors: errors)
    while !child.read().isEmpty {}
    #expect(child.wait() == 1)
    #expect(String(decoding: try contents(errors), as: UTF8.self).contains(".db: disk I/O error"))
    let last = try object(try run("library", "scan", "--json").output)
    #expect(last["found"] as? Int == 200)
    #expect(try run("library", "search", "--paths", "rating:7", "state:here").output.split(separator: "\n").count == 20)
  }

  /// Runs `segue` where nothing can be written: on a disk that is mounted for reading.
  private func runReadOnly(_ arguments: String) throws -> Program.Result {
    let home = folder.path + "/home"
    let script = """
      mount --bind '\(home)' '\(home)' && mount -o remount,bind,ro '\(home)' || exit 77
      SEGUE_HOME='\(home)' exec '\(Program.path)' \(arguments)
      """
    return try Program.run(["unshare", "--mount", "sh", "-c", script])
  }

  /// Only the superuser may mount.
  private static let canMount = geteuid() == 0 && access("/usr/bin/unshare", X_OK) == 0

  @Test(.enabled(if: canMount)) func `a library on a disk that cannot be written is read, and a change says why not`()
    throws
  {
    try add("a.mp3", sound: 1, [("TIT2", "Aria")])
    _ = try run("library", "add", music)
    for _ in 0..<2 {
      for question in ["search aria", "list albums", "stats", "playlists list"] {
        let result = try runReadOnly("library \(question)")
        #expect(result.status == 0, "\(question): \(result.errors)")
        #expect(result.errors.isEmpty, "\(question): \(result.errors)")
      }
      let refused = try runReadOnly("library rate aria 5")
      #expect(refused.status == 1 && refused.errors.contains("listener.db: ") && refused.errors.contains("permissions"))
      // Without the index, too, which is made of the databases then.
      unlink(try data() + "/catalogue.map")
    }
  }

  @Test func `ratings that are damaged come from the backup of the day, with a sentence`() throws {
    try add("a.mp3", sound: 1, [("TIT2", "Aria")])
    _ = try run("library", "add", music)
    _ = try run("library", "rate", "aria", "7")
    // The command before left a backup without the rating: the next day's has it.
    let data = try data()
    for name in try names(data) where name.hasSuffix(".backup") { unlink(data + "/" + name) }
    #expect(try run("library", "stats").errors == "")
    #expect(try names(data).count { $0.hasSuffix(".backup") } == 1)
    for damage in [[], Array(repeating: UInt8(ascii: "x"), count: 9000)] {
      try write(damage, to: data + "/listener.db")
      let first = try run("library", "search", "--paths", "rating:7")
      #expect(first.status == 0 && first.output == music + "/a.mp3\n", "\(first.errors)")
      #expect(first.errors.contains("ratings and playlists come from its backup listener.db."))
      let second = try run("library", "search", "--paths", "rating:7")
      #expect(second.output == first.output && second.errors == "")
    }
    for name in try names(data) where name.hasSuffix(".backup") { unlink(data + "/" + name) }
    try write(Array(repeating: UInt8(ascii: "x"), count: 9000), to: data + "/listener.db")
    let lost = try run("library", "stats")
    #expect(lost.status == 1 && lost.errors.contains("there is no backup"))
  }

  @Test func `a FIFO in the place of the index stops nothing`() throws {
    try add("a.mp3", sound: 1, [("TIT2", "Aria")])
    _ = try run("library", "add", music)
    let index = try data() + "/catalogue.map"
    unlink(index)
    mkfifo(index, 0o600)
    #expect(try run("library", "search", "--paths", "aria").output == music + "/a.mp3\n")
  }

  /// The folder of the library.
  private func data() throws -> String {
    let home = folder.path + "/home"
    return access(home + "/data/listener.db", F_OK) == 0 ? home + "/data" : home
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
  }

  @Test func `files that lacked a library are listed with it, and read once it is there`() throws {
    try write(contents(fixture("foreign.wma")), to: music + "/a.wma")
    let hidden = folder.path + "/libraries"
    mkdir(hidden, 0o755)
    for number in 59...63 { try write([], to: hidden + "/libavformat.so.\(number)") }
    let without: [String: String?] = ["LD_LIBRARY_PATH": hidden]
    #expect(
      try run("library", "add", music, environment: without).output.contains(
        "1 unplayable ('segue library list bad')"))
    let list = try run("library", "list", "bad", environment: without).output
    #expect(list.hasPrefix(music + "/a.wma: WMA files need libavformat: libavformat is not usable: \(hidden)"))
    #expect(list.contains("package libavformat"))
    let again = try object(try run("library", "scan", "--json", environment: without).output)
    #expect(again["read"] as? Int == 0 && again["bad"] as? Int == 1)
    _ = try run("library", "forget", music)
    let last = try object(try run("library", "add", music, "--json").output)
    #expect(last["read"] as? Int == 1 && last["bad"] as? Int == 0)
    #expect(try run("library", "search", "--paths").output == music + "/a.wma\n")
    #expect(try run("library", "list", "bad").output == "")
  }

  @Test func `without libsqlite3 the command says what to install`() throws {
    let hidden = (folder.path + "/libraries")
    mkdir(hidden, 0o755)
    try write("no library".utf8, to: hidden + "/libsqlite3.so.0")
    let failed = try run("library", "stats", environment: ["LD_LIBRARY_PATH": hidden])
    #expect(failed.status == 1 && failed.errors.contains("apt install libsqlite3-0"))
  }
}
