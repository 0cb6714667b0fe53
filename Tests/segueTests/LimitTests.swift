import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The program where the system refuses it something at its start.
@Suite("Limits of the system", .onThreadsOfTheirOwn) struct LimitTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let canLimit =
    geteuid() == 0 && ["setpriv", "prlimit"].allSatisfy { access("/usr/bin/" + $0, X_OK) == 0 }

  /// The start of a command that runs as a user of its own, whose limits count: the superuser has none. All threads of a
  /// user count, also those of another test.
  private func asUser(_ number: Int) -> [String] {
    let user = "\(10_000 + Int(getpid()) % 5_000 * 8 + number)"
    return ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
  }

  /// Runs the program as a user who may have so many threads.
  private func limited(to count: Int) throws -> [String] {
    let program = folder.path + "/segue"
    try install(Program.path, as: program)
    try write(contents(fixture("e2-44100-cbr160.mp3")), to: folder.path + "/a.mp3")
    chmod(folder.path, 0o777)
    return ["prlimit", "--nproc=\(count):"] + asUser(count)
      + [
        "env", "HOME=" + folder.path, "SEGUE_HOME=" + folder.path + "/home", "XDG_RUNTIME_DIR=", program, "--no-ui",
        "--output", "null", folder.path + "/a.mp3",
      ]
  }

  @Test(.enabled(if: canLimit)) func `without a thread for playback the program ends and says so`() throws {
    let result = try Program.run(limited(to: 1))
    #expect(result.status == 1 && result.errors.contains("segue: the system refuses a thread: "), "\(result.errors)")
  }

  @Test(.enabled(if: canLimit)) func `a thread that the system refused is started once it may be`() throws {
    let errors = folder.path + "/errors"
    // Enough for the feeder, also beside the process outside of the sandbox.
    let child = try ChildProcess(limited(to: 3), output: .collected, errors: errors)
    var output: [UInt8] = []
    func hasSaid(_ text: String) -> Bool { String(decoding: output, as: UTF8.self).contains(text) }
    while !hasSaid("the system refuses more threads") {
      let more = child.read()
      try #require(!more.isEmpty)
      output += more
    }
    // By the user: a superuser in a container may not.
    let raising = try Program.run(asUser(3) + ["prlimit", "--pid", "\(child.id)", "--nproc=4096:"])
    try #require(raising.status == 0, "\(raising.errors)")
    while case let more = child.read(), !more.isEmpty { output += more }
    #expect(child.wait() == 0 && hasSaid("end of the queue"))
  }

  @Test(.enabled(if: access("/usr/bin/prlimit", X_OK) == 0))
  func `without memory the program ends and says so, whatever it was doing`() throws {
    var refusalCount = 0
    for megabyteCount in stride(from: 32, through: 1024, by: 8) {
      let errors = "\(folder.path)/errors-\(megabyteCount)"
      let child = try ChildProcess(
        [
          "prlimit", "--as=\(megabyteCount << 20)", Program.path, "--no-ui", "--output", "null",
          fixture("e2-44100-cbr160.mp3"),
        ], output: .collected, errors: errors)
      // It plays, or waits for threads.
      let runs = !child.read().isEmpty
      if runs { kill(child.id, SIGKILL) }
      let status = child.wait()
      if runs { break }
      // The system or the dynamic linker had no room for the program.
      if status == 127 || refusalCount == 0 && status < 0 { continue }
      let sentence = String(decoding: contents(of: errors), as: UTF8.self)
      #expect(status == 1 && sentence.contains("segue: "), "\(megabyteCount) MB: \(sentence)")
      refusalCount += 1
    }
    #expect(refusalCount > 0)
  }

  @Test(.enabled(if: access("/usr/bin/cc", X_OK) == 0))
  func `arguments are found after a preloaded library has changed the environment`() throws {
    let (source, library) = (folder.path + "/early.c", folder.path + "/early.so")
    try write(
      """
      #include <stdlib.h>
      __attribute__((constructor)) static void change(void) { setenv("EARLY", "1", 1); }

      """.utf8, to: source)
    let compiler = try Program.run(["cc", "-shared", "-fPIC", source, "-o", library])
    try #require(compiler.status == 0)
    let result = try Program.run(["env", "LD_PRELOAD=\(library)", Program.path, "info", "/nowhere.mp3"])
    #expect(result.errors.contains("/nowhere.mp3"), "\(result.errors) \(result.text.prefix(200))")
  }
}
