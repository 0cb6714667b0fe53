import AudioModel
import ByteIO
import Testing

@testable import Containers

/// RFC 3533, RFC 7845, RFC 9639 10.1, Vorbis I A.
@Suite struct `Ogg` {
  typealias Make = OggSynthesis

  /// Both drivers give these packets, and so many bytes as garbage.
  @discardableResult
  static func expect(
    _ bytes: [UInt8], gives packets: [[UInt8]], frameCounts: [Int]? = nil, skippedByteCount: Int64 = 0,
    chunks: [Int] = [1, 7, 61, 1000], _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) -> MediaInformation {
    let (transcript, stream) = pushed(bytes)
    #expect(transcript.error == nil, comment, sourceLocation: sourceLocation)
    #expect(transcript.hashes == javaHashes(packets), comment, sourceLocation: sourceLocation)
    if let frameCounts {
      #expect(transcript.packets.map(\.frameCount) == frameCounts, comment, sourceLocation: sourceLocation)
    }
    #expect(
      transcript.skips.reduce(0) { $0 + $1.byteCount } == skippedByteCount, comment, sourceLocation: sourceLocation)
    `Any way of cutting gives the same events`.expectEqualForAllCuts(bytes, chunks: chunks)
    expectAgreement(bytes)
    return stream.information
  }

  // MARK: Pages and packets

  @Test(arguments: [1, 2, 3, 5, 50, 255]) func `puts packets together from pages of any size`(segments: Int) {
    let packets = Make.opusPackets(30)
    let bytes = Make.file(Make.opus(packets, segmentsPerPage: segments))
    let information = Self.expect(
      bytes, gives: packets.map(\.bytes), frameCounts: [Int](repeating: 960, count: 30))
    #expect(information.fileType == .ogg)
    #expect(
      information.dataFormat == AudioStreamBasicDescription(sampleRate: 48000, formatID: .opus, channelsPerFrame: 1))
    #expect(information.magicCookie == Make.opusHead())
    #expect(
      information.packetTable
        == AudioFilePacketTableInfo(validFrames: 30 * 960 - 312, primingFrames: 312, remainderFrames: 0))
    #expect(information.tags.title == "Opus")
    #expect(information.dataOffset == Int64(Make.file(Make.headers([Make.opusHead(), Make.opusTags()])).count))
  }

  @Test func `trims the surplus of the last page, and knows it when the file is opened`() throws {
    for excess in [1, 500, 960, 1000, 2880] as [Int64] {
      var packets = Make.opusPackets(30)
      packets[29].granule -= excess
      let bytes = Make.file(Make.opus(packets, segmentsPerPage: 12))
      let counts = (0..<30).map { Int(max(0, min(960, packets[29].granule - 960 * Int64($0)))) }
      Self.expect(bytes, gives: packets.map(\.bytes), frameCounts: counts)
      let file = try AudioFile(source: AwkwardSource(bytes))
      #expect(file.information.duration == Double(30 * 960 - excess - 312) / 48000)
      #expect(!file.information.durationIsEstimated)
    }
  }

  @Test func `counts from where a stream was taken up (RFC 7845 4.3)`() throws {
    for (start, missing) in [(1 << 40, 0), (100, 100), (960, 0)] as [(Int64, Int64)] {
      let packets = Make.opusPackets(30, start: start)
      // A position that is less than a packet away from 0 is taken for 0.
      var pages = Make.opus(packets, segmentsPerPage: 12)
      pages[pages.count - 1].granule -= 200
      let bytes = Make.file(pages)
      Self.expect(
        bytes, gives: packets.map(\.bytes), frameCounts: [Int](repeating: 960, count: 29) + [760 + Int(missing)])
      #expect(try AudioFile(source: AwkwardSource(bytes)).information.frameCount == 30 * 960 - 200 + missing)
    }
  }

  @Test(arguments: [[0, 0, 1], [0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 0, 1], [0, 1, 0, 1, 0, 1]])
  func `headers that come more than once before the audio are those of one link`(order: [Int]) {
    let packets = Make.opusPackets(30)
    let pages = Make.opus(packets, segmentsPerPage: 12)
    let bytes = Make.file(order.map { pages[$0] } + pages.dropFirst(2))
    let information = Self.expect(bytes, gives: packets.map(\.bytes), frameCounts: [Int](repeating: 960, count: 30))
    #expect(
      information.packetTable
        == AudioFilePacketTableInfo(validFrames: 30 * 960 - 312, primingFrames: 312, remainderFrames: 0))
  }

  @Test func `a link without audio is passed over, whatever its channels`() {
    let (empty, packets) = (Make.headers([Make.opusHead(channels: 2), Make.opusTags()]), Make.opusPackets(9))
    let bytes = Make.file(empty + Make.opus(packets, serial: 8))
    let information = Self.expect(bytes, gives: packets.map(\.bytes), frameCounts: [Int](repeating: 960, count: 9))
    #expect(information.magicCookie == Make.opusHead() && information.continuationByteOffset == nil)
  }

  // MARK: Damage

  static let packets = Make.opusPackets(40)
  static let pages = Make.opus(packets, segmentsPerPage: 12)

  @Test func `keeps the time of lost pages by the positions after them`() {
    for lost in 3..<Self.pages.count - 1 {
      var pages = Self.pages
      pages.remove(at: lost)
      let (transcript, stream) = pushed(Make.file(pages))
      #expect(transcript.packets.reduce(0) { $0 + $1.frameCount } == 40 * 960, "without page \(lost)")
      #expect(stream.packetIndex.frameCount == 40 * 960)
      // Packets that come through are at their place; packets of no bytes stand for the rest.
      var start = 0
      for (packet, hash) in zip(transcript.packets, transcript.hashes) {
        if packet.byteCount > 0 {
          #expect([hash] == javaHashes([Self.packets[start / 960].bytes]), "without page \(lost)")
        }
        start += packet.frameCount
      }
      // Beginnings and ends of packets whose rest is missing are no audio.
      let whole = transcript.packets.reduce(0) { $0 + $1.byteCount }
      let bodies = pages.dropFirst(2).reduce(0) { $0 + $1.body.count }
      #expect(transcript.skips.reduce(0) { $0 + $1.byteCount } == Int64(bodies - whole))
      `Any way of cutting gives the same events`.expectEqualForAllCuts(Make.file(pages), chunks: [7, 1000])
      expectAgreement(Make.file(pages))
    }
  }

  @Test func `is played from its start, to its end, and from any packet where a file is cut at both ends`()
    throws
  {
    let bytes = Array(Make.file(Array(Self.pages[..<2] + Self.pages[5...])).dropLast(100))
    let packets = try #require(expectAgreement(bytes)).packets
    #expect(packets[0].byteCount == 0 && packets[0].frameCount > 0)
    let file = try AudioFile(source: AwkwardSource(bytes))
    for number in packets.indices.reversed() {
      #expect(try file.packetDescriptions(startPacket: Int64(number), count: 1).packets == [packets[number]])
    }
    let stream = pushed(bytes).1
    var transcript = Transcript()
    let place = try stream.seek(toPacket: 0).dataOffset + (stream.information.dataOffset ?? 0)
    try stream.parse(bytes.span.bytes.extracting(droppingFirst: Int(place)), into: &transcript)
    try stream.finish(into: &transcript)
    #expect(transcript.packets == packets)
  }

  @Test func `is read from its start again where audio begins on the page of the headers`() throws {
    let tags = Make.Packet(bytes: Make.opusTags(), granule: 0)
    let head = Make.pages([Make.Packet(bytes: Make.opusHead(), granule: 0)], flags: 2)
    let bytes = Make.file(head + Make.pages([tags] + Make.opusPackets(9), sequence: 1, endsStream: true))
    #expect(expectAgreement(bytes)?.packets.count == 9)
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try file.advanceIndex())
    for number in (0..<9).reversed() as [Int64] {
      #expect(try file.packet(containingFrame: number * 960 + 5) == (number, 5))
    }
  }

  @Test func `skips pages with a wrong checksum, and noise between pages`() {
    for damaged in 3..<Self.pages.count - 1 {
      var bytes = Self.pages.map(\.bytes)
      bytes[damaged][30] ^= 1
      let (transcript, _) = pushed(Array(bytes.joined()))
      #expect(transcript.packets.reduce(0) { $0 + $1.frameCount } == 40 * 960, "page \(damaged)")
      expectAgreement(Array(bytes.joined()))
    }
    var bytes = Self.pages.map(\.bytes)
    bytes.insert(Array("noise OggS and more".utf8), at: 4)
    bytes.insert(Array("OggO".utf8), at: 2)
    let transcript = pushed(Array(bytes.joined())).0
    #expect(transcript.packets.filter { $0.byteCount > 0 }.count >= 39)
    #expect(transcript.skips.map(\.byteCount).contains(4))
    `Any way of cutting gives the same events`.expectEqualForAllCuts(Array(bytes.joined()), chunks: [1, 7])
  }

  @Test func `fills no gap of more than half a minute`() {
    let pages = Make.opus(Make.opusPackets(6), segmentsPerPage: 12)
    for (excess, isFilled) in [(0, true), (1, false)] as [(Int64, Bool)] {
      // The pages in front end at 6 s.
      let behind = Make.opusPackets(3, start: 36 * 48000 + excess)
      var front = pages
      for index in front.indices where index > 1 { front[index].granule += 6 * 48000 - 6 * 960 }
      for index in front.indices { front[index].flags &= ~4 }
      let bytes = Make.file(front + Make.pages(behind, sequence: 99))
      let frameCount = pushed(bytes).0.packets.reduce(0) { $0 + $1.frameCount }
      #expect(frameCount == 9 * 960 + (isFilled ? 30 * 48000 : 0))
    }
  }

  /// Also where every so many packets are no audio or empty, among them the last of pages.
  @Test(arguments: [(80, []), (2, Make.opusTags()), (3, Make.opusTags()), (2, []), (3, [])], [5, 8])
  func `has the same packets from any place where positions of a later stream contradict each other`(
    others: (distance: Int, bytes: [UInt8]), segmentsPerPage: Int
  ) throws {
    var packets = Make.opusPackets(80)
    for index in packets.indices where (index + 1) % others.distance == 0 { packets[index].bytes = others.bytes }
    let pages = Make.opus(packets, segmentsPerPage: segmentsPerPage)
    for lostPage in 6..<pages.count - 2 {
      var second = pages
      for index in 4..<second.count { second[index].granule += 4000 }
      second.remove(at: lostPage)
      let bytes = Make.file(Self.pages + second)
      let found = try #require(expectAgreement(bytes)).packets
      #expect(found.contains { $0.byteCount == 0 })
      let file = try AudioFile(source: AwkwardSource(bytes))
      for number in found.indices.reversed() {
        let packet = try file.packetDescriptions(startPacket: Int64(number), count: 1).packets.first
        #expect(packet == found[number], "packet \(number), page \(lostPage) lost")
      }
    }
  }

  @Test func `does not join a packet with a page that continues none`() {
    var pages = Make.opus([Make.Packet(bytes: [0xf8] + FLACSynthesis.noise(900, 1), granule: 960)], segmentsPerPage: 2)
    let joined = javaHashes([[0xf8] + FLACSynthesis.noise(900, 1)])
    #expect(pushed(Make.file(pages)).0.hashes == joined)
    pages[pages.count - 1].flags &= ~1
    #expect(pushed(Make.file(pages)).0.hashes != joined)
    expectAgreement(Make.file(pages))
  }

  @Test func `cuts off the end of a stream of a single page`() {
    var packets = Make.opusPackets(3)
    packets[2].granule -= 500
    Self.expect(Make.file(Make.opus(packets)), gives: packets.map(\.bytes), frameCounts: [960, 960, 460])
  }

  @Test func `cut anywhere plays the packets before the cut`() {
    let bytes = Make.file(Make.opus(Make.opusPackets(9), segmentsPerPage: 5))
    let whole = pushed(bytes).0
    let start = Make.file(Make.headers([Make.opusHead(), Make.opusTags()])).count
    for count in 0..<bytes.count {
      guard let cut = expectAgreement(Array(bytes[..<count]), "cut at \(count)")?.stream else {
        #expect(count < start)
        continue
      }
      #expect(cut.hashes == Array(whole.hashes.prefix(cut.hashes.count)), "cut at \(count)")
      // A page that is cut still gives its whole packets, once its header is there.
      let complete = whole.packets.filter { $0.byteOffset + Int64($0.byteCount) + 64 < count }.count
      #expect(cut.packets.count >= complete - 1, "cut at \(count)")
    }
  }

  @Test func `is searched for pages after a jump to nowhere in particular`() throws {
    let bytes = Make.file(Self.pages)
    let stream = AudioFileStream()
    var transcript = Transcript()
    let start = Make.file(Array(Self.pages[..<4])).count
    try stream.parse(bytes.span.bytes.extracting(..<start), into: &transcript)
    let count = transcript.packets.count
    try stream.parse(
      bytes.span.bytes.extracting(droppingFirst: bytes.count / 2), flags: .discontinuity, into: &transcript)
    try stream.finish(into: &transcript)
    let behind = transcript.hashes[count...]
    #expect(behind.count > 10)
    #expect(Array(behind) == javaHashes(Self.packets.map(\.bytes).suffix(behind.count)))
    #expect(transcript.packets[count...].allSatisfy { $0.frameCount == 960 })
  }

  // MARK: Several streams

  static let theora = Make.headers(
    [[0x80] + Array("theora".utf8) + [3, 2, 1], [0x81] + Array("theora".utf8), [1, 2, 3]], serial: 8)

  @Test func `plays the first stream of audio among others`() {
    let others =
      Self.theora.dropFirst()
      + Make.pages(
        (0..<9).map { .init(bytes: FLACSynthesis.noise(3000, $0), granule: 5) }, segmentsPerPage: 20, serial: 8,
        sequence: 3)
    var pages = [Self.theora[0], Self.pages[0]]
    for (own, other) in zip(Self.pages.dropFirst(), Array(others) + Array(others)) { pages += [other, own] }
    let bytes = Make.file(pages)
    Self.expect(
      bytes, gives: Self.packets[..<pushed(bytes).0.packets.count].map(\.bytes), frameCounts: nil)
    #expect(pushed(bytes).0.packets.count > 10)
  }

  @Test func `without playable audio is refused with the codec's name ('fmt?')`() {
    let speex = Make.headers([Array("Speex   ".utf8) + [UInt8](repeating: 1, count: 72), [0]], serial: 9)
    let bytes = Make.file([Self.theora[0], speex[0]] + Self.theora[1...] + speex[1...])
    let error = pushed(bytes).0.error
    #expect(error?.code == .unsupportedDataFormat)
    #expect(error?.expectation == "Ogg with Theora and Speex, nothing that can be played")
    #expect(error?.byteOffset == Int64(Make.file([Self.theora[0], speex[0]]).count))
    expectAgreement(bytes)
    // Cut off in front.
    #expect(pushed(Make.file(Array(Self.pages[3...]))).0.error?.code == .unsupportedDataFormat)
  }

  @Test func `plays chained streams on, and their time adds up`() {
    let first = Make.opus(Self.packets, segmentsPerPage: 12)
    var packets = Make.opusPackets(25)
    packets[24].granule -= 300
    var frameCounts = [Int](repeating: 960, count: 65)
    (frameCounts[40], frameCounts[64]) = (960 - 312, 960 - 300)
    for serial in [7, 8] as [UInt32] {
      let second = Make.opus(packets, segmentsPerPage: 9, serial: serial, tags: Make.opusTags(["TITLE=Next"]))
      let information = Self.expect(
        Make.file(first + second), gives: (Self.packets + packets).map(\.bytes),
        frameCounts: frameCounts)
      #expect(information.frameCount == Int64(frameCounts.reduce(0, +)))
      #expect(information.tags.title == "Opus")
    }
  }

  @Test(arguments: [1, 3, 255]) func `drops the pre-skip of every link, over several packets too`(segments: Int) {
    let first = Make.opus(Self.packets, segmentsPerPage: 12)
    let packets = Make.opusPackets(9)
    let second = Make.opus(packets, segmentsPerPage: segments, serial: 8, head: Make.opusHead(preSkip: 2000))
    let third = Make.opus(packets, segmentsPerPage: segments, serial: 9, head: Make.opusHead(preSkip: 0))
    let bytes = Make.file(first + second + third)
    Self.expect(
      bytes, gives: (Self.packets + packets + packets).map(\.bytes),
      frameCounts: [Int](repeating: 960, count: 40) + [0, 0, 880] + [Int](repeating: 960, count: 15))
    let described = pushed(bytes).0.packets
    #expect(described.indices.filter { described[$0].beginsLink } == [40, 49])
    #expect(described.map(\.droppedFrameCount).filter { $0 > 0 } == [960, 960, 80])
  }

  @Test func `ends before a link that needs another decoder, and reports its place`() {
    let first = Make.opus(Self.packets, segmentsPerPage: 12)
    let stereo = Make.opus(Make.opusPackets(5), serial: 8, head: Make.opusHead(channels: 2))
    let third = Make.opus(Make.opusPackets(3), serial: 9)
    let information = Self.expect(Make.file(first + stereo + third), gives: Self.packets.map(\.bytes))
    #expect(information.continuationByteOffset == Int64(Make.file(first).count))
  }

  @Test func `leaves out links without audio`() {
    let first = Make.opus(Self.packets, segmentsPerPage: 12)
    Self.expect(
      Make.file(first + Self.theora), gives: Self.packets.map(\.bytes),
      skippedByteCount: Int64(Make.file(Array(Self.theora[1...])).count))
  }

  // MARK: Headers

  @Test func `passes pictures of megabytes without keeping them`() throws {
    let picture = FLACSynthesis.picture((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }, mimeType: "image/jpeg")
    let field = "METADATA_BLOCK_PICTURE=" + Self.base64(picture)
    let bytes = Make.file(
      Make.opus(
        Make.opusPackets(5), tags: Make.opusTags(["ARTIST=A", field, field, "ALBUM=B", "R128_TRACK_GAIN=-512"])))
    let information = Self.expect(
      bytes, gives: Make.opusPackets(5).map(\.bytes), chunks: [997, 65536])
    #expect(information.tags.artist == "A")
    #expect(information.tags.album == "B")
    #expect(information.tags.gain.track == 3)
    #expect(information.tags.artwork.map(\.mimeType) == ["image/jpeg", "image/jpeg"])
    for artwork in information.tags.artwork {
      #expect(artwork.isBase64Block)
      // Headers of pages lie between: without them the text is whole.
      let place = Int(artwork.byteOffset)..<Int(artwork.byteOffset) + artwork.byteCount
      #expect(Self.withoutPageHeaders(bytes, place) == Array(field.utf8.dropFirst(23)))
    }
    let stream = AudioFileStream()
    var transcript = Transcript()
    for start in stride(from: 0, to: bytes.count, by: 1000) {
      try stream.parse(bytes.span.bytes.extracting(start..<min(start + 1000, bytes.count)), into: &transcript)
      #expect(stream.pending.count < 0x11000)
    }
  }

  static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      let digits = [18, 12, 6, 0].prefix(group.count + 1).map { letters[word >> $0 & 63] }
      text += digits + [UInt8](repeating: UInt8(ascii: "="), count: 4 - digits.count)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Bytes of a file in Ogg without the page headers among them.
  static func withoutPageHeaders(_ file: [UInt8], _ range: Range<Int>) -> [UInt8] {
    var (start, bytes) = (0, [UInt8]())
    for page in Make.pages(of: file) {
      let body = start + 27 + page.lacing.count
      start = body + page.body.count
      if body < range.upperBound, start > range.lowerBound {
        bytes += file[max(body, range.lowerBound)..<min(start, range.upperBound)]
      }
    }
    return bytes
  }

  @Test func `has chapters where comments name them`() {
    let fields = [
      "CHAPTER002=00:01:02.500", "CHAPTER002NAME=Two", "chapter001=0:0:0", "CHAPTER001NAME=One", "CHAPTER003NAME=Lost",
      "CHAPTERX=1", "CHAPTER004=x",
    ]
    let information = pushed(Make.file(Make.opus(Make.opusPackets(2), tags: Make.opusTags(fields)))).1.information
    #expect(
      information.tags.chapters == [
        TrackTags.Chapter(start: 0, title: "One"), TrackTags.Chapter(start: 62.5, title: "Two"),
      ])
  }

  @Test func `with malformed or missing headers is refused ('dta?')`() {
    var silent = Make.opusHead()
    silent[9] = 0
    let cases: [[Make.Page]] = [
      Make.opus(Make.opusPackets(3), head: silent),
      Make.opus(Make.opusPackets(3), head: Array(Make.opusHead()[..<12])),
      Make.opus(Make.opusPackets(3), head: Make.opusHead() + [UInt8](repeating: 0, count: 600)),
      [Self.pages[0]] + Self.pages[2...],
      Make.headers([[1] + Array("vorbis".utf8) + [UInt8](repeating: 0, count: 23), [3], [5]]),
      Make.headers([[1] + Array("vorbis".utf8), [3], [5]]),
      Make.headers([[0x7f] + Array("FLAC".utf8) + [1, 0, 0, 0], [4]]),
      [Self.pages[0]],
    ]
    for (number, pages) in cases.enumerated() {
      let transcript = pushed(Make.file(pages)).0
      #expect(transcript.error?.code == .invalidFile, "case \(number)")
      #expect(transcript.packets.isEmpty)
      expectAgreement(Make.file(pages), "case \(number)")
    }
  }

  // MARK: FLAC

  static func flacStream(_ frames: [[UInt8]], isOld: Bool, blocks: [[UInt8]] = []) -> [Make.Page] {
    let info = FLACSynthesis.block(0, FLACSynthesis.streamInfo())
    let comments = FLACSynthesis.block(4, FLACSynthesis.comments(["TITLE=FLAC"]), isLast: blocks.isEmpty)
    let mark = Array("fLaC".utf8)
    let headers =
      isOld ? [mark, info] : [[0x7f] + Array("FLAC".utf8) + [1, 0, 0, UInt8(1 + blocks.count)] + mark + info]
    let pages = Make.headers(headers + [comments] + blocks)
    let packets = frames.enumerated().map { Make.Packet(bytes: $1, granule: Int64(32 * ($0 + 1))) }
    return pages + Make.pages(packets, segmentsPerPage: 3, sequence: UInt32(pages.count), endsStream: true)
  }

  @Test(arguments: [false, true]) func `holds FLAC as it is now and as it was once`(isOld: Bool) throws {
    let frames = FLACSynthesis.frames(12)
    let bytes = Make.file(Self.flacStream(frames, isOld: isOld))
    let information = Self.expect(bytes, gives: frames, frameCounts: [Int](repeating: 32, count: 12))
    #expect(information.dataFormat?.formatID == .flac && information.dataFormat?.framesPerPacket == 32)
    #expect(
      information.magicCookie == Array("fLaC".utf8) + FLACSynthesis.block(0, FLACSynthesis.streamInfo(), isLast: true))
    #expect(information.tags.title == "FLAC")
    #expect(try AudioFile(source: AwkwardSource(bytes)).information.duration == 12.0 * 32 / 44100)
    // Frames that are missing keep their time by their numbers.
    var pages = Self.flacStream(frames, isOld: isOld)
    pages.remove(at: pages.count - 2)
    let expected = frames[..<6] + [[], [], []] + frames[9...]
    Self.expect(Make.file(pages), gives: Array(expected), frameCounts: [Int](repeating: 32, count: 12))
  }

  @Test func `holds FLAC with pictures over many pages, found by their place`() {
    var image = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
    // They may look like headers of pages.
    for start in [9000, 100_000] { image.replaceSubrange(start..<(start + 6), with: "OggS\0\u{1}".utf8) }
    let picture = FLACSynthesis.block(6, FLACSynthesis.picture(image), isLast: true)
    let bytes = Make.file(Self.flacStream(FLACSynthesis.frames(5), isOld: false, blocks: [picture]))
    for chunk in [100, 65536, .max] {
      let artwork = pushed(bytes, chunk: chunk).1.information.tags.artwork
      #expect(artwork.count == 1 && artwork.first?.isBase64Block == false)
      let place = artwork.map { Int($0.byteOffset)..<Int($0.byteOffset) + $0.byteCount }.first ?? 0..<0
      #expect(artwork.first?.picture(in: Array(bytes[place])) == image)
    }
  }

  // MARK: Distrust

  @Test func `with bits flipped, bytes taken out and put in, is the same to both drivers`() {
    var generator = SeededGenerator(seed: 19)
    let bytes = Make.file(Self.pages + Make.opus(Make.opusPackets(9), segmentsPerPage: 4))
    for round in 0..<`Damaged and random bytes`.rounds {
      let mutated = `Damaged and random bytes`.mutated(bytes, &generator)
      expectAgreement(mutated, chunk: 1 + round % 999, "round \(round)")
    }
  }

  @Test func `with fields changed under right checksums is the same to both drivers`() {
    var generator = SeededGenerator(seed: 23)
    for round in 0..<`Damaged and random bytes`.rounds {
      var pages = Self.pages + Make.opus(Make.opusPackets(9), segmentsPerPage: 4)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<pages.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
          pages[index].granule = Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<60, using: &generator)
        case 1: pages[index].sequence = UInt32(truncatingIfNeeded: generator.next())
        case 2: pages[index].flags = UInt8.random(in: 0...7, using: &generator)
        case 3: pages[index].serial = UInt32.random(in: 6...8, using: &generator)
        case 4: pages.swapAt(index, Int.random(in: 0..<pages.count, using: &generator))
        default:
          if let place = pages[index].body.indices.randomElement(using: &generator) {
            pages[index].body[place] = UInt8.random(in: 0...255, using: &generator)
          }
        }
      }
      let bytes = Make.file(pages)
      expectAgreement(bytes, chunk: 1 + round * 37 % 999, "round \(round)")
    }
  }

  @Test func `gives up packets of no use, by size or by the pages they spread over`() {
    let large = Make.Packet(bytes: [0xf8] + [UInt8](repeating: 1, count: 70000), granule: 6 * 960)
    let huge = Make.Packet(bytes: [0xf8] + [UInt8](repeating: 1, count: 1_100_000), granule: 6 * 960)
    for packet in [large, huge] {
      let others = Make.opusPackets(5)
      let bytes = Make.file(Make.opus(others + [packet] + Make.opusPackets(5, start: 6 * 960)))
      let (transcript, stream) = pushed(bytes)
      #expect(transcript.packets.filter { $0.byteCount > 0 }.count == 10)
      #expect(stream.packetIndex.frameCount == 11 * 960)
      let fed = pushed(bytes, chunk: 50000).0
      #expect(fed == transcript)
    }
  }

  @Test func `with noise that looks like pages after it has one range of noise, not thousands`() throws {
    let noise = [[UInt8]](repeating: Array("OggS".utf8), count: 5000).joined()
    let file = try AudioFile(source: AwkwardSource(Make.file(Self.pages) + noise))
    #expect(try file.packetDescriptions(startPacket: 0, count: 100).skipped.map(\.byteCount) == [20000])
    // Tags and noise by turns: what comes late is not told apart any more, but counted.
    let tags = [[UInt8]](repeating: [0x58] + Synthesis.id3v2(4, [("TIT2", Synthesis.utf8("t"))]), count: 1500).joined()
    let tagged = try AudioFile(source: AwkwardSource(Array(Synthesis.packets(3).joined()) + tags))
    let skipped = try tagged.packetDescriptions(startPacket: 0, count: 100).skipped
    #expect(skipped.count == 1000)
    #expect(try tagged.advanceIndex())
    #expect(skipped.reduce(0) { $0 + $1.byteCount } == tagged.packetIndex.skippedByteCount)
  }

  @Test func `in pages of one byte takes no time to speak of`() {
    // A packet on 3000 pages of 255 bytes.
    let packet = Make.Packet(bytes: [0xf8] + [UInt8](repeating: 1, count: 60000), granule: 960)
    let bytes = Make.file(Make.opus([packet], segmentsPerPage: 1))
    #expect(pushed(bytes, chunk: 500).0.hashes == javaHashes([packet.bytes]))
  }
}
