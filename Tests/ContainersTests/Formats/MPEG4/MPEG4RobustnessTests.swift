import AudioModel
import Glibc
import Testing

@testable import Containers

/// However MPEG-4 files are cut, read and damaged.
@Suite struct `MPEG-4 cut, damaged and sought in` {
  typealias Make = MPEG4Synthesis

  /// Small files with all there is.
  static let small: [(name: String, bytes: [UInt8])] = {
    let tags = Make.itemList(
      Make.item("©nam", Array("Title".utf8)), Make.item("trkn", [0, 0, 0, 3, 0, 12, 0, 0], type: 0),
      Make.box("covr", Make.box("data", Make.u32(13), Make.u32(0), [UInt8](repeating: 0xd8, count: 300))),
      Make.freeForm("iTunSMPB", " 0 840 1C0 600"))
    let texts = Make.box(
      "udta", Make.box("©ART", Make.u16(3) + Make.u16(0) + Array("abc".utf8)),
      Make.full("titl", Make.u16(0), Array("t".utf8)), Make.full("chpl", [1], Make.u64(0), [1, 0x43]))
    let chunks = { (track: inout Make.Track) in
      (track.chunkRuns, track.chunkOffsets) = ([(1, 1), (2, 2)], [0, 105, 300])
      track.edits = [(20, -1), (70, 1024)]
      track.tableBoxes = Make.full("sgpd", version: 1, Array("roll".utf8), Make.u32(2), Make.u32(1), Make.u16(-1))
    }
    let pcm = Make.file(sizes: [600]) {
      $0.entry = Make.entry("sowt")
      $0.sizeBox = Make.full("stsz", Make.u32(4), Make.u32(140))
      $0.durations = [(140, 1)]
      ($0.chunkRuns, $0.chunkOffsets) = ([(1, 70)], [0, 300])
    }
    let compact = Make.file(sizes: [3, 15, 4]) {
      $0.sizeBox = Make.full("stz2", Make.u32(4), Make.u32(3), [0x3f, 0x40])
      $0.durations = [(1, 1024), (1, 500), (1, 7)]
      $0.entry = Make.entry("Opus", Make.box("dOps", [0, 2, 1, 0x38, 0, 0, 0xbb, 0x80, 0xff, 0xfe, 0]))
    }
    return [
      ("tags", Make.file(moreInMovie: tags + texts)), ("chunks", Make.file(sizes: [100, 50, 150, 60, 60, 9], chunks)),
      ("PCM", pcm), ("compact", compact), ("behind", Make.fileWithMovieBehind()),
      ("fragments", `MPEG-4 box by box`.fragmented),
    ]
  }()

  // MARK: Cutting

  @Test(arguments: small.map(\.name)) func `any way of cutting gives the same events`(name: String) throws {
    let bytes = try #require(Self.small.first { $0.name == name }?.bytes)
    `Any way of cutting gives the same events`.expectEqualForAllCuts(bytes)
    `Any way of cutting gives the same events`.expectEqualForAllReads(bytes)
  }

  // MARK: Seeking

  @Test(
    .enabled(if: Fixtures.isPresent, "no fixtures: make fixtures"), arguments: `MPEG-4 and QuickTime files`.fixtures)
  func `every packet is found by its number and by its frames`(
    fixture: `MPEG-4 and QuickTime files`.Fixture
  ) throws {
    let bytes = Fixtures.bytes(fixture.name)
    let sequential = try AudioFile(source: AwkwardSource(bytes))
    // In ones, whatever runs they come in.
    var places: [Int64] = []
    var frames: [Int64] = [0]
    for packet in try pulled(sequential).packets {
      let (size, length) = (packet.byteCount / packet.packetCount, packet.frameCount / packet.packetCount)
      for number in 0..<packet.packetCount {
        places.append(packet.byteOffset + Int64(number * size))
        frames.append(frames[frames.count - 1] + Int64(length))
      }
    }
    let file = try AudioFile(source: AwkwardSource(bytes))
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<40 {
      let number = Int.random(in: 0..<places.count, using: &generator)
      let read = try file.packetDescriptions(startPacket: Int64(number), count: 2)
      #expect(read.packets.first?.byteOffset == places[number])
      #expect(try file.frame(ofPacket: Int64(number)) == frames[number])
      let found = try file.packet(containingFrame: frames[number + 1] - 1)
      #expect(found.packet == Int64(number) && found.frameOffset == Int(frames[number + 1] - frames[number] - 1))
    }
    guard fixture.isOptimized else { return }
    let stream = pushed(bytes).1
    for _ in 0..<20 {
      let number = Int.random(in: 0..<places.count, using: &generator)
      let target = try stream.seek(toPacket: Int64(number))
      #expect(!target.isEstimated)
      let (offset, isEstimated) = try stream.byteOffset(ofPacket: Int64(number))
      #expect(isEstimated || offset == places[number] - (stream.information.dataOffset ?? 0))
      #expect(isEstimated || offset == target.dataOffset)
      var transcript = Transcript()
      let place = Int(target.dataOffset + (stream.information.dataOffset ?? 0))
      try stream.parse(bytes.span.bytes.extracting(droppingFirst: place), into: &transcript)
      #expect(transcript.firstPackets.first == target.packet)
      #expect(transcript.packets.first?.byteOffset == places[Int(target.packet)])
    }
  }

  // MARK: Damage

  @Test(arguments: small.map(\.name)) func `cut at every byte gives the packets before the cut`(name: String) throws {
    let bytes = try #require(Self.small.first { $0.name == name }?.bytes)
    let whole = try #require(expectAgreement(bytes)?.packets)
    for count in bytes.indices {
      guard let cut = expectAgreement(Array(bytes[..<count]), "cut at \(count)")?.packets else { continue }
      let complete = Array(whole.prefix { $0.byteOffset < count })
      #expect(cut.count <= complete.count && cut.packetCount >= complete.packetCount - 70, "cut at \(count)")
    }
  }

  @Test func `with bits flipped, bytes taken out and put in`() {
    var generator = SeededGenerator(seed: 17)
    for round in 0..<5 * `Damaged and random bytes`.rounds {
      let bytes = Self.small[round % Self.small.count].bytes
      expectAgreement(
        `Damaged and random bytes`.mutated(bytes, &generator), chunk: 1 + round % 999, "round \(round)")
    }
  }

  @Test func `with the largest sizes and counts of each field`() {
    // Words all over every file, as large as they can be, negative, zero, one.
    for (name, bytes) in Self.small {
      for place in stride(from: 0, to: bytes.count - 4, by: 3) {
        for value in [0xffff_ffff, 0x7fff_ffff, 0, 1] as [UInt32] {
          var damaged = bytes
          damaged.replaceSubrange(place..<place + 4, with: Make.u32(value))
          expectAgreement(damaged, "\(name), \(value) at \(place)")
        }
      }
    }
  }

  @Test(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS"))
  func `of real files, with bits flipped, bytes taken out and put in`() {
    var generator = SeededGenerator(seed: 19)
    let files = Corpus.mpeg4.map(Corpus.contents).filter { $0.count < 15000 }
    for round in 0..<`Damaged and random bytes`.rounds {
      let bytes = files.randomElement(using: &generator) ?? []
      expectAgreement(
        `Damaged and random bytes`.mutated(bytes, &generator), chunk: Int.random(in: 1...9999, using: &generator),
        "round \(round)")
    }
  }

  @Test func `a table ends with its box, however many entries it claims`() throws {
    // Behind four sizes lies the head of another box, which says 20 as well as a size might.
    let bytes = Make.file(sizes: [100, 50, 200, 7, 300]) {
      $0.sizeBox = Make.full("stsz", Make.u32(0), Make.u32(6), Array([100, 50, 200, 7].map(Make.u32).joined()))
    }
    #expect(expectAgreement(bytes)?.packets.map(\.byteCount) == [100, 50, 200, 7])
  }

  @Test func `tables are only as large in memory as their bytes, and have a limit`() throws {
    // Four thousand million packets of one size, in one chunk: as many as fit into the file.
    let claim = Make.file(sizes: [1000]) {
      $0.sizeBox = Make.full("stsz", Make.u32(10), Make.u32(.max))
      $0.chunkRuns = [(1, .max)]
    }
    #expect(try AudioFile(source: AwkwardSource(claim)).packetIndex.packetCount == 100)
    let endless = try AudioFile(source: AwkwardSource(claim, knowsLength: false))
    #expect(try pulled(endless).packets.count == 100)
    // More sizes than two days of AAC have.
    let count = SampleTables.maximumByteCount / 4 + 1000
    let head =
      Make.u32(UInt32(count * 4 + 20)) + Array("stsz".utf8) + Make.u32(0) + Make.u32(0) + Make.u32(UInt32(count))
    var opening: [UInt8] = []
    for type in ["stbl", "minf", "mdia", "trak", "moov"] {
      opening = Make.u32(UInt32(opening.count + head.count + count * 4 + 8)) + Array(type.utf8) + opening
    }
    let stream = AudioFileStream()
    var transcript = Transcript()
    try stream.parse((Make.ftyp + opening + head).span.bytes, into: &transcript)
    let slice = [UInt8](repeating: 1, count: 1 << 20)
    let error = #expect(throws: ContainerError.self) {
      for _ in 0..<40 {
        try stream.parse(slice.span.bytes, into: &transcript)
        #expect(stream.pending.count < 4)
      }
    }
    #expect(error?.code == .invalidFile)
  }
}
