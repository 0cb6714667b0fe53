import Glibc
import SoundServerSupport
import Testing

/// The built program, and the audio that it decodes from the test files.
enum Program {
  static let path = ChildProcess.product("segue")

  /// The samples of a stereo file that SoX has written.
  static func samples(ofWAVE path: String) throws -> [Frame] {
    let bytes = contents(of: path)
    return bytes.dropFirst(44).withUnsafeBytes { Array($0.bindMemory(to: Frame.self)) }
  }

  /// The frames that it writes to a file instead of playing them, of 16-bit stereo. Without a device there is no silence
  /// of a machine that was late.
  static func written(_ arguments: [String], in folder: TemporaryFolder) throws -> [Frame] {
    let player = try ChildProcess(
      [Self.path, "--output", "wav:\(folder("written.wav"))"] + arguments,
      environment: ["PULSE_SERVER": "unix:/nowhere"])
    try #require(eventually { player.isOver })
    try #require(player.wait() == 0)
    let bytes = contents(of: folder("written.wav"))
    let header = try #require(bytes.firstRange(of: Array("data".utf8)))
    return bytes.dropFirst(header.upperBound + 4).withUnsafeBytes { Array($0.bindMemory(to: Frame.self)) }
  }

  /// The bytes that `segue decode` makes of a file.
  static func decodedBytes(_ path: String) throws -> [UInt8] {
    let decoder = try ChildProcess([Self.path, "decode", "--raw", "-o", "-", path], output: .collected)
    var bytes: [UInt8] = []
    while case let more = decoder.read(), !more.isEmpty { bytes += more }
    try #require(decoder.wait() == 0)
    return bytes
  }

  /// The same as a stereo sink of the same rate plays them.
  static func decode(_ path: String, isMono: Bool = false) throws -> [Frame] {
    try decodedBytes(path).withUnsafeBytes { bytes in
      isMono
        ? bytes.bindMemory(to: UInt16.self).map { Frame($0) << 16 | Frame($0) }
        : Array(bytes.bindMemory(to: Frame.self))
    }
  }
}

/// A file that `Tests/Fixtures/make-fixtures.sh` makes.
func fixture(_ name: String) -> String {
  let folder = getenv("SEGUE_FIXTURES").map { String(cString: $0) } ?? ".build/fixtures"
  return "\(folder)/\(name)"
}

/// An absolute path of the same file.
func canonical(_ path: String) -> String {
  guard let resolved = realpath(path, nil) else { return path }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// True if the fixtures exist.
let hasFixtures = access(fixture("stamp"), R_OK) == 0

/// Runs a client of the player to its end. Returns its output, and prints it: `scripts/run-tests` shows that of tests
/// that fail.
///
/// - Parameter withErrors: True if its error messages belong to the output.
func output(
  ofClient arguments: [String], _ environment: [String: String?], withErrors: Bool = false
) throws -> String {
  let command = withErrors ? ["sh", "-c", "exec \"$0\" \"$@\" 2>&1"] + arguments : arguments
  let output = try ChildProcess.output(of: command, environment: environment)
  let place = environment["XDG_RUNTIME_DIR"] ?? nil
  print("\(place ?? ""): \(arguments.joined(separator: " ")): \(output)")
  return output
}

/// Acts until the screen shows a sentence of its own, which no event has, and which disappears after six seconds.
func isSaid(_ text: String, on terminal: Tmux, after act: () -> Void) -> Bool {
  (0..<Int(patience / 6)).contains { _ in
    act()
    return eventually(seconds: 6, milliseconds: 50) { terminal.screen.contains(text) }
  }
}

/// Waits until the player that clients find in this environment plays. Its sockets open earlier if its first sound is
/// late, and then a client may find it without a track.
func waitUntilPlaying(_ environment: [String: String?]) throws -> Bool {
  try eventually(milliseconds: 50) {
    try output(ofClient: [Program.path, "ctl", "--format", "{state}"], environment, withErrors: true) == "playing\n"
  }
}

/// Polls until `condition` holds; false if it never does. Poll less often if the condition starts a process.
func eventually(
  seconds: Double = patience, milliseconds: UInt32 = 10, _ condition: () throws -> Bool
) rethrows -> Bool {
  try waitUntil(seconds: seconds, milliseconds: milliseconds, condition)
}
