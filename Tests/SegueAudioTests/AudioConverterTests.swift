import Encoding
import SegueAudio
import SoundServerSupport
import Testing

/// Conversions equal those of the parts: decoders, converters of PCM, encoders.
@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures")) struct `An audio converter` {
  static let names = [
    "e2-44100-v2.mp3", "framed-adts-stereo.aac", "mp4-aac.m4a", "aac-he-stereo.aac", "alac-24-5.1.m4a",
    "alac-short-100.m4a", "flac-24-2-96000.flac", "vorbis-tagged.ogg", "chained-vorbis.ogg", "opus-5.1.opus",
    "ac3-5.1.ac3", "amr-7.amr-nb", "wave-pcm_s16le.wav", "aiff-pcm_s24be.aiff", "caf-pcm_f64be.caf", "caf-pcm_alaw.caf",
    "adpcm-ima4-2.aiff", "adpcm-ms-sox-2.wav",
  ]

  /// Supplies the packets of a file, in reads of a limited size.
  final class Supply {
    let file: AudioFile
    private let limit: Int
    private(set) var next: Int64 = 0
    private var buffer = [UInt8](repeating: 0, count: 1 << 17)

    init(_ name: String, limit: Int = .max) throws {
      (file, self.limit) = (try AudioFile(path: Fixtures.path(name)), limit)
    }

    func seek(to packet: Int64) { next = packet }

    func packets(_ count: Int) throws -> AudioConverter.Input {
      let read = try buffer.withUnsafeMutableBytes {
        try file.readPackets(startPacket: next, count: min(count, limit), into: $0)
      }
      next += Int64(read.packetCount)
      return .packets(Array(buffer[..<read.byteCount]), read.packets)
    }
  }

  /// All of the output in pieces of so many packets.
  static func output(
    _ converter: AudioConverter, piece: Int = 1000, _ input: (Int) throws -> AudioConverter.Input
  ) throws -> (bytes: [UInt8], packets: [PacketDescription], sizes: [Int]) {
    var (bytes, packets, sizes): ([UInt8], [PacketDescription], [Int]) = ([], [], [])
    var buffer = [UInt8](repeating: 0, count: piece * converter.maximumOutputPacketSize)
    while true {
      let output = try buffer.withUnsafeMutableBytes {
        try converter.fillComplexBuffer($0, packetCount: piece, input: input)
      }
      bytes += buffer[..<output.byteCount]
      packets += output.packets
      sizes.append(output.packetCount)
      if output.isAtEnd { return (bytes, packets, sizes) }
      try #require(output.packetCount > 0)
    }
  }

  /// The whole of some PCM, then the end.
  static func once(_ bytes: [UInt8]) -> (Int) -> AudioConverter.Input {
    var isSupplied = false
    return { _ in
      defer { isSupplied = true }
      return isSupplied ? .endOfStream : .packets(bytes)
    }
  }

  /// The frames of the decoder alone.
  static func decoded(_ name: String, _ sampleFormat: PCMFormat.SampleFormat) throws -> (PCMFormat, [UInt8]) {
    let file = try AudioFile(path: Fixtures.path(name))
    let decoder = try AudioDecoders.decoder(for: file.information, sampleFormat: sampleFormat)
    var (next, samples): (Int64, [UInt8]) = (0, [])
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    while true {
      let read = try buffer.withUnsafeMutableBytes {
        try file.readPacketData(startPacket: next, count: 500, into: $0)
      }
      try read.forEachPacket(in: buffer.span.bytes) { samples += try decoder.samples(of: $0, $1) }
      next += Int64(read.packetCount)
      if read.isAtEnd { return (decoder.format, samples) }
    }
  }

  static func sine(_ frameCount: Int, rate: Int, channels: Int = 2) -> [UInt8] {
    var state: UInt32 = 1
    let samples = (0..<frameCount * channels).map { index -> Int16 in
      state = state &* 1_664_525 &+ 1_013_904_223
      let period = rate / 441
      let place = (index / channels) % period
      return Int16(place < period / 2 ? 8000 : -8000) + Int16(state >> 28)
    }
    return samples.withUnsafeBytes { Array($0) }
  }

  // MARK: Packets to PCM

  @Test(arguments: names, [PCMFormat.SampleFormat.s16, .f32])
  func `decodes as the decoder does, however it is asked`(name: String, sampleFormat: PCMFormat.SampleFormat) throws {
    let supply = try Supply(name, limit: 3)
    let information = supply.file.information
    let isPCM = information.dataFormat?.formatID == .linearPCM
    let natural = try AudioDecoders.decoder(for: information).format.sampleFormat
    // PCM goes to fewer bits with dither, not as the decoder does it.
    let (format, expected) = try Self.decoded(name, isPCM ? natural : sampleFormat)
    let decodable = information.formatList.first { AudioDecoders.formatIDs.contains($0.formatID) }
    var settings = AudioConverter.Settings()
    settings.inputChannelMask = information.channelMask
    let converter = try AudioConverter(
      from: try #require(decodable ?? information.dataFormat), to: AudioStreamBasicDescription(format),
      magicCookie: information.magicCookie, settings: settings)
    for piece in [777, 1 << 14] {
      let result = try Self.output(converter, piece: piece, supply.packets)
      let isSame = result.bytes == expected
      #expect(isSame && !expected.isEmpty, "\(result.bytes.count) bytes, not \(expected.count)")
      #expect(result.sizes.dropLast().allSatisfy { $0 == piece })
      try converter.reset()
      supply.seek(to: 0)
    }
  }

  @Test(arguments: ["e2-44100-v2.mp3", "mp4-aac.m4a", "flac-24-2-96000.flac", "opus-5.1.opus", "alac-short-100.m4a"])
  func `drops the frames of the encoder`(name: String) throws {
    let supply = try Supply(name)
    while try !supply.file.advanceIndex() {}
    let (format, all) = try Self.decoded(name, .f32)
    let converter = try AudioConverter(from: supply.file.information, to: AudioStreamBasicDescription(format))
    let result = try Self.output(converter, supply.packets)
    let table = supply.file.information.packetTable
    let start = (table?.primingFrames ?? 0) * format.bytesPerFrame
    let expected = all[start...].prefix((table?.validFrames).map { Int($0) * format.bytesPerFrame } ?? all.count)
    let isSame = result.bytes[...] == expected
    #expect(isSame, "\(result.bytes.count) bytes, not \(expected.count)")
  }

  @Test func `continues at another place`() throws {
    let supply = try Supply("e2-44100-v2.mp3")
    let information = supply.file.information
    let (format, all) = try Self.decoded("e2-44100-v2.mp3", .s16)
    let decoder = try AudioDecoders.decoder(for: information)
    let converter = try AudioConverter(from: information, to: AudioStreamBasicDescription(format))
    _ = try Self.output(converter, supply.packets)
    let place = try supply.file.decodingStart(
      atSeconds: 0.5, decoderPreroll: decoder.prerollPacketCount, resetInterval: decoder.resetInterval)
    try converter.reset(leadingFrames: place.frameOffset)
    supply.seek(to: place.packet)
    let result = try Self.output(converter, supply.packets)
    let table = try #require(information.packetTable)
    let frames = table.primingFrames + 22050
    let expected = all[(frames * 4)...].prefix((Int(table.validFrames) - 22050) * 4)
    let isSame = result.bytes[...] == expected
    #expect(isSame)
  }

  @Test func `plays damaged packets as silence, and waits for packets that are late`() throws {
    let (format, all) = try Self.decoded("flac-tagged.flac", .s16)
    let supply = try Supply("flac-tagged.flac", limit: 1)
    let information = supply.file.information
    let converter = try AudioConverter(
      from: try #require(information.dataFormat), to: AudioStreamBasicDescription(format),
      magicCookie: information.magicCookie)
    var (result, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
    var (errors, requests, isAtEnd) = ([AudioConverterError.Code](), 0, false)
    while !isAtEnd {
      do {
        let output = try buffer.withUnsafeMutableBytes {
          try converter.fillComplexBuffer($0, packetCount: 1 << 14) { count in
            requests += 1
            if requests == 3 { return .unavailable }
            if requests == 5 { throw ContainerError(.dataUnavailable, "late") }
            guard requests == 2, case .packets(let bytes, let packets) = try supply.packets(count) else {
              return try supply.packets(count)
            }
            return .packets([UInt8](repeating: 0, count: bytes.count), packets)
          }
        }
        result += buffer[..<output.byteCount]
        isAtEnd = output.isAtEnd
      } catch let error as AudioConverterError {
        errors.append(error.code)
        #expect(error.code == .badData || (error.cause as? ContainerError)?.code == .dataUnavailable)
      }
    }
    #expect(errors == [.badData, .unspecified])
    let size = try #require(information.dataFormat?.framesPerPacket) * 4
    let isSame = result == all[..<size] + [UInt8](repeating: 0, count: size) + all[(2 * size)...]
    #expect(isSame)
  }

  // MARK: PCM to PCM

  @Test(arguments: [PCMFormat.SampleFormat.s16, .s24in32, .s32, .f32])
  func `passes PCM of one layout bit by bit`(sampleFormat: PCMFormat.SampleFormat) throws {
    var generator = SeededGenerator(seed: 7)
    let format = PCMFormat(sampleRate: 44100, channelCount: 3, sampleFormat: sampleFormat)
    let samples = (0..<3000).map { _ in
      sampleFormat == .s24in32
        ? Int32.random(in: -0x80_0000...0x7f_ffff, using: &generator)
        : .random(in: .min ... .max, using: &generator)
    }
    let bytes = samples.withUnsafeBytes { Array($0) }
    let description = AudioStreamBasicDescription(format)
    let converter = try AudioConverter(from: description, to: description)
    #expect(try Self.output(converter, piece: 333, Self.once(bytes)).bytes == bytes)
    var buffer = [UInt8](repeating: 0, count: bytes.count)
    let count = try buffer.withUnsafeMutableBytes { try converter.convertBuffer(bytes.span.bytes, into: $0) }
    #expect(count == bytes.count)
    #expect(buffer == bytes)
    // The other byte order.
    guard sampleFormat == .s16 else { return }
    var swapped = description
    swapped.formatFlags ^= AudioStreamBasicDescription.isBigEndian
    let turned = stride(from: 0, to: bytes.count, by: 2).flatMap { [bytes[$0 + 1], bytes[$0]] }
    #expect(try Self.output(try AudioConverter(from: swapped, to: description), Self.once(turned)).bytes == bytes)
  }

  @Test(
    arguments: [(44100, 48000), (48000, 44100), (8000, 44100), (192_000, 44100), (96000, 48000), (44100, 11025)],
    [1, 2, 999, 44100, 44101])
  func `another rate has the exact number of frames`(rates: (Int, Int), frameCount: Int) throws {
    let from = PCMFormat(sampleRate: rates.0, channelCount: 2, sampleFormat: .s16)
    let to = PCMFormat(sampleRate: rates.1, channelCount: 1, sampleFormat: .f32)
    let bytes = Self.sine(frameCount, rate: rates.0)
    for quality in PCMConverter.Quality.allCases {
      var settings = AudioConverter.Settings()
      settings.quality = quality
      let converter = try AudioConverter(
        from: AudioStreamBasicDescription(from), to: AudioStreamBasicDescription(to), settings: settings)
      let result = try Self.output(converter, Self.once(bytes)).bytes
      let exact = Int((Double(frameCount) * Double(rates.1) / Double(rates.0)).rounded())
      #expect(result.count == exact * 4, "\(quality)")
      // The samples are those of the converter of PCM, up to its end.
      var expected: [UInt8] = []
      let pcm = try PCMConverter(from: from, to: to, quality: quality)
      try bytes.withUnsafeBytes { try pcm.convert($0, isLast: true, into: &expected) }
      let isSame = zip(result, expected).allSatisfy(==)
      #expect(isSame && abs(expected.count - result.count) <= 8)
    }
  }

  // MARK: To packets

  @Test(arguments: [StreamFormat.flac, .opus, .mp3], [1, 4096, 50_001])
  func `encodes as the encoder does, and says what to trim`(codec: StreamFormat, frameCount: Int) throws {
    let rate = codec == .opus ? 48000 : 44100
    let formatID: AudioFormatID = codec == .opus ? .opus : codec == .flac ? .flac : .mpegLayer3
    let source = PCMFormat(sampleRate: rate, channelCount: 2, sampleFormat: .s16)
    let pcm = Self.sine(frameCount, rate: rate)
    let converter = try AudioConverter(
      from: AudioStreamBasicDescription(source),
      to: AudioStreamBasicDescription(sampleRate: Double(rate), formatID: formatID, channelsPerFrame: 2))
    let result = try Self.output(converter, piece: 2, Self.once(pcm))

    let encoder = try codec.makeEncoder(for: source, bitRate: 128_000)
    var input: [UInt8] = []
    try pcm.withUnsafeBytes { try PCMConverter(from: source, to: encoder.input).convert($0, into: &input) }
    var packets: [EncodedPacket] = []
    try input.withUnsafeBytes { try encoder.encode($0, isLast: true, into: &packets) }
    let isSame = result.bytes == packets.flatMap(\.bytes)
    #expect(isSame && result.packets.map(\.byteCount) == packets.map(\.bytes.count))
    #expect(converter.magicCookie == encoder.information.magicCookie)
    #expect(packets.allSatisfy { $0.bytes.count <= converter.maximumOutputPacketSize })

    // And back, with the frames of the encoder dropped.
    var settings = AudioConverter.Settings()
    settings.trim = converter.primeInfo
    let back = try AudioConverter(
      from: converter.outputFormat, to: AudioStreamBasicDescription(source), magicCookie: converter.magicCookie,
      settings: settings)
    var isSupplied = false
    let decoded = try Self.output(back) { _ in
      defer { isSupplied = true }
      return isSupplied ? .endOfStream : .packets(result.bytes, result.packets)
    }.bytes
    #expect(decoded.count == pcm.count)
    guard codec != .flac else { return #expect(decoded == pcm) }
    // In time: the edges of the square wave are where they were.
    guard frameCount > 10_000 else { return }
    func likeness(_ shift: Int) -> Int {
      decoded.withUnsafeBytes { decoded in
        pcm.withUnsafeBytes { pcm in
          let (ours, theirs) = (decoded.bindMemory(to: Int16.self), pcm.bindMemory(to: Int16.self))
          return (5000..<40_000).reduce(0) { $0 + Int(ours[2 * ($1 + shift)]) * Int(theirs[2 * $1]) }
        }
      }
    }
    #expect((-20...20).max { likeness($0) < likeness($1) } == 0)
  }

  @Test func `changes one codec into another, into a file`() throws {
    let folder = try TemporaryFolder()
    for (name, output) in [
      ("alac-44100-stereo.m4a", AudioStreamBasicDescription(sampleRate: 44100, formatID: .flac, channelsPerFrame: 2)),
      ("e2-44100-v2.mp3", AudioStreamBasicDescription(sampleRate: 48000, formatID: .opus, channelsPerFrame: 2)),
    ] {
      let supply = try Supply(name)
      let path = BytePath(folder("\(output.formatID).caf"))
      let converter = try AudioConverter(from: supply.file.information, to: output)
      let writer = try AudioPacketWriter(path: path, type: .caf, information: converter.outputInformation)
      let result = try Self.output(converter, supply.packets)
      var start = 0
      for packet in result.packets {
        try writer.write(packet, result.bytes.span.bytes.extracting(start..<start + packet.byteCount))
        start += packet.byteCount
      }
      let prime = converter.primeInfo
      let total = result.packets.reduce(0) { $0 + $1.frameCount }
      writer.packetTable = AudioFilePacketTableInfo(
        validFrames: Int64(total - prime.leadingFrames - prime.trailingFrames), primingFrames: prime.leadingFrames,
        remainderFrames: prime.trailingFrames)
      try writer.close()
      let source = try `A writer of packets`.decoded(Fixtures.path(name))
      let copy = try `A writer of packets`.decoded(path)
      if output.formatID == .flac {
        #expect(copy == source)
      } else {
        #expect(copy.count / 4 == Int((Double(source.count / 4) * 48000 / 44100).rounded()))
      }
    }
  }

  // MARK: Refusals

  @Test func `refuses with the published codes`() throws {
    let cd = AudioStreamBasicDescription(PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16))
    func with(_ change: (inout AudioStreamBasicDescription) -> Void) -> AudioStreamBasicDescription {
      var format = cd
      change(&format)
      return format
    }
    func codec(_ id: AudioFormatID, _ rate: Double = 44100, _ channels: Int = 2) -> AudioStreamBasicDescription {
      AudioStreamBasicDescription(sampleRate: rate, formatID: id, channelsPerFrame: channels)
    }
    for (input, output, code) in [
      (codec(AudioFormatID(FourCharCode("what"))), cd, AudioConverterError.Code.formatNotSupported),
      (codec(.flac), cd, .formatNotSupported), (cd, codec(.aac), .formatNotSupported),
      (cd, codec(.flac, 44100, 9), .formatNotSupported), (cd, codec(.mpegLayer3, 44100, 1), .formatNotSupported),
      (cd, with { $0.channelsPerFrame = .max }, .formatNotSupported),
      (cd, with { $0.formatFlags ^= AudioStreamBasicDescription.isBigEndian }, .formatNotSupported),
      (cd, with { $0.bitsPerChannel = 15 }, .formatNotSupported),
      (with { $0.bytesPerFrame = 5 }, cd, .formatNotSupported),
      (with { $0.sampleRate = 0 }, cd, .inputSampleRateOutOfRange),
      (with { $0.sampleRate = .nan }, cd, .inputSampleRateOutOfRange),
      (cd, with { $0.sampleRate = .infinity }, .outputSampleRateOutOfRange),
      (cd, with { $0.sampleRate = 44100.5 }, .outputSampleRateOutOfRange),
      (cd, codec(.opus, 44100), .outputSampleRateOutOfRange),
      (cd, codec(.mpegLayer3, 48000), .outputSampleRateOutOfRange),
    ] {
      let error = #expect(throws: AudioConverterError.self) { try AudioConverter(from: input, to: output) }
      #expect(error?.code == code, "\(input) to \(output): \(error?.description ?? "")")
    }
  }

  @Test func `refuses sizes that do not fit`() throws {
    let cd = AudioStreamBasicDescription(PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16))
    let supply = try Supply("e2-44100-v2.mp3")
    let mp3 = try #require(supply.file.information.dataFormat)
    let run = { PacketDescription(byteOffset: 0, byteCount: $0, frameCount: $1, packetCount: $2) }
    for (format, bytes, packets, size, code) in [
      (cd, 5, [], 400, AudioConverterError.Code.invalidInputSize), (cd, 8, [run(4, 1, 1)], 400, .invalidInputSize),
      (cd, 8, [run(12, 3, 3)], 400, .invalidInputSize), (cd, 8, [run(8, 3, 2)], 400, .invalidInputSize),
      (cd, 8, [run(8, 2, 0)], 400, .invalidInputSize), (cd, 8, [run(-8, 2, 1), run(16, 4, 4)], 400, .invalidInputSize),
      (mp3, 8, [run(8, .max, 1)], 400, .invalidInputSize), (mp3, 8, [run(8, -1, 1)], 400, .invalidInputSize),
      (mp3, 417, [], 400, .requiresPacketDescriptions), (cd, 8, [], 3, .invalidOutputSize),
    ] {
      let converter = try AudioConverter(from: format, to: cd)
      var buffer = [UInt8](repeating: 0, count: size)
      let error = #expect(throws: AudioConverterError.self) {
        try buffer.withUnsafeMutableBytes {
          try converter.fillComplexBuffer($0, packetCount: 100) { _ in
            .packets([UInt8](repeating: 0, count: bytes), packets)
          }
        }
      }
      #expect(error?.code == code, "\(bytes) bytes, \(packets): \(error?.description ?? "")")
    }
    var other = cd
    other.sampleRate = 48000
    for (input, output, bytes, size, code) in [
      (cd, other, 4, 400, AudioConverterError.Code.operationNotSupported), (mp3, cd, 4, 400, .operationNotSupported),
      (cd, cd, 5, 400, .invalidInputSize), (cd, cd, 8, 7, .invalidOutputSize),
    ] {
      let converter = try AudioConverter(from: input, to: output)
      var buffer = [UInt8](repeating: 0, count: size)
      let error = #expect(throws: AudioConverterError.self) {
        try buffer.withUnsafeMutableBytes {
          try converter.convertBuffer([UInt8](repeating: 0, count: bytes).span.bytes, into: $0)
        }
      }
      #expect(error?.code == code)
    }
  }
}
