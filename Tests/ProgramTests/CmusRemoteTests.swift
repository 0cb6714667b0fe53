import Glibc
import SoundServerSupport
import TestTraits
import Testing

private let hasCmusRemote = access("/usr/bin/cmus-remote", X_OK) == 0

/// The real cmus-remote drives the player.
@Suite(.enabled(if: hasCmusRemote, "no cmus-remote"), .onThreadsOfTheirOwn)
struct `Remote of cmus` {
  @Test func `cmus-remote drives the player`() throws {
    let folder = try TemporaryFolder()
    mkdir(folder("run"), 0o700)
    let environment: [String: String?] = [
      "XDG_RUNTIME_DIR": folder("run"), "SEGUE_HOME": folder("home"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      "CMUS_SOCKET": folder("run/segue/cmus"),
    ]
    // None ends before all is said.
    let music = madeMP3(sound: 0, frames: 4000)
    for name in ["a", "b", "c", "d"] { try write(music, to: folder("\(name).mp3")) }
    let player = try ChildProcess(
      [Program.path, "--no-ui", "--output", "null", folder("a.mp3"), folder("b.mp3")],
      environment: environment, errors: folder("errors"))
    #expect(try waitUntilPlaying(environment))
    func remote(_ arguments: String...) throws -> String {
      try output(ofClient: ["cmus-remote"] + arguments, environment)
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
    // After five seconds of the track, the previous one is its own beginning.
    _ = try remote("-U")
    _ = try remote("-n")
    #expect(try status("file")?.hasSuffix("b.mp3") == true)
    _ = try remote("-r")
    #expect(try status("file")?.hasSuffix("a.mp3") == true)
    _ = try remote("-q", folder("c.mp3"))
    _ = try remote("-f", folder("d.mp3"))
    #expect(try status("file")?.hasSuffix("d.mp3") == true)
    _ = try remote("-s")
    #expect(try status("status") == "stopped")
    _ = try remote("-p")
    #expect(try status("status") == "playing")
    #expect(try remote("-C", "nonsense").contains("Error: unknown command nonsense"))
    player.end()
  }
}
