import AudioModel
import AudioOutput
import Glibc
import SoundServerSupport
import Threads

/// ALSA without a card: plug-ins that write files or play through a sound server.
enum Device {
  private static let folder = try? TemporaryFolder()
  private static let isConfigured: Bool = {
    guard let folder else { return false }
    let text = """
      pcm.record {
        @args [ FILE ]
        @args.FILE { type string }
        type file
        file $FILE
        format raw
        slave.pcm { type null }
      }
      pcm.server {
        @args [ ADDRESS ]
        @args.ADDRESS { type string }
        type pulse
        server $ADDRESS
        handle_underrun 1
      }
      """
    guard let file = fopen(folder("asound.conf"), "we") else { return false }
    fputs(text, file)
    fclose(file)
    return setenv("ALSA_CONFIG_PATH", folder("asound.conf"), 1) == 0
  }()

  /// A device that writes the bytes that it gets to a file, as fast as it gets them; `%r` and `%b` in the name are rate and
  /// bits.
  static func file(_ path: String) -> String {
    precondition(isConfigured)
    return "record:FILE=\(path)"
  }

  /// A device of a sound server, which plays in real time.
  static func server(_ server: SoundServer) -> String {
    precondition(isConfigured)
    return "server:ADDRESS='unix:\(server.folder)/pulse/native'"
  }
}

/// A source that gives numbered bytes, and records events.
final class Source: AudioOutputSource {
  struct State {
    var bytes: [UInt8] = []
    var place = 0
    /// Bytes that may be rendered.
    var end = 0
    var events: [String] = []
  }

  let bytesPerFrame: Int
  let state: Guarded<State>

  init(frameCount: Int, bytesPerFrame: Int) {
    self.bytesPerFrame = bytesPerFrame
    var generator = SeededGenerator(seed: 1)
    let bytes = generator.bytes(frameCount * bytesPerFrame)
    state = Guarded(State(bytes: bytes, end: bytes.count))
  }

  func render(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    state.withLock { state in
      let count = min(bytes.count, state.end - state.place)
      guard count > 0 else { return 0 }
      bytes.copyBytes(from: state.bytes[state.place..<state.place + count])
      state.place += count
      return count
    }
  }

  func handle(_ event: AudioOutputEvent) {
    state.withLock { $0.events.append("\(event)") }
  }

  var events: [String] { state.withLock { $0.events } }
  var bytes: [UInt8] { state.withLock { $0.bytes } }
  func limit(toFrame frame: Int) { state.withLock { $0.end = frame * bytesPerFrame } }
  func move(toFrame frame: Int) { state.withLock { $0.place = frame * bytesPerFrame } }
  func waitFor(_ event: String) -> Bool {
    let isThere = waitUntil { events.contains { $0.hasPrefix(event) } }
    if !isThere { print("waited in vain for \(event): \(events)") }
    return isThere
  }
}

/// A few buffers of a kind that does not matter.
let buffering = AudioOutputBuffering(seconds: 0.4, requestSeconds: 0.1)
