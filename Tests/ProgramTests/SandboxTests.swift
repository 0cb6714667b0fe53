import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The real program during playback: the rights of its threads.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn)
struct `Inside the sandbox` {
  /// The values of a field in the status of each thread that still runs when it is read.
  private func values(of field: String, process: pid_t) -> [String] {
    names(in: "/proc/\(process)/task").compactMap { thread in
      let status = String(decoding: contents(of: "/proc/\(process)/task/\(thread)/status"), as: UTF8.self)
      let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
      return line.map { String($0.drop { $0 != "\t" }.dropFirst()) }
    }
  }

  @Test func `every thread of a player that plays is filtered and can gain no privileges`() throws {
    let stage = try Stage(tracks: [])
    let program = try stage.play("--no-ui", fixture("vbr-60s.mp3"))
    try #require(stage.waitFor("playing"))
    let filters = values(of: "Seccomp", process: program.id)
    #expect(filters.count >= 3)
    #expect(filters.allSatisfy { $0 == "2" })
    let privileges = values(of: "NoNewPrivs", process: program.id)
    #expect(privileges.count >= 3 && privileges.allSatisfy { $0 == "1" })
    program.signal(SIGTERM)
    program.wait()
  }

  @Test func `without it no thread is`() throws {
    let stage = try Stage(tracks: [])
    let program = try stage.play("--no-ui", "--no-sandbox", fixture("vbr-60s.mp3"))
    try #require(stage.waitFor("playing"))
    let filters = values(of: "Seccomp", process: program.id)
    #expect(filters.count >= 3 && filters.allSatisfy { $0 == "0" })
    program.signal(SIGTERM)
    program.wait()
  }
}
