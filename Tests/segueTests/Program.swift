import Glibc
import SoundServerSupport

/// Runs the built program, and others, as processes.
enum Program {
  /// The result of a process.
  struct Result {
    var status: Int32
    var output: [UInt8]
    var errors: String

    /// The output as text.
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// The program beside this test bundle.
  static let path = ChildProcess.product("segue")

  /// `segue` with these arguments.
  static func segue(_ arguments: String...) throws -> Result { try run([path] + arguments) }

  /// Runs a command found in PATH; ends it after five minutes.
  static func run(_ arguments: [String]) throws -> Result { try run(bytes: arguments.map { Array($0.utf8) }) }

  /// The same with arguments as the kernel hands them over.
  static func run(bytes arguments: [[UInt8]]) throws -> Result {
    let folder = try TemporaryFolder()
    let child = try ChildProcess(arguments, output: .file(folder.path + "/out"), errors: folder.path + "/err")
    let end = child.wait(seconds: 300)
    guard end != -SIGKILL else { throw Failure.hangs }
    // As a shell has it: the exit status, or 128 and the signal.
    return Result(
      status: end < 0 ? 128 - end : end, output: try contents(folder.path + "/out"),
      errors: String(decoding: try contents(folder.path + "/err"), as: UTF8.self))
  }

  enum Failure: Error { case spawn, hangs, missing(String) }
}

/// The bytes of a file.
func contents(_ path: String) throws -> [UInt8] {
  guard let file = fopen(path, "r") else { throw Program.Failure.missing(path) }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var window = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&window, 1, window.count, file), count > 0 { bytes += window[..<count] }
  return bytes
}
