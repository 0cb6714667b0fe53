import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// What cmus itself has counted, taken over by the real program.
@Suite(
  .enabled(if: access("/usr/bin/cmus-remote", X_OK) == 0, "cmus is not installed"), .onThreadsOfTheirOwn)
struct `Import from cmus` {
  @Test func `the plays that a real cmus has kept arrive in the library`() throws {
    let (folder, server) = (try TemporaryFolder(), try SoundServer())
    // Without a bus, cmus asks a question at its start.
    let bus = try PrivateBus(in: folder)
    for name in ["music", "home", "home/cmus"] { try #require(mkdir(folder(name), 0o700) == 0) }
    for name in ["one", "two ü"] {
      let sound = ["sox", "-n", "-r", "44100", "-c", "2", folder("music/\(name).wav"), "synth", "2", "sine", "300"]
      try #require(try ChildProcess(sound).wait() == 0)
    }
    // The status is looked at later than it changes: a program of cmus notes each change.
    try write(script: "echo \"$*\" >> \(folder("changes"))", to: folder("note"))
    try write(
      "set output_plugin=pulse\nset status_display_program=\(folder("note"))\n".utf8, to: folder("home/cmus/rc"))
    let environment = server.environment.merging([
      "DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_CONFIG_HOME": folder("home"), "HOME": folder("home"),
      "SEGUE_HOME": folder("home"),
    ]) { $1 }
    func remote(_ words: String...) throws -> String {
      try output(ofClient: ["cmus-remote"] + words, environment, withErrors: true)
    }
    func changes() -> String { String(decoding: contents(of: folder("changes")), as: UTF8.self) }
    let terminal = try Tmux(environment: environment, "exec cmus")
    // The socket is there a moment before it answers.
    #expect(try eventually(milliseconds: 50) { try remote("-Q").contains("status stopped") }, "\(terminal.screen)")
    _ = try remote("-C", "add \(folder("music"))", "view sorted")
    #expect(eventually { terminal.screen.contains("2 tracks") }, "\(terminal.screen)")
    _ = try remote("-C", "win-activate")
    #expect(eventually { changes().contains("status playing") }, "\(terminal.screen)")
    #expect(try eventually(milliseconds: 50) { try remote("-Q").contains("status stopped") }, "\(changes())")
    _ = try remote("-C", "quit")
    #expect(eventually { access(folder("home/cmus/cache"), F_OK) == 0 })

    func library(_ words: String...) throws -> String {
      try output(ofClient: [Program.path, "library"] + words, environment)
    }
    _ = try library("add", folder("music"))
    #expect(try library("import", folder("home/cmus/cache")).contains("2 tracks known"))
    #expect(try library("search", "plays:>0").split(separator: "\n").count == 2)
  }
}
