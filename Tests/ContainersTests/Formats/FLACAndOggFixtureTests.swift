import AudioModel
import ByteIO
import Testing

@testable import Containers

@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"))
struct `Files that flac, oggenc, opusenc and ffmpeg made` {
  /// All that ffprobe was asked about.
  static let names = Fixtures.names(endingIn: ".packets").map { String($0.dropLast(".packets".count)) }
    .filter { name in [".flac", ".oga", ".ogg", ".ogv", ".opus"].contains { name.hasSuffix($0) } }

  @Test(arguments: names) func `are cut into the packets that ffprobe finds`(name: String) throws {
    let lines = String(decoding: Fixtures.bytes(name + ".packets"), as: UTF8.self).split(separator: "\n")
    let expected = lines.compactMap { line -> (frameCount: Int?, byteCount: Int)? in
      let fields = line.split(separator: ",")
      guard fields.count >= 2, let byteCount = Int(fields[1]) else { return nil }
      return (Int(fields[0]), byteCount)
    }
    let bytes = Fixtures.bytes(name)
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error == nil)
    #expect(transcript.skips.isEmpty)
    // ffprobe 5 finds nothing in FLAC of 32 bits, ffprobe 7 no frames at 192,001 Hz.
    if expected.isEmpty, name.hasPrefix("flac-32-") { return }
    #expect(transcript.packets.map(\.byteCount) == expected.map(\.byteCount))
    guard expected.count == transcript.packets.count else { return }
    // ffprobe is wrong about the last packet, and about packets of Vorbis that differ from their neighbours.
    if stream.information.dataFormat?.formatID != .vorbis, name != "flac-32-2-192001.flac" {
      #expect(transcript.packets.dropLast().map(\.frameCount) == expected.dropLast().map(\.frameCount))
    }
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try pulled(file).packets == transcript.packets)
    #expect(try file.advanceIndex())
    #expect(file.packetIndex == stream.packetIndex)
  }

  /// Frames to be heard, by what was encoded.
  static let frameCounts: [(name: String, frames: Int64)] = {
    var counts: [(name: String, frames: Int64)] = [
      ("opus-120ms.opus", 129931), ("opus-hybrid.opus", 129931), ("opus-silk.opus", 3 * 43531),
      ("opus-tagged.opus", 129931), ("vorbis-oggenc-q5.ogg", 119401), ("vorbis-oggenc-8000.ogg", 21931),
      ("vorbis-oggenc-short.ogg", 1000), ("vorbis-tagged.ogg", 119401), ("ogg-flac.oga", 119401),
      ("flac-tagged.flac", 119401), ("flac-16-1-44100.flac", 1), ("flac-12-2-12345.flac", 9001),
      ("flac-24-2-96000.flac", 30001), ("flac-32-2-192001.flac", 20000), ("flac-24-8-655350.flac", 9000),
    ]
    for layout in ["mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1"] {
      counts += [("vorbis-\(layout).ogg", 48123), ("opus-\(layout).opus", 48123)]
    }
    for milliseconds in ["2.5", "5", "10", "20", "40", "60"] {
      counts.append(("opus-96k-\(milliseconds).opus", 129931))
    }
    return counts
  }()

  @Test(arguments: frameCounts) func `have the encoded length at once`(
    name: String, frames: Int64
  ) throws {
    let bytes = Fixtures.bytes(name)
    let file = try AudioFile(source: AwkwardSource(bytes))
    let opened = file.information
    #expect(try file.advanceIndex())
    for information in [opened, file.information, pushed(bytes).1.information] {
      #expect(information.packetTable?.validFrames ?? information.frameCount == frames)
      #expect(information.duration == information.dataFormat.map { Double(frames) / $0.sampleRate })
      #expect(!information.durationIsEstimated)
    }
  }

  @Test(arguments: names + ["chained-vorbis.ogg", "chained-opus.opus"])
  func `are the same from any place, for a reader with only the index`(name: String) throws {
    let bytes = Fixtures.bytes(name)
    let (transcript, whole) = pushed(bytes)
    let file = try AudioFile(source: AwkwardSource(bytes))
    let stream = AudioFileStream()
    var head = Transcript()
    let headers = Int(whole.information.dataOffset ?? 0) + 0x10000
    try stream.parse(bytes.span.bytes.extracting(first: min(bytes.count, headers)), into: &head)
    stream.adopt(whole.packetIndex)
    let starts = transcript.packets.reduce(into: [0 as Int64]) { $0.append(($0.last ?? 0) + Int64($1.frameCount)) }
    var generator = SeededGenerator(seed: 3)
    let count = transcript.packets.count
    for first in [0, count - 1] + (0..<12).map({ _ in Int.random(in: 0..<count, using: &generator) }) {
      let read = try file.packetDescriptions(startPacket: Int64(first), count: 5)
      #expect(read.packets == Array(transcript.packets[first..<min(count, first + 5)]), "packet \(first)")
      #expect(read.skipped.isEmpty)

      let target = try stream.seek(toPacket: Int64(first))
      #expect(!target.isEstimated && target.packet <= first && target.packet > first - 600)
      var after = Transcript()
      let place = Int((stream.information.dataOffset ?? 0) + target.dataOffset)
      try stream.parse(bytes.span.bytes.extracting(droppingFirst: place), into: &after)
      try stream.finish(into: &after)
      #expect(after.firstPackets.first == target.packet)
      #expect(after.packets == Array(transcript.packets[Int(target.packet)...]), "packet \(first)")
      #expect(after.hashes == Array(transcript.hashes[Int(target.packet)...]), "packet \(first)")
      #expect(after.skips.isEmpty)

      guard let end = starts.last, end > 0 else { continue }
      let frame = Int64.random(in: 0..<end, using: &generator)
      let found = try file.packet(containingFrame: frame)
      #expect(starts[Int(found.packet)] + Int64(found.frameOffset) == frame)
      #expect(starts[Int(found.packet) + 1] > frame)
    }
  }

  @Test func `are played on where they are chained, if one decoder will do`() throws {
    let parts = (1...2).map { pushed(Fixtures.bytes("part-\($0)-vorbis.ogg")).0 }
    let (chained, stream) = pushed(Fixtures.bytes("chained-vorbis.ogg"))
    #expect(chained.hashes == parts.flatMap(\.hashes))
    #expect(chained.packets.map(\.frameCount) == parts.flatMap { $0.packets.map(\.frameCount) })
    #expect(chained.skips.isEmpty)
    #expect(stream.packetIndex.frameCount == 200_003)
    // Before the end is seen nobody can tell how long they are.
    let file = try AudioFile(source: AwkwardSource(Fixtures.bytes("chained-vorbis.ogg")))
    #expect(file.information.frameCount == nil && file.information.durationIsEstimated)
    // At 48 kHz; at 16 kHz in another codec; at 44.1 kHz.
    let (others, _) = pushed(Fixtures.bytes("chained-others.bin"))
    #expect(others.hashes == pushed(Fixtures.bytes("vorbis-stereo.ogg")).0.hashes)
    // Before the one that another decoder can play, the one that none can.
    #expect(others.skips.count == 1)
  }

  @Test(arguments: [
    ("theora.ogv", "Ogg with Theora, nothing that can be played"),
    ("speex-ogg.bin", "Ogg with Speex, nothing that can be played"),
  ])
  func `without audio that can be played are refused ('fmt?')`(name: String, reason: String) {
    let error = #expect(throws: ContainerError.self) { try AudioFile(source: AwkwardSource(Fixtures.bytes(name))) }
    #expect(error?.code == .unsupportedDataFormat)
    #expect(error?.expectation == reason)
  }

  @Test func `have the contents of their tags`() throws {
    func tags(_ name: String) throws -> TrackTags {
      try AudioFile(source: AwkwardSource(Fixtures.bytes(name))).information.tags
    }
    let flac = try tags("flac-tagged.flac")
    #expect(flac.title == "Tagged" && flac.artist == "One; Two" && flac.gain.track == -6.5)
    #expect(flac.chapters.map(\.title) == ["Track 1", "Track 2"])
    #expect(flac.chapters.map(\.start) == [0, 1.2])
    let picture = Fixtures.bytes("picture.png")
    let artwork = try #require(flac.artwork.first)
    let place = Int(artwork.byteOffset)..<Int(artwork.byteOffset) + artwork.byteCount
    #expect(artwork.mimeType == "image/png" && Array(Fixtures.bytes("flac-tagged.flac")[place]) == picture)

    let opus = try tags("opus-tagged.opus")
    #expect(opus.title == "Tagged" && opus.artist == "One" && opus.gain.track == 6)
    let base64 = try #require(opus.artwork.first)
    #expect(base64.mimeType == "image/png" && base64.isBase64Block)
    let text = `Ogg`.withoutPageHeaders(
      Fixtures.bytes("opus-tagged.opus"), Int(base64.byteOffset)..<Int(base64.byteOffset) + base64.byteCount)
    // Kind, type, description, four numbers and the size come first: 8 + 9 + 4 + 5 + 20 bytes.
    #expect(text.count == (picture.count + 46 + 2) / 3 * 4)

    let vorbis = try tags("vorbis-tagged.ogg")
    #expect(vorbis.title == "Tagged" && vorbis.artist == "One")
    #expect(vorbis.chapters == [TrackTags.Chapter(start: 0, title: "First")])
  }

  @Test func `are refused with a rate of more than 3 MHz in Vorbis' header`() {
    for (rate, code) in [(3_000_000, nil), (3_000_001, .invalidFile), (.max, .invalidFile)]
      as [(UInt32, ContainerError.Code?)]
    {
      var pages = OggSynthesis.pages(of: Fixtures.bytes("vorbis-oggenc-short.ogg"))
      pages[0].body.replaceSubrange(12..<16, with: OggSynthesis.littleEndian(UInt64(rate), 4))
      #expect(pushed(OggSynthesis.file(pages)).0.error?.code == code, "\(rate)")
    }
  }

  @Test func `begin before 0 if the first page of Vorbis does (Vorbis I A.2)`() throws {
    var pages = OggSynthesis.pages(of: Fixtures.bytes("vorbis-oggenc-q5.ogg"))
    for index in pages.indices where pages[index].granule > 0 { pages[index].granule -= 100 }
    let bytes = OggSynthesis.file(pages)
    let table = AudioFilePacketTableInfo(validFrames: 119_301, primingFrames: 100, remainderFrames: 0)
    #expect(pushed(bytes).1.information.packetTable == table)
    #expect(try AudioFile(source: AwkwardSource(bytes)).information.packetTable == table)
  }
}
