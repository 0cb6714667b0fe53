import AudioModel
import ByteIO
import Containers
import Testing

@Suite(.enabled(if: Fixtures.isPresent, "no fixtures: make fixtures")) struct `Files that LAME and ffmpeg made` {
  /// The information of both drivers after the first packets, and after the last.
  static func information(_ bytes: [UInt8]) throws -> [MediaInformation] {
    struct Early: AudioFileStreamSink {
      var information: MediaInformation?
      mutating func stream(_ stream: AudioFileStream, didFind property: AudioFileStreamPropertyID) {
        if property == .readyToProducePackets { information = stream.information }
      }
      mutating func stream(
        _ stream: AudioFileStream, didParse packets: Span<PacketDescription>, in bytes: RawSpan, firstPacket: Int64
      ) {}
    }
    var early = Early()
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    try stream.parse(bytes.span.bytes, into: &early)
    try stream.finish(into: &early)
    let file = try AudioFile(source: AwkwardSource(bytes))
    let opened = file.information
    #expect(try file.advanceIndex())
    return [try #require(early.information), stream.information, opened, file.information]
  }

  @Test(arguments: Fixtures.names(endingIn: ".mp3").filter { $0.hasPrefix("lame-") || $0.hasPrefix("short-") })
  func `have exactly their source's frames from the first packet on`(name: String) throws {
    let source =
      name.hasPrefix("short-")
      ? "source-\(name.dropLast(4))" : "source-" + name.split(separator: "-")[1...2].joined(separator: "-")
    let frames = Fixtures.frames(ofWAVE: source + ".wav")
    for information in try Self.information(Fixtures.bytes(name)) {
      let (format, table) = (try #require(information.dataFormat), try #require(information.packetTable))
      #expect(table.validFrames == frames)
      // docs/contracts.md, File 11
      let all = table.validFrames + Int64(table.primingFrames) + Int64(table.remainderFrames)
      #expect(all == (try #require(information.packetCount)) * Int64(format.framesPerPacket))
      #expect(information.duration == Double(frames) / format.sampleRate)
      #expect(!information.durationIsEstimated)
    }
  }

  struct Exact: Sendable, CustomStringConvertible {
    var description: String
    var rate: Double
    var packets: Int64
    var priming: Int
    var remainder: Int
    var valid: Int64
    var bitRate: Int?
    var bytes: Int64?
  }

  @Test(arguments: [
    Exact(
      description: "e2-44100-cbr160", rate: 44100, packets: 396, priming: 1105, remainder: 1386 - 529, valid: 454230,
      bitRate: 160000, bytes: 206890),
    Exact(
      description: "e2-44100-cbr320", rate: 44100, packets: 396, priming: 1105, remainder: 857, valid: 454230,
      bitRate: 320000),
    Exact(description: "e2-44100-v2", rate: 44100, packets: 396, priming: 1105, remainder: 857, valid: 454230),
    Exact(description: "e2-44100-abr150", rate: 44100, packets: 396, priming: 1105, remainder: 857, valid: 454230),
    Exact(
      description: "e2-22050-cbr64", rate: 22050, packets: 397, priming: 1105, remainder: 981 - 529, valid: 227115,
      bitRate: 64000),
    Exact(
      description: "e2-48000-cbr128", rate: 48000, packets: 126, priming: 1105, remainder: 576 - 529, valid: 144000,
      bitRate: 128000, bytes: 126 * 384),
  ]) func `have the duration and the trim that their encoder wrote`(expected: Exact) throws {
    for information in try Self.information(Fixtures.bytes(expected.description + ".mp3")) {
      #expect(information.dataFormat?.sampleRate == expected.rate)
      #expect(information.packetCount == expected.packets)
      #expect(
        information.packetTable
          == AudioFilePacketTableInfo(
            validFrames: expected.valid, primingFrames: expected.priming, remainderFrames: expected.remainder))
      if let bitRate = expected.bitRate { #expect(information.bitRate == bitRate) }
      if let bytes = expected.bytes { #expect(information.audioDataByteCount == bytes) }
      #expect(information.packetSizeUpperBound == (expected.rate == 22050 ? 721 : 1441))
    }
  }

  @Test func `of variable bit rate without a header get better with each packet, and exact`() throws {
    let bytes = Fixtures.bytes("vbr-60s-without-header.mp3")
    let all = try Self.information(bytes)
    #expect(all[0].durationIsEstimated)
    for information in [all[1], all[3]] {
      #expect(!information.durationIsEstimated)
      #expect(information.packetTable == nil)
      let packets = try #require(information.packetCount)
      let duration = Double(packets * 1152) / 44100
      #expect(information.duration == duration)
      let size = try #require(information.audioDataByteCount)
      #expect(size == Int64(bytes.count))
      // Bits per second, not bytes per packet.
      #expect(information.bitRate == Int((Double(size * 8) / duration).rounded()))
    }
  }

  @Test func `files of constant bit rate without a header are estimated well immediately`() throws {
    let bytes = Fixtures.bytes("cbr-without-header.mp3")
    let all = try Self.information(bytes)
    for information in all { #expect(information.bitRate == 128000) }
    #expect(all[0].duration == Double(bytes.count) * 8 / 128000)
    #expect(all[0].durationIsEstimated)
    #expect(abs((all[0].duration ?? 0) - (all[1].duration ?? 0)) < 0.01)
  }

  struct Damaged: Sendable, CustomStringConvertible {
    var description: String
    var packets: @Sendable (Int64) -> Int64
    var skips: [Int64]
    init(_ name: String, _ skips: [Int64], _ packets: @escaping @Sendable (Int64) -> Int64) {
      (description, self.skips, self.packets) = (name, skips, packets)
    }
  }

  @Test(arguments: [
    Damaged("garbage-in-front.mp3", [3001]) { $0 }, Damaged("garbage-between.mp3", [777]) { $0 },
    Damaged("garbage-behind.mp3", [1234]) { $0 }, Damaged("false-syncs.mp3", [1200]) { $0 },
    Damaged("cut-in-a-frame.mp3", [200]) { _ in 50 }, Damaged("starts-in-a-frame.mp3", [317]) { $0 - 1 },
    Damaged("one-packet-missing.mp3", []) { $0 - 1 }, Damaged("one-packet.mp3", []) { _ in 1 },
  ]) func `lose only the damaged parts, and report their size`(file: Damaged) throws {
    let whole = pushed(Fixtures.bytes("cbr-without-header.mp3")).1.packetIndex.packetCount
    let bytes = Fixtures.bytes(file.description)
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error == nil)
    #expect(Int64(transcript.packets.count) == file.packets(whole))
    #expect(transcript.skips.map(\.byteCount) == file.skips)
    #expect(stream.packetIndex.skippedByteCount == file.skips.reduce(0, +))
    #expect(stream.packetIndex.firstSkippedByteOffset == transcript.skips.first?.byteOffset)
    let pull = try AudioFile(source: AwkwardSource(bytes))
    #expect(try pull.advanceIndex())
    #expect(pull.packetIndex == stream.packetIndex)
    #expect(pull.information.audioDataByteCount == transcript.packets.reduce(0) { $0 + Int64($1.byteCount) })
  }

  @Test(arguments: ["garbage-only.mp3", "zeros-only.mp3", "header-alone.mp3", "empty.mp3"])
  func `without audio are refused with a place`(name: String) {
    let bytes = Fixtures.bytes(name)
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error?.code == .unsupportedFileType)
    #expect(transcript.error?.byteOffset == 0)
    #expect(transcript.packets.isEmpty && !stream.isReadyToProducePackets)
    let error = #expect(throws: ContainerError.self) { try AudioFile(source: AwkwardSource(bytes)) }
    #expect(error == transcript.error)
  }

  @Test func `keep their time if they end earlier than in their header (FluidAudio 845)`() throws {
    let all = try Self.information(Fixtures.bytes("xing-claims-too-much.mp3"))
    #expect(all[0].durationIsEstimated)
    for information in [all[1], all[3]] {
      let frames = (information.packetCount ?? 0) * 1152
      // The missing end is longer than the padding: only priming remains to be trimmed.
      #expect(
        information.packetTable
          == AudioFilePacketTableInfo(validFrames: frames - 1105, primingFrames: 1105, remainderFrames: 0))
      #expect(information.duration == Double(frames - 1105) / 44100)
    }
    // Before the end was reached, by the share of the bytes that is there: within a packet or two.
    #expect(abs((all[0].duration ?? 0) - (all[1].duration ?? 0)) < 0.08)
  }

  struct Tagged: Sendable, CustomStringConvertible {
    var description: String
    var tags = TrackTags()
    init(_ name: String, _ fill: (inout TrackTags) -> Void) {
      description = name
      fill(&tags)
    }
  }

  static let tagged = [
    Tagged("id3v1.mp3") {
      ($0.title, $0.artist, $0.album, $0.date) = ("Old Title", "Old Artist", "Old Album", "1999")
      ($0.trackNumber, $0.genre) = (7, "Rock")
    },
    Tagged("id3v22.mp3") {
      ($0.title, $0.artist, $0.trackNumber, $0.trackCount) = ("Two Title", "Two Artist", 2, 9)
    },
    Tagged("id3v23-utf16.mp3") {
      ($0.title, $0.artist, $0.album) = ("Ça va \u{2014} 日本", "Künstler", "Альбом")
      ($0.trackNumber, $0.trackCount, $0.claimedMilliseconds) = (3, 12, 2707)
    },
    Tagged("id3v24-ape-id3v1.mp3") {
      ($0.title, $0.artist, $0.album) = ("Quatre \u{266b}", "Artiste", "Ape Album")
      ($0.date, $0.comment, $0.trackNumber, $0.genre) = ("2024-05-06", "a comment", 4, "Rock")
    },
    Tagged("id3v24-twice.mp3") { ($0.title, $0.artist) = ("First", "Second") },
    Tagged("id3v24-large.mp3") {
      $0.title = "Large"
      $0.artwork = [TrackTags.Artwork(byteOffset: 49, byteCount: 200_000, mimeType: "image/png", kind: .frontCover)]
    },
    Tagged("id3v2-size-lies.mp3") { _ in },
  ]

  @Test(arguments: tagged) func `have the contents of their tags, and tags are not audio`(expected: Tagged) throws {
    let bare = pushed(Fixtures.bytes("lame-44100-stereo-cbr128.mp3")).0
    let bytes = Fixtures.bytes(expected.description)
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.hashes == bare.hashes)
    #expect(transcript.skips == [])
    #expect(stream.information.tags == expected.tags)
    let file = try AudioFile(source: AwkwardSource(bytes))
    // Tags at the end are there as soon as the file is open.
    #expect(file.information.tags == expected.tags)
    #expect(file.information.audioDataByteCount == bare.packets.reduce(0) { $0 + Int64($1.byteCount) })
  }
}
