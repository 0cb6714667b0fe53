import SegueAudio
import SoundServerSupport
import Testing
import Threads

/// The loop of the tutorials: parse, enqueue packets, play.
@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures")) struct `A queue of packets` {
  /// Feeds a queue with what a stream delivers, in buffers of 4 KiB.
  private struct Feeder: AudioFileStreamSink {
    let output: OfflineOutput
    let returned: Returned
    var queue: AudioPacketQueue?
    var buffer: AudioPacketBuffer?
    var enqueued = 0
    var failure: (any Error)?

    mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {
      guard property == .readyToProducePackets, queue == nil else { return }
      do {
        queue = try AudioPacketQueue(information: stream.information, output: output) { [returned] event in
          if case .bufferReturned(let buffer) = event, buffer.packetCount == 0 { returned.add() }
        }
        buffer = try queue?.allocateBuffer(byteCapacity: 4096)
      } catch { failure = error }
    }

    mutating func stream(
      _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
    ) {
      do {
        try packets.forEachPacket(in: bytes) { packet, data in
          if buffer?.append(packet, data) == false {
            try enqueue(trimStart: enqueued == 0 ? stream.information.packetTable?.primingFrames ?? 0 : 0)
            buffer = try queue?.allocateBuffer(byteCapacity: 4096)
            let fits = buffer?.append(packet, data)
            #expect(fits == true)
          }
        }
      } catch { failure = error }
    }

    mutating func enqueue(trimStart: Int = 0, trimEnd: Int = 0) throws {
      guard let buffer, buffer.packetCount > 0 else { return }
      try queue?.enqueue(buffer, trimStart: trimStart, trimEnd: trimEnd)
      enqueued += 1
      #expect(throws: AudioQueueError.self) { try queue?.enqueue(buffer) }
    }
  }

  private final class Returned: Sendable {
    private let counter = Guarded(0)
    var count: Int { counter.withLock { $0 } }
    func add() { counter.withLock { $0 += 1 } }
  }

  @Test(arguments: [(-1, 0), (0, -1), (.max, 1), (1, .max), ((1 << 24) + 1, 0), (1 << 24, 1)])
  func `refuses packets of impossible lengths`(frameCount: Int, droppedFrameCount: Int) throws {
    let format = AudioStreamBasicDescription(
      sampleRate: 44100, formatID: .uLaw, bytesPerPacket: 1, framesPerPacket: 1, bytesPerFrame: 1, channelsPerFrame: 1,
      bitsPerChannel: 8)
    let queue = try AudioPacketQueue(format: format, output: OfflineOutput()) { _ in }
    let buffer = try queue.allocateBuffer(byteCapacity: 8)
    var packet = PacketDescription(byteOffset: 0, byteCount: 1, frameCount: frameCount)
    packet.droppedFrameCount = droppedFrameCount
    let bytes: [UInt8] = [0]
    let isAppended = buffer.append(packet, bytes.span.bytes)
    #expect(isAppended)
    #expect(throws: AudioQueueError.invalidParameter) { try queue.enqueue(buffer) }
  }

  @Test(arguments: [
    "e2-44100-v2.mp3", "mp4-aac-faststart.m4a", "flac-tagged.flac", "vorbis-tagged.ogg", "wave-pcm_s16le.wav",
    "framed-adts-stereo.aac",
  ])
  func `plays what decoding the file gives`(name: String) throws {
    let bytes = Fixtures.bytes(name)
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    let output = OfflineOutput()
    var feeder = Feeder(output: output, returned: Returned())
    for start in stride(from: 0, to: bytes.count, by: 4096) {
      try stream.parse(bytes[start..<min(start + 4096, bytes.count)].span.bytes, into: &feeder)
    }
    try stream.finish(into: &feeder)
    let table = stream.information.packetTable
    try feeder.enqueue(
      trimStart: feeder.enqueued == 0 ? table?.primingFrames ?? 0 : 0, trimEnd: table?.remainderFrames ?? 0)
    #expect(feeder.failure == nil)
    let queue = try #require(feeder.queue)
    try queue.start()
    queue.stop(immediately: false)
    var (heard, window): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
    while case let count = try window.withUnsafeMutableBytes({ try output.render(into: $0) }), count > 0 {
      heard += window[..<count]
      if !queue.queue.isRunning { break }
    }
    let isSame = try heard == `A writer of packets`.decoded(Fixtures.path(name))
    #expect(isSame)
    #expect(feeder.returned.count == feeder.enqueued && queue.damagedPacketCount == 0)
  }

  @Test func `plays silence for a packet that cannot be decoded`() throws {
    let (information, packets) = try parsed("flac-tagged.flac")
    let queue = try AudioPacketQueue(information: information, output: OfflineOutput()) { _ in }
    let buffer = try queue.allocateBuffer(byteCapacity: 1 << 20)
    for (index, packet) in packets.prefix(3).enumerated() {
      let damaged = index == 1 ? [UInt8](repeating: 7, count: packet.1.count) : packet.1
      let fits = buffer.append(packet.0, damaged.span.bytes)
      #expect(fits)
    }
    try queue.enqueue(buffer)
    #expect(queue.damagedPacketCount == 1)
    #expect(queue.queue.prime() == packets.prefix(3).reduce(0) { $0 + $1.0.frameCount })
    let empty = try queue.allocateBuffer(byteCapacity: 16)
    #expect(throws: AudioQueueError.bufferEmpty) { try queue.enqueue(empty) }
  }

  @Test func `says that there is no decoder`() {
    let format = AudioStreamBasicDescription(
      sampleRate: 8000, formatID: AudioFormatID(FourCharCode("none")), channelsPerFrame: 1)
    let error = #expect(throws: AudioQueueError.self) {
      _ = try AudioPacketQueue(format: format, output: OfflineOutput()) { _ in }
    }
    #expect(error == .codecNotFound && error?.description.contains("no decoder for the format") == true)
  }

  @Test func `decodes from the beginning after a stop`() throws {
    let (information, packets) = try parsed("e2-44100-v2.mp3")
    let output = OfflineOutput()
    let queue = try AudioPacketQueue(information: information, output: output) { _ in }
    let heard = try (0..<2).map { _ in
      let buffer = try queue.allocateBuffer(byteCapacity: 1 << 20)
      for packet in packets.prefix(50) { _ = buffer.append(packet.0, packet.1.span.bytes) }
      try queue.enqueue(buffer)
      try queue.start()
      var window = [UInt8](repeating: 0, count: 50 * 1152 * queue.queue.format.bytesPerFrame)
      let byteCount = try window.withUnsafeMutableBytes { try output.render(into: $0) }
      #expect(byteCount == window.count)
      queue.stop(immediately: true)
      return window
    }
    let isSame = heard[0] == heard[1]
    #expect(isSame)
  }

  @Test func `refuses a buffer that it cannot play, and decodes nothing of it`() throws {
    let (information, packets) = try parsed("flac-tagged.flac")
    let queue = try AudioPacketQueue(information: information, output: OfflineOutput()) { _ in }
    let other = try AudioPacketQueue(information: information, output: OfflineOutput()) { _ in }
    // Packets that are counted when they are decoded.
    let damaged = [UInt8](repeating: 7, count: 100)
    func fill(_ buffer: AudioPacketBuffer) { _ = buffer.append(packets[0].0, damaged.span.bytes) }
    let (buffer, late) = (try queue.allocateBuffer(byteCapacity: 100), try queue.allocateBuffer(byteCapacity: 100))
    fill(buffer)
    #expect(throws: AudioQueueError.invalidBuffer) { try other.enqueue(buffer) }
    #expect(throws: AudioQueueError.invalidParameter) { try queue.enqueue(buffer, trimEnd: -1) }
    #expect(queue.damagedPacketCount == 0 && other.damagedPacketCount == 0)
    try queue.enqueue(buffer)
    #expect(throws: AudioQueueError.bufferEnqueuedTwice) { try queue.enqueue(buffer) }
    queue.stop(immediately: false)
    fill(late)
    #expect(throws: AudioQueueError.enqueueDuringReset) { try queue.enqueue(late) }
    #expect(queue.damagedPacketCount == 1)
    queue.reset()
    try queue.enqueue(late)
    queue.queue.dispose()
    fill(buffer)
    #expect(throws: AudioQueueError.queueInvalidated) { try queue.enqueue(buffer) }
    #expect(queue.damagedPacketCount == 2)
  }

  private func parsed(_ name: String) throws -> (MediaInformation, [(PacketDescription, [UInt8])]) {
    let (stream, bytes) = (AudioFileStream(), Fixtures.bytes(name))
    var sink = Packets()
    try stream.parse(bytes.span.bytes, into: &sink)
    return (stream.information, sink.packets)
  }

  private struct Packets: AudioFileStreamSink {
    var packets: [(PacketDescription, [UInt8])] = []
    mutating func stream(
      _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
    ) {
      packets.forEachPacket(in: bytes) { packet, data in
        self.packets.append((packet, data.withUnsafeBytes { Array($0) }))
      }
    }
  }
}
