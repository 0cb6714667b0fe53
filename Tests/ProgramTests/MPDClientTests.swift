import Glibc
import SoundServerSupport
import TestTraits
import Testing

private let hasMPC = access("/usr/bin/mpc", X_OK) == 0

/// The real mpc drives the player.
@Suite(.enabled(if: hasFixtures && hasMPC, "no fixtures, or no mpc"), .onThreadsOfTheirOwn) struct `Clients of MPD` {
  private let folder: TemporaryFolder
  private let player: ChildProcess
  private var environment: [String: String?] {
    [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "MPD_HOST": folder("run/segue/mpd"), "LC_ALL": "C.UTF-8",
    ]
  }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "music", "music/Album", "home", "home/state", "home/state/playlists"] {
      mkdir(folder(name), 0o700)
    }
    // Longer than a busy machine takes between two commands.
    for (sound, name) in ["a.mp3", "b.mp3", "c.mp3"].enumerated() {
      try write(madeMP3(sound: sound, frames: 4000), to: folder("music/Album/\(name)"))
    }
    let environment: [String: String?] = [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
    ]
    player = try ChildProcess(
      [
        Program.path, "--no-ui", "--output", "null", "-o", "music=\(folder("music"))", "--repeat", "all",
        fixture("e2-44100-cbr160.mp3"),
      ], environment: environment, errors: folder("errors"))
    #expect(try waitUntilPlaying(environment))
  }

  private func mpc(_ arguments: String...) throws -> String {
    try output(ofClient: ["mpc"] + arguments, environment, withErrors: true)
  }

  @Test func `mpc drives the player`() throws {
    #expect(try mpc("pause").contains("[paused]"))
    #expect(try mpc("seek", "0:05").contains("0:05/"))
    #expect(try mpc("volume", "30").contains("volume: 30%"))
    #expect(try mpc("ls") == "Album\n")
    #expect(try mpc("ls", "Album") == "Album/a.mp3\nAlbum/b.mp3\nAlbum/c.mp3\n")
    _ = try mpc("add", "Album")
    #expect(try mpc("playlist").split(separator: "\n").count == 4)
    _ = try mpc("move", "2", "4")
    #expect(try mpc("-f", "%file%", "playlist").hasSuffix("Album/a.mp3\n"))
    _ = try mpc("del", "1")
    #expect(try mpc("-f", "%file%", "playlist").split(separator: "\n").count == 3)
    #expect(try mpc("play", "2").contains("#2/3"))
    #expect(try mpc("next").contains("#3/3"))
    #expect(try mpc("prev").contains("#2/3"))
    #expect(try mpc("random", "on").contains("random: on"))
    #expect(try mpc("random", "off").contains("repeat: on"))
    #expect(try mpc("single", "on").contains("single: on"))
    #expect(try mpc("stop").contains("volume: 30%"))
    #expect(try mpc("add", "nothing").contains("No such directory"))
    #expect(try mpc("outputs").contains("enabled"))
    #expect(try mpc("listall") == "Album/a.mp3\nAlbum/b.mp3\nAlbum/c.mp3\n")
    #expect(try mpc("update").contains("volume: 30%"))
    player.end()
  }

  /// The answer to a line of the protocol.
  private func mpd(_ line: String) throws -> String {
    let program = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); f = s.makefile('rwb'); f.readline()
      f.write(sys.argv[2].encode() + b'\\nclose\\n'); f.flush(); sys.stdout.write(f.read().decode())
      """
    let answer = try ChildProcess.output(of: ["python3", "-c", program, folder("run/segue/mpd"), line])
    print("\(folder.path): \(line): \(answer)")
    return answer
  }

  private func playlists(_ arguments: String...) throws -> String {
    try output(ofClient: [Program.path, "library", "playlists"] + arguments, environment)
  }

  @Test func `playlists are those of the library: saved, changed, listed, loaded, removed, and undone`() throws {
    _ = try mpc("pause")
    _ = try mpc("clear")
    _ = try mpc("add", "Album")
    _ = try mpc("save", "mix")
    #expect(try mpc("lsplaylists") == "mix\n" && playlists() == "mix: 3 tracks\n")
    #expect(try mpc("save", "mix").contains("exists"))
    #expect(try mpd("playlistadd mix Album/b.mp3") == "OK\n")
    #expect(try mpc("-f", "%file%", "playlist", "mix") == "Album/a.mp3\nAlbum/b.mp3\nAlbum/c.mp3\nAlbum/b.mp3\n")
    #expect(try mpd("playlistmove mix 3 0") == "OK\n" && mpd("playlistdelete mix 1") == "OK\n")
    #expect(try mpd("playlistdelete mix 3").contains("Bad song index"))
    #expect(try mpd("playlistadd mix Album/c.mp3 0") == "OK\n" && mpd("playlistdelete mix 0:1") == "OK\n")
    _ = try mpc("clear")
    _ = try mpc("load", "mix")
    #expect(try mpc("-f", "%file%", "playlist") == "Album/b.mp3\nAlbum/b.mp3\nAlbum/c.mp3\n")
    #expect(try mpd("rename mix other") == "OK\n" && mpd("rename mix other").contains("No such playlist"))
    #expect(try mpc("lsplaylists") == "other\n")
    #expect(try mpc("load", "mix").contains("No such playlist"))
    _ = try playlists("create", "AC/DC", folder("music/Album/a.mp3"))
    #expect(try mpc("lsplaylists") == "AC/DC\nother\n")
    #expect(try mpc("-f", "%file%", "playlist", "AC/DC") == "Album/a.mp3\n")
    #expect(try mpc("save", "A/B").contains("Bad playlist name"))
    #expect(try mpd("playlistclear other") == "OK\n" && mpd("playlistclear none").contains("No such playlist"))
    #expect(try playlists() == "AC/DC: 1 track\nother: 0 tracks\n")
    _ = try mpc("rm", "other")
    #expect(try mpc("lsplaylists") == "AC/DC\n")
    for _ in 0..<2 { _ = try ChildProcess.output(of: [Program.path, "library", "undo"], environment: environment) }
    #expect(try mpc("playlist", "other").split(separator: "\n").count == 3)
    player.end()
  }

  @Test func `playlist files are read and changed, and the library's are in front of them`() throws {
    let lists = folder("home/state/playlists")
    for name in ["old.m3u", "both.m3u8"] {
      try write(Array("\(folder("music/Album/a.mp3"))\n\(folder("music/Album/c.mp3"))\n".utf8), to: "\(lists)/\(name)")
    }
    try write(Array("[playlist]\nFile1=\(folder("music/Album/b.mp3"))\n".utf8), to: "\(lists)/other.pls")
    _ = try playlists("create", "both", folder("music/Album/b.mp3"))
    #expect(try mpc("lsplaylists") == "both\nold\nother.pls\n")
    #expect(try mpc("-f", "%file%", "playlist", "both") == "Album/b.mp3\n")
    #expect(try mpc("-f", "%file%", "playlist", "old") == "Album/a.mp3\nAlbum/c.mp3\n")
    #expect(try mpc("-f", "%file%", "playlist", "other.pls") == "Album/b.mp3\n")
    #expect(try mpd("playlistdelete other.pls 0").contains("can be changed"))
    #expect(try mpd("playlistdelete old 0") == "OK\n" && mpd("rename old new") == "OK\n")
    #expect(
      String(decoding: contents(of: "\(lists)/new.m3u"), as: UTF8.self) == "#EXTM3U\n\(folder("music/Album/c.mp3"))\n")
    #expect(try mpd("rename new both").contains("exists") && mpd("rename new a/b").contains("Bad playlist name"))
    #expect(try mpd("rm new") == "OK\n" && mpd("rm both") == "OK\n")
    #expect(try mpc("-f", "%file%", "playlist", "both") == "Album/a.mp3\nAlbum/c.mp3\n")
    // Those in the music folder are listed with it, and can only be read.
    let mine = folder("music/Album/mine.m3u")
    try write(Array("b.mp3\n".utf8), to: mine)
    #expect(try mpd("lsinfo Album").contains("playlist: Album/mine.m3u\n"))
    #expect(try mpd("listplaylist Album/mine.m3u") == "file: Album/b.mp3\nOK\n" && mpd("load Album/mine.m3u") == "OK\n")
    #expect(try mpd("rm Album/mine.m3u").hasPrefix("ACK ") && mpd("playlistclear Album/mine.m3u").hasPrefix("ACK "))
    #expect(contents(of: mine) == Array("b.mp3\n".utf8))
    player.end()
  }

  @Test func `clients are notified of each change of a playlist, also by other programs`() throws {
    for command in [["mpc", "save", "made"], [Program.path, "ctl", "playlist", "save", "made"]] {
      let waiting = try ChildProcess(["mpc", "idle", "stored_playlist"], environment: environment, output: .collected)
      var number = 0
      #expect(
        eventually {
          number += 1
          _ = try? ChildProcess.output(
            of: command.dropLast() + ["made\(command[0].count)-\(number)"], environment: environment)
          return waiting.isOver
        })
      #expect(String(decoding: waiting.read(), as: UTF8.self) == "stored_playlist\n")
    }
    player.end()
  }

  @Test func `pictures are sent in parts, of the tags and of the folder`() throws {
    let picture = contents(of: fixture("picture.png"))
    try write(contents(of: fixture("flac-tagged.flac")), to: folder("music/Album/tagged.flac"))
    func bytes(_ command: String, _ song: String) throws -> [UInt8] {
      try ChildProcess.bytes(of: ["mpc", command, song], environment: environment)
    }
    #expect(try bytes("readpicture", "Album/tagged.flac") == picture)
    #expect(try mpc("readpicture", "Album/a.mp3").contains("No data"))
    #expect(try mpc("albumart", "Album/a.mp3").contains("No file exists"))
    try write(picture + [1], to: folder("music/Album/cover.png"))
    #expect(try bytes("albumart", "Album/a.mp3") == picture + [1])
    #expect(try bytes("albumart", "Album") == picture + [1])
    player.end()
  }

  @Test func `a folder may be called like a track of a cue sheet`() throws {
    mkdir(folder("music/Vol.1 #2"), 0o700)
    #expect(try mpc("ls") == "Album\nVol.1 #2\n")
    player.end()
  }

  @Test func `each round of a track that is repeated is announced`() throws {
    try write(madeMP3(sound: 0, frames: 40), to: folder("music/Album/short.mp3"))
    #expect(try mpd("add Album/short.mp3") == "OK\n" && mpd("single 1") == "OK\n" && mpd("play 1") == "OK\n")
    // More often than its start and its tags can be news.
    for _ in 0..<4 { #expect(try mpc("idle", "player") == "player\n") }
    player.end()
  }

  @Test func `idle clients are notified`() throws {
    let waiting = try ChildProcess(["mpc", "idle", "mixer"], environment: environment, output: .collected)
    // The client asks when it has read the greeting: changes before that are told, too.
    #expect(
      eventually {
        _ = try? mpc("volume", "\(Int.random(in: 0...100))")
        return waiting.isOver
      })
    #expect(String(decoding: waiting.read(), as: UTF8.self) == "mixer\n")
    player.end()
  }
}

/// Clients of MPD and the music library.
@Suite(.enabled(if: hasFixtures && hasMPC, "no fixtures, or no mpc"), .onThreadsOfTheirOwn)
struct `Clients of MPD and the library` {
  private let folder: TemporaryFolder
  private let player: ChildProcess
  private let environment: [String: String?]

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "music", "music/Album"] { mkdir(folder(name), 0o700) }
    for (number, title) in ["Aria", "Variatio", "Quodlibet"].enumerated() {
      let tags = [("TIT2", title), ("TPE1", "Bach"), ("TALB", "Goldberg"), ("TRCK", "\(number + 1)")]
      try write(madeMP3(sound: number, tags, frames: 400), to: folder("music/Album/\(number).mp3"))
    }
    environment = [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "MPD_HOST": folder("run/segue/mpd"), "LC_ALL": "C.UTF-8",
    ]
    _ = try ChildProcess.output(of: [Program.path, "library", "add", folder("music")], environment: environment)
    player = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", "--repeat", "all", fixture("e2-44100-cbr160.mp3")],
      environment: environment, errors: folder("errors"))
    #expect(try waitUntilPlaying(environment))
  }

  private func mpc(_ arguments: String...) throws -> String {
    try output(ofClient: ["mpc"] + arguments, environment, withErrors: true)
  }

  @Test func `mpc lists, finds and adds songs of the library, without a look at the disk`() throws {
    try #require(rename(folder("music"), folder("elsewhere")) == 0)
    #expect(try mpc("ls") == "Album\n")
    #expect(try mpc("ls", "Album") == "Album/0.mp3\nAlbum/1.mp3\nAlbum/2.mp3\n")
    #expect(try mpc("listall") == "Album/0.mp3\nAlbum/1.mp3\nAlbum/2.mp3\n")
    #expect(try mpc("list", "album", "artist", "Bach") == "Goldberg\n")
    #expect(try mpc("-f", "%title%", "search", "title", "vari") == "Variatio\n")
    #expect(try mpc("find", "(title == 'Aria')") == "Album/0.mp3\n")
    #expect(try mpc("stats").contains("Songs:        3"))
    _ = try mpc("clear")
    _ = try mpc("findadd", "artist", "Bach")
    #expect(try mpc("-f", "%file%", "playlist") == "Album/0.mp3\nAlbum/1.mp3\nAlbum/2.mp3\n")
    player.end()
  }

  @Test func `tracks of a cue sheet are songs: listed, found, added, played, rated, and with a cover`() throws {
    mkdir(folder("music/Sheet"), 0o700)
    try write(madeMP3(sound: 9, frames: 400), to: folder("music/Sheet/album.mp3"))
    try write(contents(of: fixture("picture.png")), to: folder("music/Sheet/cover.png"))
    let sheet =
      "PERFORMER Gould\nTITLE Suites\nFILE album.mp3 MP3\nTRACK 01 AUDIO\nTITLE Air\nINDEX 01 00:00:00\n"
      + "TRACK 02 AUDIO\nTITLE Gavotte\nINDEX 01 00:05:00\n"
    try write(Array(sheet.utf8), to: folder("music/Sheet/album.cue"))
    _ = try mpc("update", "--wait")
    #expect(eventually { (try? mpc("find", "title", "Gavotte")) == "Sheet/album.cue#2\n" })
    #expect(try mpc("ls", "Sheet") == "Sheet/album.cue#1\nSheet/album.cue#2\n")
    let songs = try mpc("-f", "%artist% %album% %track% %time%", "find", "base", "Sheet")
    #expect(songs == "Gould Suites 1 0:05\nGould Suites 2 0:05\n")
    _ = try mpc("clear")
    _ = try mpc("add", "Sheet/album.cue#2")
    #expect(try mpc("-f", "%file% %title%", "play").hasPrefix("Sheet/album.cue#2 Gavotte\n"))
    _ = try mpc("sticker", "Sheet/album.cue#2", "set", "rating", "8")
    let search = [Program.path, "library", "search", "--paths", "rating:8"]
    #expect(try ChildProcess.output(of: search, environment: environment) == folder("music/Sheet/album.cue#2") + "\n")
    let art = try ChildProcess.bytes(of: ["mpc", "albumart", "Sheet/album.cue#2"], environment: environment)
    #expect(art == contents(of: fixture("picture.png")))
    player.end()
  }

  @Test func `an update scans, and idle clients are notified`() throws {
    try write(madeMP3(sound: 9, [("TIT2", "Later")], frames: 40), to: folder("music/later.mp3"))
    #expect(try mpc("find", "title", "Later") == "")
    let waiting = try ChildProcess(["mpc", "idle", "database"], environment: environment, output: .collected)
    #expect(try mpc("update", "--wait").contains("volume:"))
    #expect(eventually { (try? mpc("find", "title", "Later")) == "later.mp3\n" })
    try #require(
      eventually {
        // It may have asked only after the first scan: another change reaches it then.
        if !waiting.isOver {
          try? write(madeMP3(sound: Int.random(in: 10...1_000_000)), to: folder("music/other.mp3"))
          _ = try? mpc("update", "--wait")
        }
        return waiting.isOver
      })
    #expect(String(decoding: waiting.read(), as: UTF8.self) == "database\n")
    player.end()
  }

  @Test func `ratings are stickers, and can be undone`() throws {
    #expect(try mpc("sticker", "Album/1.mp3", "get", "rating").contains("no such sticker"))
    let waiting = try ChildProcess(["mpc", "idle", "sticker"], environment: environment, output: .collected)
    var rating = 1
    try #require(
      eventually {
        rating = rating % 9 + 1
        _ = try? mpc("sticker", "Album/1.mp3", "set", "rating", "\(rating)")
        return waiting.isOver
      })
    #expect(String(decoding: waiting.read(), as: UTF8.self) == "sticker\n")
    _ = try mpc("sticker", "Album/1.mp3", "set", "rating", "10")
    #expect(try mpc("sticker", "Album/1.mp3", "get", "rating") == "rating=10\n")
    #expect(try mpc("sticker", "", "find", "rating") == "Album/1.mp3: rating=10\n")
    let search = [Program.path, "library", "search", "rating:10"]
    #expect(try ChildProcess.output(of: search, environment: environment).contains("Variatio"))
    _ = try ChildProcess.output(of: [Program.path, "library", "undo"], environment: environment)
    #expect(try mpc("sticker", "Album/1.mp3", "get", "rating") == "rating=\(rating)\n")
    _ = try mpc("sticker", "Album/1.mp3", "delete", "rating")
    #expect(try mpc("sticker", "Album/1.mp3", "list") == "")
    player.end()
  }
}

/// Clients of MPD over TCP, with the player in its sandbox.
@Suite(.enabled(if: hasFixtures && hasMPC, "no fixtures, or no mpc"), .onThreadsOfTheirOwn)
struct `Clients of MPD on the network` {
  private let folder: TemporaryFolder
  private let port = KeptPort()
  private var environment: [String: String?] {
    [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "MPD_HOST": nil, "MPD_PORT": nil, "LC_ALL": "C.UTF-8",
    ]
  }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "home"] { mkdir(folder(name), 0o700) }
  }

  private func play(_ settings: String, _ options: String...) throws -> ChildProcess {
    try write(Array(settings.utf8), to: folder("home/config"))
    let player = try ChildProcess(
      [
        "sh", "-c", "exec \"$@\" > \"$0\"", folder("output"), Program.path, "--no-ui", "--output", "null", "--repeat",
        "all",
      ] + options + [fixture("e2-44100-cbr160.mp3")],
      environment: environment, errors: folder("errors"))
    return player
  }

  private func mpc(_ host: String, _ arguments: String...) throws -> String {
    try output(
      ofClient: ["mpc", "-h", host, "-p", "\(port.number)"] + arguments, environment, withErrors: true)
  }

  private var errors: String { String(decoding: contents(of: folder("errors")), as: UTF8.self) }

  @Test func `a client gives its password, which nobody else sees`() throws {
    let player = try play("set remote-mpd=0.0.0.0:\(port.number)\nset remote-mpd-password='open sesame'\n")
    #expect(eventually { (try? mpc("open sesame@127.0.0.1", "volume", "30"))?.contains("volume: 30%") == true })
    #expect(try mpc("127.0.0.1", "status").contains("you don't have permission"))
    #expect(try mpc("wrong@127.0.0.1", "status").contains("incorrect password"))
    let watcher = try ChildProcess(
      [Program.path, "ctl", "watch", "settings"], environment: environment, output: .collected)
    var shown = ""
    while !shown.contains("\n"), case let more = watcher.read(), !more.isEmpty {
      shown += String(decoding: more, as: UTF8.self)
    }
    watcher.end()
    shown += try output(ofClient: [Program.path, "ctl", "set", "remote-mpd-password"], environment, withErrors: true)
    #expect(shown.contains("0.0.0.0:\(port.number)") && !shown.contains("sesame"), "\(shown)")
    player.end()
    #expect(!errors.contains("sesame"))
  }

  @Test func `silent clients keep nobody out, and a client that gave the password stays`() throws {
    let player = try play("set remote-mpd=0.0.0.0:\(port.number)\nset remote-mpd-password='open sesame'\n")
    try #require(eventually { (try? mpc("open sesame@127.0.0.1", "status"))?.contains("volume:") == true })
    let program = """
      import socket, sys
      def client():
          s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); return s, s.makefile('rwb')
      def ask(f, line):
          f.write(line + b'\\n'); f.flush(); return f.readline()
      kept, f = client(); f.readline()
      assert ask(f, b'password "open sesame"') == b'OK\\n'
      silent = [client() for _ in range(100)]
      for _ in range(3):
          _, g = client(); g.readline()
          assert ask(g, b'password "open sesame"') == b'OK\\n'
          silent += [client() for _ in range(10)]
      for s, g in silent: s.settimeout(60)
      # Those in whose place others came were dropped.
      assert silent[0][1].read() in (b'', b'OK MPD 0.24.0\\n')
      print(ask(f, b'ping').decode(), end='')
      """
    let output = try ChildProcess.output(of: [
      "sh", "-c", "exec python3 -c \"$1\" $2 2>&1", "", program, "\(port.number)",
    ])
    #expect(output == "OK\n", "\(errors)")
    player.end()
  }

  @Test func `an address that is open to others needs a password`() throws {
    let player = try play("set remote-mpd=0.0.0.0:\(port.number)\n")
    let sentence = "remote-mpd is off: 0.0.0.0:\(port.number) is open to others and needs a password"
    #expect(eventually { String(decoding: contents(of: folder("output")), as: UTF8.self).contains(sentence) })
    #expect(try mpc("127.0.0.1", "status").contains("refused"))
    player.end()
  }

  @Test func `a port alone is open to this computer, and its clients need no password`() throws {
    let player = try play("set remote-mpd=\(port.number)\n")
    #expect(eventually { (try? mpc("127.0.0.1", "status"))?.contains("volume:") == true }, "\(errors)")
    #expect(try mpc("127.0.0.1", "add", "/etc").contains("No such song"))
    player.end()
  }

  @Test func `arguments take no password`() throws {
    let player = try play("", "-o", "remote-mpd-password=sesame")
    #expect(player.wait() != 0)
    #expect(errors.contains("it can only be set in the file config") && !errors.contains("sesame"), "\(errors)")
  }
}
