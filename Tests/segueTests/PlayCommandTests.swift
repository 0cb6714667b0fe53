import Glibc
import Testing

/// `segue PATH...` without a screen, run as a process.
@Suite("segue play")
struct PlayCommandTests {
  @Test(
    "ends after one line for each of several files that cannot be played, whatever is to be repeated (issue 2, B.6)",
    arguments: ["off", "all", "one"])
  func repeatsNoFailures(mode: String) throws {
    let folder = try TemporaryFolder()
    let paths = ["a.mp3", "b.mp3", "c.mp3"].map { folder.path + "/" + $0 }
    for path in paths { try write("no music".utf8, to: path) }
    let result = try Program.run([Program.path, "--no-ui", "--output", "null", "--repeat", mode] + paths)
    #expect(result.status == 2)
    #expect(result.errors.split(separator: "\n").count == 3, "\(result.errors)")
  }
}
