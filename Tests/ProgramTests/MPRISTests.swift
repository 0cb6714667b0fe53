import Glibc
import SoundServerSupport
import TestTraits
import Testing

private let hasClients = access("/usr/bin/playerctl", X_OK) == 0 && access("/usr/bin/gdbus", X_OK) == 0

/// The player on a session bus of its own, and real clients.
@Suite(.enabled(if: hasFixtures && hasClients, "no fixtures, or no playerctl and gdbus"), .onThreadsOfTheirOwn)
struct `On the session bus` {
  private let folder: TemporaryFolder
  private let bus: ChildProcess

  init() throws {
    folder = try TemporaryFolder()
    mkdir(folder("run"), 0o700)
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>session</type><listen>unix:path=\(folder("bus"))</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
      </busconfig>
      """
    try write(configuration.utf8, to: folder("bus.conf"))
    bus = try ChildProcess(["dbus-daemon", "--config-file=\(folder("bus.conf"))", "--nofork", "--nopidfile"])
    #expect(eventually { SoundServer.accepts(folder("bus")) })
  }

  private var environment: [String: String?] {
    [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"),
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder("bus"))", "LC_ALL": "C.UTF-8",
    ]
  }

  private func play(_ arguments: String...) throws -> ChildProcess {
    let player = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null"] + arguments, environment: environment, errors: folder("errors"))
    // The name on the bus comes after the sockets. A player that waits is called playing there.
    #expect(try waitUntilPlaying(environment) && eventually(milliseconds: 100) { try playerctl("status") == "Playing" })
    return player
  }

  private func playerctl(_ arguments: String...) throws -> String {
    try output(ofClient: ["playerctl", "-p", "segue"] + arguments, environment).trimmedEnd
  }

  @Test func `playerctl has all of its commands`() throws {
    let player = try play(fixture("e2-44100-cbr160.mp3"), fixture("e2-44100-cbr320.mp3"), "--repeat", "all")
    _ = try playerctl("pause")
    #expect(try playerctl("status") == "Paused")
    _ = try playerctl("position", "4")
    #expect(try playerctl("position") == "4.000000")
    _ = try playerctl("position", "3+")
    #expect(try playerctl("position") == "7.000000")
    _ = try playerctl("position", "2-")
    #expect(try playerctl("position") == "5.000000")
    _ = try playerctl("volume", "0.3")
    #expect(try playerctl("volume") == "0.300000")
    _ = try playerctl("loop", "Track")
    #expect(try playerctl("loop") == "Track")
    _ = try playerctl("loop", "Playlist")
    _ = try playerctl("shuffle", "On")
    #expect(try playerctl("shuffle") == "On")
    _ = try playerctl("shuffle", "Off")
    // Paused, it stays so.
    _ = try playerctl("next")
    #expect(try playerctl("status") == "Paused")
    #expect(try playerctl("metadata", "xesam:url").hasSuffix("cbr320.mp3"))
    _ = try playerctl("previous")
    #expect(try playerctl("metadata", "xesam:url").hasSuffix("cbr160.mp3"))
    _ = try playerctl("play-pause")
    #expect(try playerctl("status") == "Playing")
    _ = try playerctl("stop")
    #expect(try playerctl("status") == "Stopped")
    _ = try playerctl("play")
    #expect(try playerctl("status") == "Playing")
    _ = try playerctl("open", "file://" + canonical(fixture("e2-44100-v2.mp3")))
    #expect(try playerctl("metadata", "xesam:url").hasSuffix("e2-44100-v2.mp3"))
    #expect(try playerctl("metadata", "xesam:url").hasPrefix("file:///"))
    let all = try playerctl("metadata")
    for name in ["mpris:trackid", "mpris:length", "xesam:title", "xesam:url"] { #expect(all.contains(name), "\(all)") }
    player.end()
  }

  @Test func `the cover is a file`() throws {
    let player = try play("--repeat", "one", fixture("opus-tagged.opus"))
    func address() -> String { (try? playerctl("metadata", "mpris:artUrl")) ?? "" }
    #expect(eventually(milliseconds: 100) { !address().isEmpty })
    let file = address()
    #expect(file.hasPrefix("file://" + folder("run/segue/covers/")) && file.hasSuffix(".png"))
    #expect(contents(of: String(file.dropFirst(7))) == contents(of: fixture("picture.png")))
    try write(contents(of: fixture("e2-44100-v2.mp3")), to: folder("plain.mp3"))
    _ = try playerctl("open", "file://" + folder("plain.mp3"))
    let metadata = try playerctl("metadata")
    #expect(metadata.contains("plain.mp3") && !metadata.contains("mpris:artUrl"), "\(metadata)")
    player.end()
  }

  @Test func `playerctl follows changes`() throws {
    let player = try play(fixture("e2-44100-cbr160.mp3"), "--repeat", "one")
    let follower = try ChildProcess(
      ["playerctl", "-p", "segue", "--follow", "status"], environment: environment, output: .collected)
    #expect(follower.reads("Playing\n"))
    _ = try playerctl("pause")
    #expect(follower.reads("Paused\n"))
    _ = try playerctl("play")
    #expect(follower.reads("Playing\n"))
    player.end()
    follower.end()
  }

  @Test func `the object describes itself, and the description is true`() throws {
    let player = try play(fixture("e2-44100-cbr160.mp3"), "--repeat", "one")
    let name = ["--session", "--dest", "org.mpris.MediaPlayer2.segue", "--object-path", "/org/mpris/MediaPlayer2"]
    let text = try ChildProcess.output(of: ["gdbus", "introspect"] + name, environment: environment)
    for line in [
      "interface org.mpris.MediaPlayer2.Player {", "readwrite d Rate = 1.0;", "readonly s Identity = 'segue';",
    ] {
      #expect(text.contains(line), "\(text)")
    }
    let tree = try ChildProcess.output(
      of: ["busctl", "--address=unix:path=\(folder("bus"))", "tree", "org.mpris.MediaPlayer2.segue"])
    #expect(tree.contains("/org/mpris/MediaPlayer2"))
    let error = try ChildProcess.output(
      of: ["sh", "-c", "gdbus call \(name.joined(separator: " ")) --method org.mpris.MediaPlayer2.Player.Fly 2>&1"],
      environment: environment)
    #expect(error.contains("UnknownMethod"))
    player.end()
  }

  @Test func `the desktop shows each track in one notification, and its button is a command`() throws {
    let other = try TemporaryFolder()
    let bus = try PrivateBus(in: other)
    let desktop = try bus.startDesktop()
    let player = try ChildProcess(
      [
        Program.path, "--no-ui", "--output", "null", "-o", "notify=on", fixture("vbr-60s-without-header.mp3"),
        fixture("e2-44100-cbr160.mp3"),
      ],
      environment: environment.merging(["DBUS_SESSION_BUS_ADDRESS": bus.address]) { $1 })
    func shown() -> [Substring] {
      String(decoding: contents(of: other("notifications")), as: UTF8.self).split(separator: "\n")
    }
    func shows(_ name: String) -> Bool {
      eventually(milliseconds: 50) { shown().last?.hasPrefix("1 segue | \(name) | ") == true }
    }
    #expect(shows("vbr-60s-without-header.mp3"), "\(shown())")
    #expect(eventually { shown().first?.contains("toggle | Play/Pause | next | Next") == true }, "\(shown())")
    desktop.signal(SIGUSR1)
    #expect(shows("e2-44100-cbr160.mp3") && shown().count == 2, "\(shown())")
    player.end()
    #expect(eventually(milliseconds: 50) { shown().last == "closed 1" }, "\(shown())")
    desktop.end()
  }

  @Test func `a second player has a name of its own, and the bus may end`() throws {
    let first = try play(fixture("e2-44100-cbr160.mp3"), "--repeat", "one")
    let second = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", fixture("gapless-1.mp3"), "--repeat", "one"],
      environment: environment)
    #expect(
      eventually(milliseconds: 100) {
        (try? ChildProcess.output(of: ["playerctl", "-l"], environment: environment))?
          .contains("segue.instance\(second.id)") == true
      })
    bus.end()
    #expect(try waitUntilPlaying(environment) && !first.isOver && !second.isOver)
    first.end()
    second.end()
  }
}

extension String {
  fileprivate var trimmedEnd: String { last == "\n" ? String(dropLast()) : self }
}
