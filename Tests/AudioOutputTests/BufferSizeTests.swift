import AudioModel
import AudioOutput
import Testing

@Suite struct `Sizes and numbers` {
  struct Row: CustomTestStringConvertible {
    var rate = 44100.0, framesPerPacket: Int, maximumPacketSize: Int, seconds: Double
    var byteCount: Int, packetCount: Int
    var testDescription: String { "\(rate), \(framesPerPacket), \(maximumPacketSize), \(seconds)" }
  }

  @Test(arguments: [
    Row(framesPerPacket: 1152, maximumPacketSize: 1441, seconds: 0.5, byteCount: 27581, packetCount: 19),
    Row(framesPerPacket: 1152, maximumPacketSize: 523, seconds: 0.5, byteCount: 16384, packetCount: 31),
    Row(framesPerPacket: 1, maximumPacketSize: 4, seconds: 0.5, byteCount: 88200, packetCount: 22050),
    Row(rate: 96000, framesPerPacket: 1, maximumPacketSize: 6, seconds: 5, byteCount: 327680, packetCount: 54613),
    Row(framesPerPacket: 0, maximumPacketSize: 4608, seconds: 0.5, byteCount: 327680, packetCount: 71),
    Row(framesPerPacket: 1024, maximumPacketSize: 1536, seconds: 0.5, byteCount: 33075, packetCount: 21),
    Row(framesPerPacket: 4096, maximumPacketSize: 24576, seconds: 5, byteCount: 327680, packetCount: 13),
    Row(rate: 8000, framesPerPacket: 160, maximumPacketSize: 33, seconds: 0.5, byteCount: 16384, packetCount: 496),
    Row(framesPerPacket: 0, maximumPacketSize: 400_000, seconds: 0.5, byteCount: 400_000, packetCount: 1),
    // The printed code gives 0 packets for these.
    Row(framesPerPacket: 4096, maximumPacketSize: 400_000, seconds: 0.5, byteCount: 400_000, packetCount: 1),
    Row(framesPerPacket: 4096, maximumPacketSize: 400_000, seconds: 0.05, byteCount: 400_000, packetCount: 1),
    Row(framesPerPacket: 4096, maximumPacketSize: 400_000, seconds: 0.09, byteCount: 400_000, packetCount: 1),
    // Nonsense that no file should make us trip over.
    Row(framesPerPacket: 0, maximumPacketSize: 0, seconds: 0, byteCount: 327680, packetCount: 327680),
    Row(rate: .nan, framesPerPacket: 1, maximumPacketSize: 4, seconds: 1, byteCount: 16384, packetCount: 4096),
    Row(rate: .infinity, framesPerPacket: 1, maximumPacketSize: 4, seconds: 1, byteCount: 327680, packetCount: 81920),
    Row(rate: -1, framesPerPacket: -1, maximumPacketSize: -5, seconds: -1, byteCount: 327680, packetCount: 327680),
    Row(framesPerPacket: 1, maximumPacketSize: .max, seconds: 1e300, byteCount: .max, packetCount: 1),
  ])
  func `a buffer holds the wanted duration within limits, and at least one packet`(row: Row) {
    let size = deriveBufferSize(
      sampleRate: row.rate, framesPerPacket: row.framesPerPacket, maximumPacketSize: row.maximumPacketSize,
      seconds: row.seconds)
    #expect(size == (row.byteCount, row.packetCount))
  }

  @Test func `0_1 s of 160 kbit per s is the floor, not some 3 packets`() {
    let size = deriveBufferSize(sampleRate: 44100, framesPerPacket: 1152, maximumPacketSize: 1441, seconds: 0.1)
    #expect(size == (16384, 11))
  }

  @Test(
    arguments: [
      (AudioQueueError.invalidBuffer, -66687), (.bufferEmpty, -66686), (.disposalPending, -66685),
      (.invalidParameter, -66682), (.bufferInQueue, -66679), (.invalidRunState, -66678), (.codecNotFound, -66673),
      (.queueInvalidated, -66671), (.bufferEnqueuedTwice, -66666), (.enqueueDuringReset, -66632),
      (.invalidOfflineMode, -66626), (.unsupportedFormat, 1_718_449_215),
    ] as [(AudioQueueError, Int32)])
  func `errors have the published numbers`(error: AudioQueueError, number: Int32) {
    #expect(error.code == number)
    #expect(error.description.hasSuffix("(\(number))"))
  }

  @Test func `every published number has words, and no two the same`() {
    let numbers = Array(-66687 ... -66665) + [-66632, -66626] as [Int32]
    let unknown = AudioQueueError(code: 1).description.dropLast(3)
    let words = numbers.map { AudioQueueError(code: $0).description.dropLast("(\($0))".count) }
    #expect(Set(words).count == 25 && !words.contains(unknown))
  }

  @Test func `a clock is a line that begins at its reference`() {
    let line = AudioClock(frame: 100, referenceTime: .zero + .seconds(1), framesPerSecond: 44100)
    #expect(line.frame(at: .zero + .seconds(2)) == 44200)
    #expect(line.frame(at: .zero) == 100)
    #expect(AudioClock(frame: 7, referenceTime: .zero, framesPerSecond: 0).frame(at: .distantFuture) == 7)
  }
}
