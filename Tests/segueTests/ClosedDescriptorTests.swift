import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Programs are started without standard descriptors: by services, and by `>&-`.
@Suite("closed standard descriptors", .onThreadsOfTheirOwn)
struct ClosedDescriptorTests {
  /// The eight sets of closed descriptors, as redirections of a shell.
  static let redirections = (0..<8).map { set in
    (0...2).filter { set >> $0 & 1 == 1 }.map { "\($0)>&-" }.joined(separator: " ")
  }

  private func run(_ command: [String], _ redirections: String, in folder: TemporaryFolder) throws -> Int32 {
    let environment = ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder("run")]
    let script = ["sh", "-c", "exec \"$@\" \(redirections)", "sh", Program.path]
    return try ChildProcess(script + command, environment: environment).wait()
  }

  @Test(arguments: redirections) func `a command does its work, whatever is closed`(redirections: String) throws {
    let folder = try TemporaryFolder()
    mkdir(folder("run"), 0o700)
    let track = fixture("short-4410.mp3")
    for command in [
      ["info", track], ["packets", track], ["info", "missing.mp3"], ["library", "add", folder.path], ["ctl"],
      ["--daemon", "--nonsense"], ["--no-ui", "--output", "null", track],
    ] {
      #expect(try run(command, redirections, in: folder) == run(command, "", in: folder), "\(command) \(redirections)")
    }
    let sound = try Program.segue("decode", "--raw", "-o", "-", track).output
    let file = folder("sound.wav")
    for command in [
      ["decode", "-o", file], ["--no-ui", "--output", "wav:\(file)"],
      ["--no-ui", "--no-sandbox", "--output", "wav:\(file)"],
    ] {
      #expect(try run(command + [track], redirections, in: folder) == 0, "\(command) \(redirections)")
      #expect(try contents(file).suffix(sound.count) == sound[...], "\(command) \(redirections)")
      unlink(file)
    }
  }

  @Test(arguments: redirections) func `no socket or file gets a closed number`(redirections: String) throws {
    let folder = try TemporaryFolder()
    mkdir(folder("run"), 0o700)
    let player = try ChildProcess(
      [
        "sh", "-c", "exec \"$@\" \(redirections)", "sh", Program.path, "--no-ui", "--output", "null", "--repeat", "all",
        fixture("short-4410.mp3"),
      ], environment: ["SEGUE_HOME": folder("home"), "XDG_RUNTIME_DIR": folder("run")])
    #expect(waitUntil { access(folder("run/segue/control"), F_OK) == 0 })
    for descriptor in 0...2 {
      var target = [CChar](repeating: 0, count: 256)
      let count = readlink("/proc/\(player.id)/fd/\(descriptor)", &target, target.count)
      let name = String(decoding: target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      #expect(name == "/dev/null", "\(descriptor): \(redirections)")
    }
  }
}
