import AudioModel
import Decoding
import Glibc
import Testing

@testable import Playback

/// Limits of the work of C libraries for one packet.
@Suite("Limits of decoding")
struct DecodingLimitTests {
  /// Gives silence, and works on one packet for as long as it is told.
  private final class SlowDecoder: AudioDecoder {
    let format: PCMFormat
    private let slowPacket: Int
    private let seconds: Double
    private(set) var packetCount = 0

    init(_ format: PCMFormat, slowPacket: Int, seconds: Double) {
      (self.format, self.slowPacket, self.seconds) = (format, slowPacket, seconds)
    }

    func decode(
      _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
    ) throws(DecoderError) -> Int {
      packetCount += 1
      let begin = Self.processorSeconds
      while packetCount == slowPacket, Self.processorSeconds - begin < seconds {}
      return 0
    }

    func reset() {}

    /// Of this thread: no less time passes, and no less is spent by the process, whatever other threads do.
    private static var processorSeconds: Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }

  @Test("a packet that takes too long ends the track, with a message")
  func slowPacket() throws {
    let packets = try PacketReader(location: Fixture.location("gapless-1.mp3"))
    let format = try TrackReader(location: Fixture.location("gapless-1.mp3")).pcmFormat
    let decoder = SlowDecoder(format, slowPacket: 5, seconds: 0.3)
    let reader = TrackReader(packets, decoder: decoder)
    reader.decoding.watch = PacketWatch(limit: .milliseconds(200))
    let error = #expect(throws: TrackError.self) { while try !reader.bytes(4096).isEmpty {} }
    #expect(error?.description.contains("s to decode") == true)
    #expect(decoder.packetCount == 5)
    // No packet more is given to it.
    #expect(throws: TrackError.self) { try reader.bytes(4096) }
    #expect(decoder.packetCount == 5)
  }
}
