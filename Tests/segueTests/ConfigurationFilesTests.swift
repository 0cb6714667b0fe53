import ByteIO
import Cells
import Commands
import Glibc
import Playback
import Player
import SoundServerSupport
import TerminalUI
import TestTraits
import Testing

@testable import segue

/// The user's files: their order, and those that are not trusted.
@Suite(.onThreadsOfTheirOwn) struct ConfigurationFilesTests {
  private let folder: TemporaryFolder
  private var files: ConfigurationFiles { ConfigurationFiles(folder: BytePath(folder.path)) }

  init() throws {
    folder = try TemporaryFolder()
    mkdir(folder.path + "/themes", 0o700)
  }

  @Test func `themes, config, keys and the command line follow each other, the last word holds`() throws {
    try write("style state underline\n".utf8, to: folder.path + "/themes/mine")
    try write("set theme=mine\nset mouse=off\nbind x mute\n".utf8, to: folder.path + "/config")
    try write("bind x stop\n".utf8, to: folder.path + "/keys")
    var files = files
    files.options = ["mouse=on", "music=/a b's"]
    let (configuration, errors) = files.read()
    #expect(errors == [])
    #expect(configuration.theme.appearance(of: .state, colorCount: 0) == Appearance(.underline))
    #expect(configuration.settings.mouse && configuration.player.music == "/a b's")
    #expect(configuration.keyMap.bindings.contains { $0.action == .player(.playback(.stop)) && $0.keys.contains("x") })
    try write("set mouse=off\n".utf8, to: folder.path + "/other")
    files = ConfigurationFiles(folder: nil, file: BytePath(folder.path + "/other"))
    #expect(!files.read().configuration.settings.mouse)
    files.file = BytePath(folder.path + "/missing")
    #expect(files.read().errors.first?.description.contains("No such file") == true)
  }

  @Test func `nothing there is nothing wrong`() {
    let (configuration, errors) = ConfigurationFiles(folder: BytePath("/no/such/folder")).read()
    #expect(errors == [])
    var expected = Configuration()
    (expected.folder, expected.home) = ("/no/such/folder", configuration.home)
    #expect(configuration == expected)
  }

  @Test func `files that others may write to are not read, and a pipe does not block`() throws {
    try write("set mouse=off\n".utf8, to: folder.path + "/config")
    chmod(folder.path + "/config", 0o666)
    mkfifo(folder.path + "/keys", 0o600)
    let (configuration, errors) = files.read()
    #expect(configuration.settings.mouse)
    #expect(errors.count == 2 && errors[0].description.hasPrefix("config: cannot trust"))
  }

  @Test func `errors bear the names of the files`() throws {
    try write("style nothing bold\n".utf8, to: folder.path + "/themes/mine")
    try write("\nbind x\n".utf8, to: folder.path + "/keys")
    var files = files
    files.options = ["mouse=never"]
    #expect(
      files.read().errors.map { $0.description.prefix { $0 != " " } } == ["themes/mine:1:7:", "keys:2:7:", "-o"])
  }

  @Test func `a setting without a value is told how it is set`() throws {
    try write("set mouse\nset crossfade\nmute\n".utf8, to: folder.path + "/config")
    #expect(
      files.read().errors.map(\.description) == [
        "config:1:1: write set NAME=VALUE, as in set mouse=off",
        "config:2:1: write set NAME=VALUE, as in set mouse=off",
        "config:3:1: only set, bind, unbind and style work in this file",
      ])
  }

  @Test func `random contents do no harm`() throws {
    try write(
      ("\u{0}\u{1b}[31m\nset \nbind\nbind \u{1b} quit\n'\n" + String(repeating: "x", count: 100_000)).utf8,
      to: folder.path + "/config")
    #expect(files.read().errors.count >= 5)
  }

  @Test func `changes are reported, in folders that are created and removed, and in no other`() throws {
    let place = BytePath(folder.path + "/a/b")
    let watch = try #require(ConfigurationWatch(folders: [place, place.appending(BytePath("themes"))]))
    let hears = {
      var request = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&request, 1, 0) > 0 && watch.takeChanges()
    }
    #expect(!hears())
    mkdir(folder.path + "/elsewhere", 0o700)
    mkdir(folder.path + "/a", 0o700)
    #expect(!hears(), "nothing is read from there")
    mkdir(folder.path + "/a/b", 0o700)
    try write("set mouse=off\n".utf8, to: folder.path + "/a/b/config")
    #expect(waitUntil { hears() })
    try write("set mouse=on\n".utf8, to: folder.path + "/a/b/config")
    #expect(waitUntil { hears() })
    mkdir(folder.path + "/a/b/themes", 0o700)
    #expect(waitUntil { hears() })
    try write("style state bold\n".utf8, to: folder.path + "/a/b/themes/mine")
    #expect(waitUntil { hears() })
    try write("".utf8, to: folder.path + "/a/other")
    #expect(!hears())
    for name in ["/themes/mine", "/config"] { unlink(folder.path + "/a/b" + name) }
    for name in ["/themes", ""] { rmdir(folder.path + "/a/b" + name) }
    #expect(waitUntil { hears() })
    mkdir(folder.path + "/a/b", 0o700)
    #expect(waitUntil { hears() }, "it has come again")
    #expect(!hears())
    mkdir(folder.path + "/a/c", 0o700)
    var request = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&request, 1, 0) == 0, "nobody is woken by what is made beside it")
  }

  @Test func `changes of files that are links to files elsewhere are reported`() throws {
    let (home, dots) = (folder.path + "/home", folder.path + "/dots")
    for place in [home, home + "/themes", dots, dots + "/other"] { mkdir(place, 0o700) }
    for name in ["config", "other/mine"] { try write("".utf8, to: "\(dots)/\(name)") }
    #expect(symlink("../dots/config", home + "/config") == 0)
    #expect(symlink("../../dots/other/mine", home + "/themes/mine") == 0)
    let files = ConfigurationFiles(folder: BytePath(home))
    let folders = [home, home + "/themes"].map { BytePath($0) }
    let watch = try #require(ConfigurationWatch(folders: folders, files: { files.paths }))
    for name in ["config", "other/mine"] {
      try write("set mouse=off\n".utf8, to: "\(dots)/\(name)")
      #expect(waitUntil { watch.takeChanges() }, "\(name)")
      #expect(!watch.takeChanges())
    }
  }

  @Test func `without a screen, wrong lines are reported on standard error, and the music plays`() throws {
    let config = folder.path + "/other"
    try write("set mouse=off\nset colour\n".utf8, to: config)
    let options = ["--no-ui", "--no-config", "--output", "null", "--config"]
    let result = try Program.run([Program.path] + options + [config, fixture("short-4410.mp3")])
    #expect(result.status == 0)
    #expect(result.errors.hasPrefix("segue: settings: \(config):2:5: "), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
    let missing = try Program.run([Program.path] + options + [folder.path + "/missing", fixture("short-4410.mp3")])
    #expect(missing.status == 1)
    #expect(missing.errors == "segue: settings: \(folder.path)/missing: cannot open: No such file or directory\n")
  }

  @Test func `options that cannot be are refused before anything begins`() throws {
    let result = try Program.segue("-o", "mouse=never", "--no-ui", "--output", "null", fixture("short-4410.mp3"))
    #expect(result.status == 1)
    #expect(result.errors.contains("unknown mouse \"never\". Choose on or off"))
    let valueless = try Program.segue("-o", "mouse", "--no-ui", "--output", "null", fixture("short-4410.mp3"))
    #expect(valueless.errors == "segue: settings: -o mouse: write set NAME=VALUE, as in set mouse=off\n")
  }
}
