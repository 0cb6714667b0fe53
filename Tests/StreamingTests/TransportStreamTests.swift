import AudioModel
import Testing

@testable import Streaming

/// The audio in transport streams, which the tests build.
struct TransportStreamTests {
  /// A packet with a payload of at most 184 bytes, filled up by an adaptation field.
  private func packet(_ pid: Int, _ payload: [UInt8], isBegin: Bool, counter: Int) -> [UInt8] {
    let stuffing = 184 - payload.count
    let field: [UInt8] =
      stuffing == 0
      ? [] : [UInt8(stuffing - 1)] + (stuffing > 1 ? [0] : []) + [UInt8](repeating: 0xff, count: max(0, stuffing - 2))
    let control = UInt8(stuffing == 0 ? 0x10 : 0x30) | UInt8(counter & 0x0f)
    return [0x47, UInt8(isBegin ? 0x40 : 0) | UInt8(pid >> 8), UInt8(pid & 0xff), control] + field + payload
  }

  private func table(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
    [0, kind, 0xb0, UInt8(body.count + 9), 0, 1, 0xc1, 0, 0] + body + [0, 0, 0, 0]
  }

  /// A program with a video stream and an audio stream of that kind.
  private func stream(_ sound: [UInt8], kind: UInt8) -> [UInt8] {
    var bytes = packet(0, table(0, [0, 0, 0xe0, 0x10, 0, 1, 0xe1, 0x00]), isBegin: true, counter: 0)
    let streams: [UInt8] = [0x1b, 0xe1, 0x01, 0xf0, 2, 9, 9, kind, 0xe1, 0x02, 0xf0, 0]
    bytes += packet(0x100, table(2, [0xe1, 0x01, 0xf0, 3, 1, 2, 3] + streams), isBegin: true, counter: 0)
    var (counter, rest) = (0, sound[...])
    while !rest.isEmpty {
      let unit = Array(rest.prefix(1000))
      rest = rest.dropFirst(1000)
      var data = [0, 0, 1, 0xc0, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1] + unit
      var isBegin = true
      while !data.isEmpty {
        let one = packet(0x102, Array(data.prefix(184)), isBegin: isBegin, counter: counter)
        // Every packet twice, as the standard permits, with video packets in between.
        bytes += one + one + packet(0x101, [0, 0, 1, 0xe0] + noise(180), isBegin: true, counter: counter)
        data.removeFirst(min(184, data.count))
        (isBegin, counter) = (false, counter + 1)
      }
    }
    return bytes
  }

  @Test(arguments: [0x03, 0x04, 0x0f] as [UInt8], [1, 7, 187, 188, 189, 100_000])
  func `is extracted completely, in pieces of any size`(kind: UInt8, size: Int) {
    let sound = noise(5003)
    let bytes = stream(sound, kind: kind)
    #expect(TransportStream.begins(bytes) && !TransportStream.begins(sound))
    var (parser, audio) = (TransportStream(), [UInt8]())
    for start in Swift.stride(from: 0, to: bytes.count, by: size) {
      audio += parser.audio(in: Array(bytes[start..<min(start + size, bytes.count)]))
    }
    expectSame(audio, sound)
    // After other bytes, too.
    var other = TransportStream()
    expectSame(other.audio(in: [1, 2, 3] + bytes), sound)
  }

  @Test func `the time of the first unit and the titles of tags are read`() {
    var parser = TransportStream()
    _ = parser.audio(in: stream(noise(3000), kind: 0x0f))
    // 0010, 3 bits, 1, 15 bits, 1, 15 bits, 1: as in `stream`.
    #expect(parser.time == 0 && parser.title == nil)
    parser.time = nil
    let title =
      Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 14] + Array("TIT2".utf8) + [0, 0, 0, 4, 0, 0, 3] + Array("Air".utf8)
    let streams: [UInt8] = [0x15, 0xe1, 0x03, 0xf0, 0, 0x0f, 0xe1, 0x02, 0xf0, 0]
    let bytes =
      packet(0, table(0, [0, 1, 0xe1, 0x00]), isBegin: true, counter: 1)
      + packet(0x100, table(2, [0xe1, 0x02, 0xf0, 0] + streams), isBegin: true, counter: 1)
      + packet(0x103, [0, 0, 1, 0xbd, 0, 0, 0x80, 0, 0] + title, isBegin: true, counter: 0)
      + packet(0x102, [0, 0, 1, 0xc0, 0, 0, 0x80, 0x80, 5, 0x2f, 0xff, 0xff, 0xff, 0xfd, 7], isBegin: true, counter: 9)
    #expect(parser.audio(in: bytes) == [7])
    #expect(parser.time == 1 << 33 - 2 && parser.title == "Air")
  }

  @Test func `a long tag lies in several packets`() {
    let name = "A long name " + String(repeating: "x", count: 300)
    let size = { (count: Int) in [0, 0, UInt8(count >> 7), UInt8(count & 0x7f)] }
    let frame = Array("TIT2".utf8) + size(name.count + 1) + [0, 0, 3] + Array(name.utf8)
    let tag = Array("ID3".utf8) + [4, 0, 0] + size(frame.count) + frame
    let unit = [0, 0, 1, 0xbd, 0, 0, 0x80, 0, 0] + tag
    var parser = TransportStream()
    _ = parser.audio(
      in: packet(0, table(0, [0, 1, 0xe1, 0x00]), isBegin: true, counter: 1)
        + packet(0x100, table(2, [0xe1, 0x02, 0xf0, 0, 0x15, 0xe1, 0x03, 0xf0, 0]), isBegin: true, counter: 1))
    for start in Swift.stride(from: 0, to: unit.count, by: 184) {
      let piece = Array(unit[start..<min(start + 184, unit.count)])
      _ = parser.audio(in: packet(0x103, piece, isBegin: start == 0, counter: start / 184))
    }
    #expect(parser.title == name)
  }

  @Test func `a truncated segment does not damage the next one, whose counters may restart`() throws {
    var reader = SegmentReader()
    // 17 packets, so that the first packet of the next segment has the number of the last.
    let sounds = [noise(2900, seed: 1), noise(3000, seed: 2)]
    for sound in sounds {
      // The next segment's first packet would be taken for the rest of this packet.
      let bytes = stream(sound, kind: 0x0f) + [0x47, 0x01, 0x02, 0x10] + noise(60)
      let content = try reader.read(bytes, isFragment: false, clock: nil)
      expectSame(content.sound, sound)
    }
  }

  @Test func `other codecs give nothing`() {
    var parser = TransportStream()
    #expect(parser.audio(in: stream(noise(2000), kind: 0x81)).isEmpty && parser.audioPID == nil)
  }

  @Test func `random bytes do no harm, and yield at most as many bytes`() {
    let good = stream(noise(3000), kind: 0x0f)
    var random = SeededGenerator(seed: 5)
    for round in 0..<400 {
      var bytes = good
      for _ in 0..<(1 + round % 40) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      // Most changes are in tables and headers.
      for place in 0..<8 where round % 3 == 0 {
        bytes[place * 47 + 1] = .random(in: 0...255, using: &random)
      }
      var parser = TransportStream()
      var count = 0
      for start in Swift.stride(from: 0, to: bytes.count, by: 500) {
        count += parser.audio(in: Array(bytes[start..<min(start + 500, bytes.count)])).count
      }
      #expect(count <= bytes.count)
    }
  }
}
