import AudioModel
import AudioOutput
import SoundServerSupport
import Testing
import Threads

@Suite struct `A tapped output` {
  /// Frames by their numbers, the last ones counting.
  private final class Recording: Sendable {
    private let frames = Guarded<[UInt32]>([])

    func put(_ bytes: UnsafeRawBufferPointer, at first: Int64) {
      frames.withLock { frames in
        for index in 0..<bytes.count / 4 {
          let place = Int(first) + index
          if place >= frames.count { frames += Array(repeating: 0, count: place + 1 - frames.count) }
          frames[place] = bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        }
      }
    }

    func bytes(_ count: Int) -> [UInt8] { frames.withLock { $0.prefix(count).withUnsafeBytes { Array($0) } } }
  }

  @Test func `records what is heard: without what a seek drops, with what is rendered again`() throws {
    let (device, recording) = (DeepOutput(depth: 3000), Recording())
    let output = TappedOutput(device) { bytes, _, first in recording.put(bytes, at: first) }
    let player = try SignalPlayer(output, bufferSeconds: 0.1)
    try player.feed(0..<8000)
    try player.queue.start()
    var heard = device.play(1000)
    // All that the device holds is given back and rendered again.
    player.queue.volume = 0.5
    heard += device.play(1000)
    player.queue.volume = 1
    heard += device.play(1000)
    // A seek: what the device holds is never heard.
    player.queue.reset()
    try player.feed(20000..<24000)
    heard += device.play(2000)
    // The rest of it is taken back, and something else follows.
    let time = player.queue.takeBack(leaving: 0.001)
    #expect(time > 0)
    try player.feed(30000..<31000)
    player.queue.stop(immediately: false)
    while case let more = device.play(700), !more.isEmpty { heard += more }
    #expect(player.events.last == "isRunning(false)")
    #expect(heard.count > 5000 * 4 && recording.bytes(heard.count / 4) == heard)
  }

  /// An output that lets one choose.
  private final class ChoosingOutput: AudioOutput {
    private let chosen = Guarded("standard")
    func openStream(
      _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
    ) -> any AudioOutputStream { HandCrankedStream(format: format, source: source) }
    func setVolume(_ volume: Double, isMuted: Bool) {}
    func setTrack(title: String?, artist: String?) {}
    var devices: AudioDevices? { AudioDevices(standard: chosen.withLock { $0 }) }
    func setDevice(_ name: String?) { chosen.withLock { $0 = name ?? "standard" } }
  }

  @Test func `lets one choose among the devices of the other output`() {
    let output: any AudioOutput = TappedOutput(ChoosingOutput()) { _, _, _ in }
    #expect(output.devices?.standard == "standard")
    output.setDevice("headphones")
    #expect(output.devices?.standard == "headphones")
  }

  @Test func `passes on all that concerns the device`() throws {
    let device = HandCrankedOutput()
    let output = TappedOutput(device) { _, _, _ in }
    output.setVolume(0.25, isMuted: false)
    output.setRole("game", ducksOthers: true)
    let player = try SignalPlayer(output)
    try player.feed(0..<1000)
    try player.queue.start()
    let stream = try #require(device.stream)
    #expect(stream.isRunning && stream.turn(frames: 100) == 100)
    #expect(player.queue.currentTime == 100)
    player.queue.pause()
    #expect(!stream.isRunning)
    player.queue.dispose()
    #expect(stream.isClosed && device.volumes == [0.25] && device.role == "game, ducks others")
  }
}
