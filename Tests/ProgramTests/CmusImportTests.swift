import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// What cmus itself has counted, taken over by the real program.
@Suite(.onThreadsOfTheirOwn) struct `Import from cmus` {
  @Test func `the plays that a real cmus has kept arrive in the library`() throws {
    let (folder, server) = (try TemporaryFolder(), try SoundServer())
    let bus = try PrivateBus(in: folder)
    for name in ["music", "home", "home/cmus"] { try #require(mkdir(folder(name), 0o700) == 0) }
    for (index, name) in ["one.mp3", "two ü.mp3"].enumerated() {
      let tags = [("TIT2", "Piece \(index)"), ("TPE1", "Bach")]
      try write(madeMP3(sound: index, tags, frames: 150), to: folder("music/\(name)"))
    }
    try write("set output_plugin=pulse\nset continue=true\n".utf8, to: folder("home/cmus/rc"))
    let environment = server.environment.merging([
      "DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_CONFIG_HOME": folder("home"), "HOME": folder("home"),
      "SEGUE_HOME": folder("home"),
    ]) { $1 }
    do {
      let terminal = try Tmux(environment: environment, "exec cmus")
      #expect(eventually { terminal.screen.contains("vol:") || terminal.screen.contains("stopped") })
      terminal.send(":add \(folder("music"))\r")
      #expect(eventually { terminal.screen.contains("2 tracks") || terminal.screen.contains("Bach") })
      // The second view is a plain list: Enter plays from there to its end.
      terminal.press("2")
      #expect(eventually { terminal.screen.contains("Piece 1") })
      terminal.press("Enter")
      func status() throws -> String { try ChildProcess.output(of: ["cmus-remote", "-Q"], environment: environment) }
      #expect(try eventually { try status().contains("status playing") })
      #expect(try eventually { try status().contains("status stopped") })
      terminal.send(":quit\r")
      #expect(eventually { terminal.screen.contains("Quit") || !terminal.screen.contains("Piece") })
      terminal.press("y")
      #expect(eventually { access(folder("home/cmus/cache"), F_OK) == 0 })
    }
    func library(_ words: String...) throws -> String {
      try ChildProcess.output(of: [Program.path, "library"] + words, environment: environment)
    }
    _ = try library("add", folder("music"))
    #expect(try library("import", folder("home/cmus/cache")).contains("2 tracks known"))
    #expect(try library("search", "plays:>0").split(separator: "\n").count == 2)
  }
}
