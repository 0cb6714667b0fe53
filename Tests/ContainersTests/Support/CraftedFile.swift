import Testing

@testable import Containers

/// A file whose bytes depend on no encoder.
struct CraftedFile: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var testDescription: String { name }

  static let all: [CraftedFile] = [
    mpegAudio, mpegAudioWithInfo, damaged, wave, alawInWAVE, aiff, caf, cafOfPCM, flac, opus, chainedOpus, mp4,
    mp4WithMovieBehind, mp4WithEdits, fragments, matroska, lacedMatroska,
  ]

  private init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  // MARK: MPEG audio

  private static let mpegAudio = CraftedFile("reservoir.mp3", Synthesis.packets(40, reservoirByteCount: 300).joined())
  private static let mpegAudioWithInfo = CraftedFile(
    "tags-and-info.mp3",
    Synthesis.id3v2(4, [("TIT2", Synthesis.utf8("Title"))], padding: 99)
      + Synthesis.xing(packetCount: 30, byteCount: UInt32(417 + packets.joined().count), delay: 576, padding: 1000)
      + packets.joined() + Synthesis.id3v1(title: "old"))
  private static let damaged: CraftedFile = {
    var pieces = packets
    pieces[5] = [1, 2, 3] + pieces[5]
    pieces[6] = Array(pieces[6].prefix(200))
    pieces.append(Array(pieces[0].prefix(77)))
    return CraftedFile("damaged.mp3", Array(pieces.joined()))
  }()
  private static let packets = Synthesis.packets(30, filler: 7)

  // MARK: Chunks

  private static let wave = CraftedFile(
    "odd-chunk.wav",
    ChunkSynthesis.wave([ChunkSynthesis.fmt(), ("junk", [1, 2, 3]), ("data", ChunkSynthesis.samples(4000))]))
  private static let alawInWAVE = CraftedFile(
    "alaw.wav",
    ChunkSynthesis.wave([
      ChunkSynthesis.fmt(tag: 6, channels: 1, rate: 8000, block: 1, bits: 8, more: [0, 0]),
      ("fact", ChunkSynthesis.number(999, 4, .little)), ("data", ChunkSynthesis.samples(999)),
    ]))
  private static let aiff = CraftedFile(
    "samples-before-format.aiff",
    ChunkSynthesis.aiff([
      ChunkSynthesis.ssnd(ChunkSynthesis.samples(400), offset: 6), ChunkSynthesis.comm(frames: 100),
    ]))
  private static let cafOfPCM = CraftedFile(
    "pcm.caf",
    ChunkSynthesis.caf([
      ChunkSynthesis.desc("lpcm", bytes: 4, frames: 1, bits: 16), ChunkSynthesis.data(ChunkSynthesis.samples(400)),
    ]))
  private static let caf: CraftedFile = {
    let sizes = (0..<40).map { 1 + $0 * 37 % 500 }
    return CraftedFile(
      "table-behind.caf",
      ChunkSynthesis.caf([
        ChunkSynthesis.desc("aac "), ("kuki", MPEG4Synthesis.aacConfiguration),
        ChunkSynthesis.data(ChunkSynthesis.samples(sizes.reduce(0, +))),
        ChunkSynthesis.pakt(sizes, valid: 40 * 1024 - 2112 - 100, priming: 2112, remainder: 100),
      ]))
  }()

  // MARK: Xiph

  private static let flac = CraftedFile(
    "short-blocks.flac",
    FLACSynthesis.file(
      FLACSynthesis.frames(40), total: 40 * 32, blocks: [(4, FLACSynthesis.comments(["TITLE=Blocks"]))]))
  private static let opus = CraftedFile(
    "packets-over-pages.opus",
    OggSynthesis.file(OggSynthesis.opus(OggSynthesis.opusPackets(40), segmentsPerPage: 5)))
  private static let chainedOpus = CraftedFile(
    "two-links.opus",
    OggSynthesis.file(
      OggSynthesis.opus(OggSynthesis.opusPackets(10))
        + OggSynthesis.opus(OggSynthesis.opusPackets(12), serial: 8)))

  // MARK: MPEG-4

  private static let sizes: [UInt32] = (0..<40).map { 1 + $0 * 37 % 300 }
  private static let mp4 = CraftedFile(
    "chunks.m4a",
    MPEG4Synthesis.file(sizes: sizes) {
      // Four chunks of ten packets, one behind another.
      $0.chunkRuns = [(1, 10)]
      $0.chunkOffsets = (0..<4).map { Int(sizes.prefix(10 * $0).reduce(0, +)) }
    })
  private static let mp4WithMovieBehind = CraftedFile(
    "moov-behind.m4a", MPEG4Synthesis.fileWithMovieBehind(sizes))
  private static let mp4WithEdits = CraftedFile(
    "edits.m4a",
    MPEG4Synthesis.file(sizes: sizes) { $0.edits = [(800, 2112)] })
  private static let fragments = CraftedFile(
    "fragments.m4a",
    MPEG4Synthesis.ftyp + MPEG4Synthesis.fragmentedMovie + MPEG4Synthesis.fragment(Array(sizes[..<20]))
      + MPEG4Synthesis.fragment(Array(sizes[20...]), duration: 960))

  // MARK: Matroska

  private static let opusPackets = MatroskaSynthesis.opus(40)
  private static let matroska = CraftedFile(
    "clusters.mka",
    MatroskaSynthesis.file(
      MatroskaSynthesis.cluster(0, MatroskaSynthesis.blocks(Array(opusPackets[..<25]))),
      MatroskaSynthesis.cluster(500, MatroskaSynthesis.blocks(Array(opusPackets[25...])))))
  private static let lacedMatroska = CraftedFile(
    "laced.mka",
    MatroskaSynthesis.file(
      MatroskaSynthesis.cluster(
        0, MatroskaSynthesis.simple(opusPackets[0], opusPackets[1], opusPackets[2], lacing: 1),
        MatroskaSynthesis.simple(opusPackets[3], opusPackets[4], time: 60, lacing: 3),
        MatroskaSynthesis.group(opusPackets[5], time: 100, padding: 5_000_000))))
}

extension CraftedFile {
  fileprivate init(_ name: String, _ bytes: some Sequence<UInt8>) { self.init(name, Array(bytes)) }
}
