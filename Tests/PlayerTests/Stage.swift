import Glibc
import SoundServerSupport
import Testing

/// A sound server of its own, a listener who writes down what is heard, and the program, which plays.
final class Stage {
  let server: SoundServer
  let recording: MonitorRecording
  let listener: Listener
  let folder: TemporaryFolder
  private(set) var program: ChildProcess?

  /// - Parameter tracks: What can be heard.
  init(tracks: [[Frame]], rate: Int = 44100, modules: [String] = []) throws {
    server = try SoundServer(sink: "sink_name=null0 rate=\(rate) norewinds=1", modules: modules)
    recording = try MonitorRecording(server, sampleRate: rate)
    listener = Listener(recording, tracks: tracks)
    folder = try TemporaryFolder()
  }

  /// Fixtures of 44.1 kHz in stereo.
  convenience init(_ names: String..., modules: [String] = []) throws {
    try self.init(tracks: names.map { try Program.decode(fixture($0)) }, modules: modules)
  }

  /// Plays in line mode.
  @discardableResult
  func play(_ arguments: String...) throws -> ChildProcess {
    let program = try ChildProcess(
      [Program.path, "--events", folder("events")] + arguments, environment: server.environment,
      errors: folder("errors"))
    self.program = program
    return program
  }

  /// What was announced so far.
  var events: [Event] { Event.all(in: folder("events")) }

  /// What was complained about so far.
  var errors: String { String(decoding: contents(of: folder("errors")), as: UTF8.self) }

  /// Waits for the program's end; its exit status.
  func end(seconds: Double = 60) async throws -> Int32? {
    let program = try #require(program)
    return try await eventually(seconds: seconds) { program.isOver } ? program.wait() : nil
  }

  /// Waits until all that the server still holds is recorded: some silence after what was heard last.
  func hearAll() async throws {
    var count = -1
    var silentSince = 0
    _ = try await eventually {
      listener.listen()
      if listener.frameCount != count { (count, silentSince) = (listener.frameCount, recording.sampleCount) }
      return recording.sampleCount > silentSince + 40_000
    }
  }
}
