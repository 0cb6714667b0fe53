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
    for name in ["run", "music", "music/Album"] { mkdir(folder(name), 0o700) }
    for name in ["a.mp3", "b.mp3", "c.mp3"] {
      try write(contents(of: fixture("e2-44100-cbr160.mp3")), to: folder("music/Album/\(name)"))
    }
    let environment: [String: String?] = [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
    ]
    player = try ChildProcess(
      [
        Program.path, "--no-ui", "--output", "null", "-o", "music=\(folder("music"))", "--repeat", "all",
        fixture("e2-44100-cbr160.mp3"),
      ], environment: environment, errors: folder("errors"))
    #expect(eventually { access(folder("run/segue/mpd"), F_OK) == 0 })
  }

  private func mpc(_ arguments: String...) throws -> String {
    try ChildProcess.output(of: ["sh", "-c", "exec mpc \"$@\" 2>&1", "mpc"] + arguments, environment: environment)
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

  @Test func `playlists are saved, listed, loaded and removed`() throws {
    _ = try mpc("pause")
    _ = try mpc("clear")
    _ = try mpc("add", "Album")
    _ = try mpc("save", "mix")
    #expect(try mpc("lsplaylists") == "mix\n")
    #expect(try mpc("save", "mix").contains("exists"))
    _ = try mpc("clear")
    _ = try mpc("load", "mix")
    #expect(try mpc("-f", "%file%", "playlist") == "Album/a.mp3\nAlbum/b.mp3\nAlbum/c.mp3\n")
    _ = try mpc("rm", "mix")
    #expect(try mpc("lsplaylists") == "")
    #expect(try mpc("load", "mix").contains("No such playlist"))
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
    player.end()
  }

  @Test func `idle clients are told`() throws {
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
