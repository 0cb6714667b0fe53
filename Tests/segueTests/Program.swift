import CGlibcExtras
import Glibc

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
  static let path: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let executable = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return executable.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/segue"
  }()

  /// `segue` with these arguments.
  static func segue(_ arguments: String...) throws -> Result { try run([path] + arguments) }

  /// Runs a command found in PATH; ends it after five minutes.
  static func run(_ arguments: [String]) throws -> Result { try run(bytes: arguments.map { Array($0.utf8) }) }

  /// The same with arguments as the kernel hands them over.
  static func run(bytes arguments: [[UInt8]]) throws -> Result {
    let folder = try TemporaryFolder()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, folder.path + "/out", O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, folder.path + "/err", O_WRONLY | O_CREAT, 0o600)
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0.map { CChar(bitPattern: $0) } + [0]) } + [nil]
    defer { argv.forEach { free($0) } }
    // Test threads block signals; a child that inherits that cannot be asked to end.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var child: pid_t = 0
    guard let program = argv[0], posix_spawnp(&child, program, &actions, &attributes, &argv, segue_environment()) == 0
    else {
      throw Failure.spawn
    }
    return Result(
      status: try wait(for: child), output: try contents(folder.path + "/out"),
      errors: String(decoding: try contents(folder.path + "/err"), as: UTF8.self))
  }

  private static func wait(for child: pid_t) throws -> Int32 {
    let deadline = time(nil) + 300
    var status: Int32 = 0
    while waitpid(child, &status, WNOHANG) == 0 {
      if time(nil) > deadline {
        kill(child, SIGKILL)
        waitpid(child, &status, 0)
        throw Failure.hangs
      }
      usleep(1000)
    }
    // As a shell has it: the exit status, or 128 and the signal.
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
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

/// Writes a file.
func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
  guard let file = fopen(path, "w") else { throw Program.Failure.missing(path) }
  defer { fclose(file) }
  fwrite(Array(bytes), 1, Array(bytes).count, file)
}

/// A folder that goes away with its owner.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/segue-test.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Program.Failure.spawn }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { _ = system("rm -rf '\(path)'") }
}
