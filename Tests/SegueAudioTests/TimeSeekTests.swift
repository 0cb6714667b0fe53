import SegueAudio
import Testing

/// Seeks by time, in the stream and in the file: what is decoded from there on is what it is without a seek.
@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures")) struct `A seek by time` {
  static let names = [
    "e2-44100-v2.mp3", "framed-adts-stereo.aac", "wave-pcm_s16le.wav", "aiff-sox-16.aiff", "mp4-aac-faststart.m4a",
    "vorbis-tagged.ogg", "flac-tagged.flac", "caf-pcm_s16be.caf", "next-pcm_s16be.au",
  ]

  /// All samples of a file in a row, from packet 0 on.
  static func whole(_ bytes: [UInt8]) throws -> (DecodingSink, AudioFileStream) {
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    var sink = DecodingSink()
    try stream.parse(bytes.span.bytes, into: &sink)
    try stream.finish(into: &sink)
    return (sink, stream)
  }

  /// The place of a moment in those samples.
  static func place(_ seconds: Double, _ information: MediaInformation, _ format: PCMFormat) -> Int {
    let priming = information.packetTable?.primingFrames ?? information.primingFrames
    return (Int((seconds * Double(format.sampleRate)).rounded()) + priming) * format.bytesPerFrame
  }

  @Test(arguments: names, [0, 0.1, 0.5, 0.9]) func `in a stream delivers from the moment on`(
    name: String, share: Double
  ) throws {
    let bytes = Fixtures.bytes(name)
    let (all, stream) = try Self.whole(bytes)
    let decoder = try #require(all.decoder)
    let seconds = share * (try #require(stream.information.duration))
    let target = try stream.seek(
      toSeconds: seconds, decoderPreroll: decoder.prerollPacketCount, resetInterval: decoder.resetInterval)
    #expect(!target.isEstimated)
    let start = Int(target.dataOffset + (try #require(stream.information.dataOffset)))
    decoder.reset()
    var sink = DecodingSink(decoder: decoder)
    try stream.parse(bytes.span.bytes.extracting(droppingFirst: start), into: &sink)
    try stream.finish(into: &sink)
    #expect(sink.firstPacket == target.packet)
    let heard = sink.samples.dropFirst(target.frameOffset * decoder.format.bytesPerFrame)
    let place = Self.place(seconds, stream.information, decoder.format)
    #expect(!heard.isEmpty && heard.elementsEqual(all.samples.dropFirst(place)))
  }

  @Test(arguments: names + ["mp4-aac.m4a"], [0, 0.1, 0.5, 0.9]) func `in a file begins decoding where it must`(
    name: String, share: Double
  ) throws {
    let file = try AudioFile(path: Fixtures.path(name))
    let decoder = try AudioDecoders.decoder(for: file.information)
    let seconds = share * (try #require(file.information.duration))
    let all = try samples(file, from: 0, decoder)
    decoder.reset()
    let start = try file.decodingStart(
      atSeconds: seconds, decoderPreroll: decoder.prerollPacketCount, resetInterval: decoder.resetInterval)
    let heard = try samples(file, from: start.packet, decoder).dropFirst(
      start.frameOffset * decoder.format.bytesPerFrame)
    let place = Self.place(seconds, file.information, decoder.format)
    #expect(!heard.isEmpty && heard.elementsEqual(all.dropFirst(place)))
  }

  private func samples(_ file: AudioFile, from packet: Int64, _ decoder: any AudioDecoder) throws -> [UInt8] {
    var (next, samples) = (packet, [UInt8]())
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    while true {
      let read = try buffer.withUnsafeMutableBytes {
        try file.readPacketData(startPacket: next, count: 500, into: $0)
      }
      #expect(read.packetCount <= 500)
      try read.forEachPacket(in: buffer.span.bytes) { samples += try decoder.samples(of: $0, $1) }
      next += Int64(read.packetCount)
      if read.isAtEnd { return samples }
    }
  }

  @Test func `refuses times beyond the end and NaN`() throws {
    let file = try AudioFile(path: Fixtures.path("flac-tagged.flac"))
    let (_, stream) = try Self.whole(Fixtures.bytes("flac-tagged.flac"))
    for seconds in [1e9, .infinity, 1e300] {
      #expect(throws: ContainerError.self) { try file.decodingStart(atSeconds: seconds) }
      #expect(throws: ContainerError.self) { try stream.seek(toSeconds: seconds) }
    }
    for code in [
      #expect(throws: ContainerError.self) { try file.decodingStart(atSeconds: .nan) }?.code,
      #expect(throws: ContainerError.self) { try stream.seek(toSeconds: .nan) }?.code,
    ] { #expect(code == .badParameter) }
    // Before the first frame lies the first frame.
    #expect(try file.decodingStart(atSeconds: -5) == file.decodingStart(atSeconds: 0))
  }

  @Test func `to where nothing was parsed yet is flagged as estimated`() throws {
    let bytes = Fixtures.bytes("e2-44100-v2.mp3")
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    var sink = DecodingSink()
    try stream.parse(bytes.span.bytes.extracting(first: bytes.count / 4), into: &sink)
    let seconds = 0.8 * (try #require(stream.information.duration))
    let target = try stream.seek(toSeconds: seconds)
    #expect(target.isEstimated && target.prerollPacketCount > 0)
    let frame = target.packet * 1152 + Int64(target.frameOffset)
    let priming = try #require(stream.information.packetTable?.primingFrames)
    #expect(frame == Int64((seconds * 44100).rounded()) + Int64(priming))
  }
}
