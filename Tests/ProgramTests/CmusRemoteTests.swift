import Glibc
import SoundServerSupport
import TestTraits
import Testing

private let hasCmusRemote = access("/usr/bin/cmus-remote", X_OK) == 0

/// The real cmus-remote drives the player.
@Suite(.enabled(if: hasFixtures && hasCmusRemote, "no fixtures, or no cmus-remote"), .onThreadsOfTheirOwn)
struct `Remote of cmus` {
  @Test func `cmus-remote drives the player`() throws {
    let folder = try TemporaryFolder()
    mkdir(folder("run"), 0o700)
    let environment: [String: String?] = [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "CMUS_SOCKET": folder("run/segue/cmus"),
    ]
    let player = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", fixture("e2-44100-cbr160.mp3"), fixture("e2-44100-cbr320.mp3")],
      environment: environment, errors: folder("errors"))
    #expect(eventually { access(folder("run/segue/cmus"), F_OK) == 0 })
    func remote(_ arguments: String...) throws -> String {
      try ChildProcess.output(of: ["cmus-remote"] + arguments, environment: environment)
    }
    /// A line of the status, without its name.
    func status(_ name: String) throws -> String? {
      try remote("-Q").split(separator: "\n").first { $0.hasPrefix(name + " ") }.map {
        String($0.dropFirst(name.count + 1))
      }
    }
    _ = try remote("-U")
    #expect(try status("status") == "paused")
    _ = try remote("-k", "+5")
    _ = try remote("-k", "7")
    #expect(try status("position") == "7")
    _ = try remote("-u")
    #expect(try status("status") == "playing")
    _ = try remote("-v", "30%")
    #expect(try status("set vol_left") == "30")
    _ = try remote("-R")
    _ = try remote("-S")
    #expect(try status("set repeat") == "true" && status("set shuffle") == "tracks")
    _ = try remote("-S")
    _ = try remote("-n")
    #expect(try status("file")?.hasSuffix("cbr320.mp3") == true)
    _ = try remote("-r")
    #expect(try status("file")?.hasSuffix("cbr160.mp3") == true)
    _ = try remote("-q", canonical(fixture("e2-22050-cbr64.mp3")))
    _ = try remote("-f", canonical(fixture("e2-44100-v2.mp3")))
    #expect(try status("file")?.hasSuffix("e2-44100-v2.mp3") == true)
    _ = try remote("-s")
    #expect(try status("status") == "stopped")
    _ = try remote("-p")
    #expect(try status("status") == "playing")
    #expect(try remote("-C", "nonsense").contains("Error: unknown command nonsense"))
    player.end()
  }
}
