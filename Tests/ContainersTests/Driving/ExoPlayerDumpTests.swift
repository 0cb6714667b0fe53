import AudioModel
import Containers
import Testing

@Suite(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS")) struct `ExoPlayer's dumps` {
  @Test(arguments: ExoPlayerDump.all) func `have the same packets at the same times`(
    dump: ExoPlayerDump
  ) throws {
    let file = try AudioFile(source: AwkwardSource(dump.file, knowsLength: dump.knowsLength))
    let format = try #require(file.information.dataFormat)
    let expected = dump.samples
    var found: [ExoPlayerDump.Sample] = []
    var packet: Int64 = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      // Of PCM a sample is 4410 packets.
      let count = format.isUniform ? 4410 : 1
      let read = try buffer.withUnsafeMutableBytes {
        try file.readPacketData(startPacket: packet, count: count, into: $0)
      }
      guard let first = read.packets.first else { break }
      let frame = try file.frame(ofPacket: packet)
      var hash = javaHash(buffer.span.bytes.extracting(first: read.byteCount))
      var byteCount = read.byteCount
      if format.formatID == .vorbis {
        // ExoPlayer puts the packet's frames behind it; and the last page cuts 208 of 1024 frames off the last packet.
        let frameCount = first.frameCount + (packet + 1 == expected.count ? 208 : 0)
        for shift in [0, 8, 16, 24] { hash = hash &* 31 &+ Int32(Int8(truncatingIfNeeded: frameCount >> shift)) }
        byteCount += 4
      }
      // Of ADTS ExoPlayer adds up times that it has rounded.
      let (units, place) = format.formatID == .aac ? (packet, Int64(format.framesPerPacket)) : (1, frame)
      let time = units * (place * 1_000_000 / Int64(format.sampleRate))
      found.append(.init(time: time, byteCount: byteCount, hash: ExoPlayerDump.text(ofHash: hash)))
      packet += Int64(read.packets.packetCount)
    }
    #expect(found.count == expected.count)
    let difference = zip(found, expected).enumerated().first { $1.0 != $1.1 }
    #expect(difference == nil, "packet, ours and theirs: \(difference as Any)")
    // Before the samples stands the decoder's configuration; of Opus in another form, of Vorbis in two parts.
    guard let cookie = file.information.magicCookie, ![.opus, .vorbis].contains(format.formatID) else { return }
    let hash = ExoPlayerDump.text(ofHash: javaHash(cookie.span.bytes))
    #expect(dump.initialization.contains("data = length \(cookie.count), hash \(hash)"))
  }
}
