import AudioModel
import AudioOutput
import SoundServerSupport
import TestTraits
import Testing

/// Each channel goes to the speaker that it is for.
@Suite(.excusedByStolenTime) struct `More than two channels` {
  private static let surround = "front-left,front-right,front-center,lfe,rear-left,rear-right"

  private static func server() throws -> SoundServer {
    try SoundServer(sink: "sink_name=null0 rate=48000 norewinds=1 channels=6 channel_map=\(surround)")
  }

  private static func format(_ channelCount: Int, _ mask: UInt32) -> PCMFormat {
    PCMFormat(sampleRate: 48000, channelCount: channelCount, sampleFormat: .s16, channelMask: mask)
  }

  /// Plays half a second in which channel n is 1000 (n + 1) all the time.
  private static func play(_ format: PCMFormat, on server: SoundServer) throws -> SignalPlayer {
    let player = try SignalPlayer(server.output(), bufferSeconds: 0.5, format: format)
    let buffer = try player.takeBuffer()
    buffer.frameCount = buffer.frameCapacity
    for sample in 0..<buffer.frameCount * format.channelCount {
      let value = Int16(1000 * (sample % format.channelCount + 1))
      buffer.bytes.storeBytes(of: value, toByteOffset: 2 * sample, as: Int16.self)
    }
    try player.queue.enqueue(buffer)
    try player.queue.start()
    return player
  }

  @Test(
    arguments: [
      // The usual six; the same told; no LFE; no centre; front and back.
      (6, 0, [1000, 2000, 3000, 4000, 5000, 6000]), (6, 0x3f, [1000, 2000, 3000, 4000, 5000, 6000]),
      (5, 0x37, [1000, 2000, 3000, 0, 4000, 5000]), (5, 0, [1000, 2000, 3000, 0, 4000, 5000]),
      (4, 0x33, [1000, 2000, nil, 0, 3000, 4000]), (4, 0, [1000, 2000, nil, 0, 3000, 4000]),
    ] as [(Int, UInt32, [Int16?])])
  func `are heard where they belong`(channelCount: Int, mask: UInt32, expected: [Int16?]) throws {
    let server = try Self.server()
    let recording = try MonitorRecording(server, sampleRate: 48000, channelCount: 6, channelMap: Self.surround)
    let player = try Self.play(Self.format(channelCount, mask), on: server)
    player.queue.stop(immediately: false)
    #expect(player.waitFor("isRunning(false)"))
    // In the midst of it.
    #expect(waitUntil { recording.samples.count { $0 == 1000 } > 20_000 })
    let samples = recording.samples
    let first = try #require(stride(from: 0, to: samples.count, by: 6).first { samples[$0] == 1000 })
    let frame = Array(samples[(first + 6 * 5000)...].prefix(6))
    for (found, wanted) in zip(frame, expected) {
      // PipeWire lets the woofer have what is low in the others.
      if let wanted, wanted != 0 || SoundServer.isPulseAudio { #expect(found == wanted) }
    }
  }

  @Test(
    arguments: [
      (1, 0, "mono"), (1, 0x4, "mono"), (2, 0, "front-left,front-right"), (2, 0x600, "side-left,side-right"),
      (4, 0x107, "front-left,front-right,front-center,rear-center"),
      (6, 0x60f, "front-left,front-right,front-center,lfe,side-left,side-right"),
      (7, 0, "front-left,front-right,front-center,lfe,rear-center,side-left,side-right"),
      (8, 0, "front-left,front-right,front-center,lfe,rear-left,rear-right,side-left,side-right"),
      (
        8, 0xff,
        "front-left,front-right,front-center,lfe,rear-left,rear-right,front-left-of-center,front-right-of-center"
      ),
      (3, 0x38000, "top-rear-left,top-rear-center,top-rear-right"),
      // More bits than channels, and bits that mean nothing.
      (3, 0x3f, "front-left,front-right,front-center"), (2, 0x8000_0001, "front-left,front-right"),
    ] as [(Int, UInt32, String)])
  func `are named to the server`(channelCount: Int, mask: UInt32, expected: String) throws {
    let server = try Self.server()
    let player = try Self.play(Self.format(channelCount, mask), on: server)
    #expect(player.waitFor("started"), "\(player.events)")
    let inputs = try server.pactl("list", "sink-inputs")
    #expect(inputs.contains("Channel Map: \(expected)\n"), "\(inputs)")
    player.queue.stop(immediately: true)
  }
}
