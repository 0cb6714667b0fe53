import SegueAudio
import SoundServerSupport
import Testing

/// Packets are copied into another container: they, and what is decoded of them, stay what they are.
@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures")) struct `A writer of packets` {
  static let names = [
    "e2-44100-v2.mp3", "cbr-without-header.mp3", "mp4-aac.m4a", "mp4-aac-faststart.m4a", "framed-adts-stereo.aac",
    "aac-48000-5.1.aac", "aac-he-stereo.aac", "alac-44100-stereo.m4a", "alac-24-5.1.m4a", "alac-short-100.m4a",
    "flac-tagged.flac", "flac-24-2-96000.flac", "opus-5.1.opus", "ac3-5.1.ac3", "eac3-stereo.eac3", "amr-7.amr-nb",
    "wave-pcm_s16le.wav", "aiff-pcm_s24be.aiff", "caf-pcm_alaw.caf", "caf-pcm_f32le.caf", "adpcm-ima4-2.aiff",
  ]

  /// All packets of a file, and whether it can be played while it arrives.
  static func packets(_ path: BytePath) throws -> (packets: [[UInt8]], frames: Int, information: MediaInformation) {
    let file = try AudioFile(path: path)
    var buffer = [UInt8](repeating: 0, count: max(1 << 16, file.information.packetSizeUpperBound ?? 1 << 20))
    var (packets, frames): ([[UInt8]], Int) = ([], 0)
    while true {
      let read = try buffer.withUnsafeMutableBytes {
        try file.readPacketData(startPacket: Int64(packets.count), count: 1000, into: $0)
      }
      guard read.packetCount > 0 else { return (packets, frames, file.information) }
      read.forEachPacket(in: buffer.span.bytes) { packet, bytes in
        packets.append(bytes.withUnsafeBytes { Array($0) })
        frames += packet.frameCount
      }
    }
  }

  static func copy(_ source: BytePath, to target: BytePath, _ type: AudioFileTypeID, knowsCount: Bool = true) throws {
    let file = try AudioFile(path: source)
    var information = file.information
    if !knowsCount { information.packetCount = nil }
    let writer = try AudioPacketWriter(path: target, type: type, information: information)
    var buffer = [UInt8](repeating: 0, count: max(1 << 16, information.packetSizeUpperBound ?? 1 << 20))
    while true {
      let read = try buffer.withUnsafeMutableBytes {
        try file.readPacketData(startPacket: writer.packetCount, count: 100, into: $0)
      }
      guard read.packetCount > 0 else { break }
      try read.forEachPacket(in: buffer.span.bytes) { try writer.write($0, $1) }
    }
    writer.packetTable = file.information.packetTable
    try writer.close()
  }

  static func decoded(_ path: BytePath) throws -> [UInt8] {
    let reader = try TrackReader(location: .file(path), via: .file)
    var (samples, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
    while case let count = try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
      samples += buffer[..<count]
    }
    return samples
  }

  private func ffmpeg(_ arguments: [String]) throws {
    let status = try ChildProcess(["ffmpeg", "-v", "error", "-xerror"] + arguments).wait()
    #expect(status == 0)
  }

  @Test func `a claim of many packets reserves little`() throws {
    let folder = try TemporaryFolder()
    let (source, target) = (Fixtures.path("mp4-aac.m4a"), BytePath(folder("out.caf")))
    var information = try AudioFile(path: source).information
    information.packetCount = .max
    let writer = try AudioPacketWriter(path: target, type: .caf, information: information)
    try writer.close()
    let byteCount = contents(of: folder("out.caf")).count
    #expect(byteCount < 16 << 20)
  }

  static let cases = names.map { ($0, true) } + names.prefix(3).map { ($0, false) }

  @Test(arguments: cases) func `copies into CAF`(name: String, knowsCount: Bool) throws {
    let folder = try TemporaryFolder()
    let (source, target) = (Fixtures.path(name), BytePath(folder("out.caf")))
    try Self.copy(source, to: target, .caf, knowsCount: knowsCount)
    let (before, after) = (try Self.packets(source), try Self.packets(target))
    let isSame = before.packets == after.packets
    #expect(isSame && !after.packets.isEmpty)
    // The last packet of FLAC counts in full, with a remainder.
    let remainder = { (information: MediaInformation) in information.packetTable?.remainderFrames ?? 0 }
    #expect(before.frames - remainder(before.information) == after.frames - remainder(after.information))
    #expect(after.information.fileType == .caf)
    // With a reserved table the file can be played while it arrives, without one if packets are all the same.
    let isConstant = (after.information.dataFormat?.bytesPerPacket ?? 0) > 0
    let count = before.information.packetCount == nil ? false : knowsCount
    #expect(after.information.isOptimized == (count || isConstant))
    let isEqual = try Self.decoded(source) == Self.decoded(target)
    #expect(isEqual, "the decoded samples differ")
  }

  /// ffmpeg does not read ALAC's table of frames, and no Opus of several channels.
  @Test(arguments: [
    "e2-44100-v2.mp3", "mp4-aac.m4a", "alac-44100-stereo.m4a", "flac-tagged.flac", "flac-24-2-96000.flac",
    "ac3-5.1.ac3",
    "aiff-pcm_s24be.aiff",
  ])
  func `makes CAF that ffmpeg decodes as the source`(name: String) throws {
    let folder = try TemporaryFolder()
    try Self.copy(Fixtures.path(name), to: BytePath(folder("out.caf")), .caf)
    // Without the trims, of which ffmpeg has its own opinion.
    for (input, output) in [(Fixtures.folder + "/" + name, "a.raw"), (folder("out.caf"), "b.raw")] {
      try ffmpeg(["-flags2", "skip_manual", "-i", input, "-f", "s16le", folder(output)])
    }
    let (theirs, ours) = (contents(of: folder("a.raw")), contents(of: folder("b.raw")))
    let isSame = theirs.suffix(4096) == ours.suffix(4096)
    #expect(!ours.isEmpty && isSame)
  }

  @Test(arguments: ["mp4-aac.m4a", "mp4-aac-faststart.m4a", "framed-adts-stereo.aac", "aac-48000-5.1.aac"])
  func `copies AAC into ADTS`(name: String) throws {
    let folder = try TemporaryFolder()
    let target = BytePath(folder("out.aac"))
    try Self.copy(Fixtures.path(name), to: target, .adts)
    let (before, after) = (try Self.packets(Fixtures.path(name)), try Self.packets(target))
    let isSame = before.packets == after.packets
    #expect(isSame)
    #expect(after.information.fileType == .adts)
    #expect(after.information.dataFormat?.sampleRate == before.information.dataFormat?.sampleRate)
    #expect(after.information.dataFormat?.channelsPerFrame == before.information.dataFormat?.channelsPerFrame)
    try ffmpeg(["-i", folder("out.aac"), "-f", "null", "-"])
  }

  @Test func `refuses what the types do not hold`() throws {
    let folder = try TemporaryFolder()
    func writer(_ type: AudioFileTypeID, _ name: String) throws {
      let information = try AudioFile(path: Fixtures.path(name)).information
      _ = try AudioPacketWriter(path: BytePath(folder("new")), type: type, information: information)
    }
    for (type, name) in [
      (AudioFileTypeID.adts, "e2-44100-v2.mp3"), (.caf, "vorbis-tagged.ogg"), (.wave, "e2-44100-v2.mp3"),
      (.mp3, "e2-44100-v2.mp3"),
    ] { #expect(throws: ByteIOError.self) { try writer(type, name) } }
    try write(Array("a letter".utf8), to: folder("new"))
    #expect(throws: ByteIOError.self) { try writer(.caf, "e2-44100-v2.mp3") }
    #expect(contents(of: folder("new")) == Array("a letter".utf8))
    // Packets of one size are of that size.
    let information = try AudioFile(path: Fixtures.path("wave-pcm_s16le.wav")).information
    let pcm = try AudioPacketWriter(path: BytePath(folder("pcm")), type: .caf, information: information)
    let packet = PacketDescription(byteOffset: 0, byteCount: 3, frameCount: 1)
    #expect(throws: ByteIOError.self) { try pcm.write(packet, [1, 2, 3].span.bytes) }
  }
}
