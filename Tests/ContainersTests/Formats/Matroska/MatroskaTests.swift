import AudioModel
import Testing

@testable import Containers

/// RFC 9559, element by element.
@Suite struct `Matroska element by element` {
  typealias Make = MatroskaSynthesis

  let packets = Make.opus(12)

  /// The bytes of all packets, and of missing ones none, as both drivers give them.
  private func content(
    _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (hashes: [Int32], stream: Transcript, file: AudioFile) {
    let (transcript, _) = pushed(bytes)
    #expect(transcript.error == nil, sourceLocation: sourceLocation)
    let file = try AudioFile(source: AwkwardSource(bytes))
    let pulled = try pulled(file)
    #expect(pulled.hashes == transcript.hashes && pulled.packets == transcript.packets, sourceLocation: sourceLocation)
    _ = try file.advanceIndex()
    return (pulled.hashes, transcript, file)
  }

  // MARK: Structure

  @Test(arguments: [false, true], [false, true])
  func `sizes may be missing of the segment and of clusters`(ofSegment: Bool, ofClusters: Bool) throws {
    let bytes = Make.file(
      type: "webm", isEndless: ofSegment,
      Make.cluster(0, Make.blocks(Array(packets[..<6])), isEndless: ofClusters),
      Make.cluster(120, Make.blocks(Array(packets[6...])), isEndless: ofClusters),
      Make.element(0x1254_c367))
    let (hashes, transcript, file) = try content(bytes)
    #expect(hashes == javaHashes(packets))
    #expect(transcript.skips.isEmpty)
    #expect(file.information.fileType == .webm)
    #expect(file.information.frameCount == Int64(12 * 960))
  }

  @Test(arguments: [1, 2, 3] as [UInt8]) func `packets may share a block`(lacing: UInt8) throws {
    let sizes = lacing == 2 ? [30, 30, 30, 30, 30] : [30, 254, 255, 700, 3]
    let packets = sizes.enumerated().map { [0x98] + FLACSynthesis.noise($1 - 1, $0) }
    let block = Make.element(0xa3, Make.block(packets, lacing: lacing))
    let (hashes, transcript, _) = try content(Make.file(Make.cluster(0, block, block)))
    #expect(hashes == javaHashes(packets + packets))
    #expect(transcript.packets.allSatisfy { $0.frameCount == 960 })
  }

  @Test func `blocks of other tracks are skipped unread, in groups too`() throws {
    let video = [UInt8](repeating: 0x1f, count: 200_000)
    let bytes = Make.file(
      tracks: Make.tracks(Make.track(1, type: 1, codec: "V_VP9", data: []), Make.track(2)),
      Make.cluster(
        0, Make.simple(video), Make.simple(packets[0], track: 2), Make.group(video, time: 1),
        Make.group(packets[1], time: 20, track: 2)))
    let (hashes, transcript, file) = try content(bytes)
    #expect(hashes == javaHashes(packets[..<2]))
    #expect(transcript.skips.isEmpty)
    #expect(file.information.frameCount == 1920)
    // With the headers alone at hand.
    let stream = AudioFileStream()
    var ignored = Transcript()
    let start = bytes.count - 2 * 200_000
    try stream.parse(bytes.span.bytes.extracting(first: start), into: &ignored)
    #expect(stream.passOver() > 100_000)
  }

  @Test func `of several tracks of audio the default one plays, a supported one in any case`() throws {
    func hashes(_ entries: [[UInt8]]) throws -> [Int32] {
      try content(
        Make.file(
          tracks: Make.tracks(Array(entries.joined())),
          Make.cluster(0, Make.simple(packets[0]), Make.simple(packets[1], track: 2)))
      ).hashes
    }
    let (notDefault, notEnabled) = (Make.unsigned(0x88, 0), Make.unsigned(0xb9, 0))
    #expect(try hashes([Make.track(1), Make.track(2)]) == javaHashes([packets[0]]))
    #expect(try hashes([Make.track(1, notDefault), Make.track(2)]) == javaHashes([packets[1]]))
    #expect(try hashes([Make.track(1, notEnabled), Make.track(2, notDefault)]) == javaHashes([packets[1]]))
    #expect(try hashes([Make.track(1, codec: "A_DTS"), Make.track(2, notDefault)]) == javaHashes([packets[1]]))
  }

  @Test func `descriptions after the clusters are found in seekable sources`() throws {
    let cluster = Make.cluster(0, Make.blocks(packets))
    func seekHead(_ position: UInt64) -> [UInt8] {
      let position = Make.element(0x53ac, [UInt8(position >> 8), UInt8(position & 255)])
      return Make.element(0x114d_9b74, Make.element(0x4dbb, Make.element(0x53ab, Make.id(0x1654_ae6b)), position))
    }
    let tracksPosition = seekHead(0).count + Make.info().count + cluster.count
    let bytes =
      Make.head()
      + Make.segment(seekHead(UInt64(tracksPosition)), Make.info(), cluster, Make.tracks(Make.track()))
    #expect(pushed(bytes).0.error?.code == .notOptimized)
    #expect(try pulled(AudioFile(source: AwkwardSource(bytes))).hashes == javaHashes(packets))
    #expect(
      pushed(Make.head() + Make.segment(cluster)).0.error?.expectation
        == "descriptions of tracks before the first cluster")
  }

  @Test func `another file after a live one is garbage, after a complete one it is ignored`() throws {
    let whole = Make.file(Make.cluster(0, Make.blocks(packets)))
    let live = Make.file(isEndless: true, Make.cluster(0, Make.blocks(packets), isEndless: true))
    #expect(try content(whole + whole).stream.skips.isEmpty)
    let transcript = try content(live + live).stream
    #expect(transcript.hashes == javaHashes(packets))
    #expect(transcript.skips == [.init(byteOffset: Int64(live.count), byteCount: Int64(live.count))])
  }

  // MARK: Packets and time

  @Test func `bytes that all packets begin with and that were left out are put back`() throws {
    let stripped = Make.element(
      0x6d80, Make.element(0x6240, Make.element(0x5034, Make.unsigned(0x4254, 3), Make.element(0x4255, [0x98]))))
    let bytes = Make.file(
      tracks: Make.tracks(Make.track(1, stripped)),
      Make.cluster(0, Make.blocks(packets.map { Array($0.dropFirst()) })), Make.element(0xec, [0, 0, 0]))
    #expect(try content(bytes).hashes == javaHashes(packets))
  }

  @Test func `unplayable files are refused with the reason`() {
    func refusal(_ track: [UInt8]) -> ContainerError? {
      pushed(Make.file(tracks: Make.tracks(track), Make.cluster(0, Make.blocks(packets)))).0.error
    }
    func encoding(_ content: [UInt8]) -> [UInt8] { Make.element(0x6d80, Make.element(0x6240, content)) }
    let zlib = refusal(Make.track(1, encoding(Make.element(0x5034, Make.unsigned(0x4254, 0)))))
    #expect(zlib?.code == .unsupportedDataFormat)
    #expect(zlib?.expectation == "packets compressed by zlib are not supported")
    let withKey = refusal(Make.track(1, encoding(Make.unsigned(0x5033, 1))))
    #expect(withKey?.code == .permissions && withKey?.expectation == "the audio is encrypted")
    #expect(refusal(Make.track(codec: "A_DTS"))?.expectation == "no support for A_DTS in Matroska")
    #expect(refusal(Make.track(type: 1))?.expectation == "there is no audio track")
    let encrypted = pushed(Make.file(Make.cluster(0, Make.element(0xaf, Make.block([packets[0]]))))).0.error
    #expect(encrypted?.code == .permissions)
    #expect(encrypted?.expectation == "the audio is encrypted (EncryptedBlock)")
    let other = pushed(Make.file(type: "cbor", Make.cluster(0, Make.blocks(packets)))).0.error
    #expect(other?.code == .unsupportedFileType)
  }

  @Test func `the codec's delay counts once, and padding to the sample`() throws {
    // 6.5 ms are the 312 frames that the head of Opus names, too; 13.5 ms are 648.
    let end = Make.group(packets[11], time: 220, padding: 13_500_000)
    let blocks = Make.blocks(Array(packets[..<11])) + end
    // The last is wrong by a factor of 3, as ffmpeg writes it where Opus was made of 16 kHz.
    for delay in [6_500_000, 0, 2_166_667] as [UInt64] {
      let bytes = Make.file(
        tracks: Make.tracks(Make.track(1, Make.unsigned(0x56aa, delay))), Make.cluster(0, blocks))
      let table = try content(bytes).file.information.packetTable
      #expect(table?.primingFrames == 312)
      // Twelve packets of 960 frames, without 312 and 648.
      #expect(table?.validFrames == 10_560)
    }
    let headless = Make.track(data: [], Make.unsigned(0x56aa, 20_000_000))
    let bytes = Make.file(tracks: Make.tracks(headless), Make.cluster(0, blocks))
    #expect(try content(bytes).file.information.packetTable?.primingFrames == 960)
  }

  @Test func `frames of AAC count its delay in its own rate`() throws {
    // As ffmpeg rounds 1024 frames of 44.1 kHz.
    let track = Make.track(
      codec: "A_AAC", data: [0x12, 0x10], rate: 44100, channels: 2, Make.unsigned(0x56aa, 23_219_955))
    let bytes = Make.file(tracks: Make.tracks(track), Make.cluster(0, Make.simple([1, 2, 3]), Make.simple([4, 5])))
    let information = try content(bytes).file.information
    #expect(information.packetTable?.primingFrames == 1024)
    #expect(information.frameCount == 2048)
  }

  @Test(
    arguments: [
      ("A_AAC/MPEG4/LC", 44100.0, nil, .aac, 44100), ("A_AAC/MPEG2/MAIN", 48000, nil, .aac, 48000),
      ("A_AAC/MPEG4/LC/SBR", 22050, 44100, .aacHE, 44100), ("A_AAC/MPEG4/LC/SBR", 24000, nil, .aacHE, 48000),
    ] as [(String, Double, Double?, AudioFormatID, Double)])
  func `AAC of old files is described by its name alone`(
    codec: String, rate: Double, output: Double?, formatID: AudioFormatID, decodedRate: Double
  ) throws {
    let audio = Make.element(
      0xe1, Make.float(0xb5, rate), Make.unsigned(0x9f, 2), output.map { Make.float(0x78b5, $0) } ?? [])
    let track = Make.element(
      0xae, Make.unsigned(0xd7, 1), Make.unsigned(0x83, 2), Make.text(0x86, codec), audio)
    let bytes = Make.file(tracks: Make.tracks(track), Make.cluster(0, Make.simple([1, 2, 3])))
    let format = try #require(try content(bytes).file.information.dataFormat)
    #expect(format.formatID == formatID && format.sampleRate == decodedRate)
    #expect(format.channelsPerFrame == 2)
  }

  @Test func `packets that are missing keep their time`() throws {
    let bytes = Make.file(
      Make.cluster(0, Make.blocks(Array(packets[..<3]))), Make.cluster(1000, Make.blocks(Array(packets[3...]))))
    let (_, transcript, file) = try content(bytes)
    // Half a second and more is silence.
    #expect(transcript.packets[3].byteCount == 0)
    #expect(transcript.packets[3].frameCount == 48000 - 3 * 960)
    #expect(file.information.frameCount == Int64(48000 + 9 * 960))
    // A fraction of a packet is how times are rounded, or a pause that nobody hears.
    let rounded = Make.file(
      Make.cluster(0, Make.blocks(Array(packets[..<3]))), Make.cluster(65, Make.blocks(Array(packets[3...]))))
    #expect(try content(rounded).file.information.frameCount == Int64(12 * 960))
    // More than half a minute is another beginning, as a step back is.
    for time in [90_000, 0] as [UInt64] {
      let other = Make.file(
        Make.cluster(1000, Make.blocks(Array(packets[..<3]))), Make.cluster(time, Make.blocks(Array(packets[3...]))))
      #expect(try content(other).file.information.frameCount == Int64(12 * 960))
    }
  }

  @Test func `a gap behind blocks without packets is there once, after a seek, too`() throws {
    let invalid: [UInt8] = [3, 0]
    let many = Make.opus(80)
    let first = Make.cluster(0, Make.blocks(Array(many[..<64])))
    let second = Make.cluster(
      1280, Make.simple(invalid), Make.simple(invalid), Make.simple(many[64], time: 600),
      Make.blocks(Array(many[65...]), first: 31))
    let bytes = Make.file(first, second)
    let transcript = pushed(bytes).0
    #expect(transcript.packets.map(\.packetCount).reduce(0, +) == 81)
    #expect(transcript.packets[64].byteCount == 0)
    try expectIndexAndSeeksToAgree(bytes)
  }

  @Test func `after damage the next cluster is searched, and its time applies`() throws {
    let clusters = (0..<4).map { number in
      Make.cluster(UInt64(1000 * number), Make.blocks(Array(repeating: packets[number], count: 50)))
    }
    var bytes = Make.file(isEndless: true, clusters[0], clusters[1], clusters[2], clusters[3])
    let start = bytes.count - clusters[1].count - clusters[2].count - clusters[3].count
    // From the middle of the second cluster to the middle of the third: the ID of that is lost.
    for index in start + 500..<start + clusters[1].count + 500 { bytes[index] = 0 }
    let (_, transcript, file) = try content(bytes)
    #expect(!transcript.skips.isEmpty)
    #expect(file.information.frameCount == Int64(200 * 960))
    #expect(transcript.hashes.last == javaHashes([packets[3]])[0])
  }

  @Test func `garbage before the first packet is garbage again after a seek`() throws {
    let track = Make.track(codec: "A_MPEG/L3", data: [], rate: 44100, channels: 2)
    let layer3 = Synthesis.packets(3)
    let bytes = Make.file(
      tracks: Make.tracks(track),
      Make.cluster(0, Make.simple([1, 2, 3, 4, 5]), Make.simple(layer3[0]), Make.simple(layer3[1], time: 26)))
    let packets = try #require(expectAgreement(bytes)?.packets)
    #expect(packets.map(\.byteCount) == layer3[..<2].map(\.count))
  }

  @Test func `another unit of time after the packets is ignored`() throws {
    let bytes = Make.file(
      Make.cluster(0, Make.blocks(Array(packets[..<3]))), Make.cluster(1000, Make.blocks(Array(packets[3...]))),
      Make.info(scale: 100_000_000))
    let packets = try #require(expectAgreement(bytes)?.packets)
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try pulled(file).packets == packets)
    // Back at the beginning.
    #expect(try pulled(file).packets == packets)
  }

  @Test func `clusters in an element that cannot hold them are found again after a seek`() throws {
    let first = Make.cluster(0, Make.blocks(Array(packets[..<3])))
    let inside = Make.element(0x1254_c367, Make.cluster(60, Make.blocks(Array(packets[3...]), first: 0)))
    let bytes = Make.file(first, inside)
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try pulled(file).hashes == javaHashes(packets))
    #expect(try pulled(file).hashes == javaHashes(packets))
    #expect(expectAgreement(bytes)?.packets.count == 12)
  }

  // MARK: Cues

  @Test func `cues give the exact places of unread packets`() throws {
    func cues(_ positions: [Int]) -> [UInt8] {
      Make.element(
        0x1c53_bb6b,
        Array(
          positions.enumerated().map { index, position in
            Make.element(
              0xbb, Make.unsigned(0xb3, UInt64(index) * 1000),
              Make.element(0xb7, Make.unsigned(0xf7, 1), Make.element(0xf1, Synthesis.bigEndian(UInt32(position), 4))))
          }.joined()))
    }
    let clusters = (0..<8).map { number in
      Make.cluster(UInt64(1000 * number), Make.blocks(Array(repeating: packets[number], count: 50)))
    }
    let start = Make.info().count + Make.tracks(Make.track()).count
    let front = start + cues(Array(repeating: 0, count: 8)).count
    let places = clusters.indices.map { index in front + clusters[..<index].reduce(0) { $0 + $1.count } }
    let bytes = Make.file(cues(places), Array(clusters.joined()))
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    var ignored = Transcript()
    try stream.parse(bytes.span.bytes.extracting(first: 3000), into: &ignored)
    let target = try stream.seek(toPacket: 320)
    #expect(!target.isEstimated && target.packet == 320)
    var transcript = Transcript()
    let place = Int(target.dataOffset + (stream.information.dataOffset ?? 0))
    try stream.parse(bytes.span.bytes.extracting(droppingFirst: place), into: &transcript)
    #expect(transcript.firstPackets.first == 320)
    #expect(
      transcript.hashes == javaHashes(packets[6..<8].flatMap { Array(repeating: $0, count: 50) }.dropFirst(20)))
    // Those of another writer, whose times tell nothing exactly.
    let wrong = Make.file(
      cues(places), Make.cluster(7, Make.blocks(packets)), Array(clusters.joined().dropFirst(clusters[0].count)))
    let other = AudioFileStream(totalByteCount: Int64(wrong.count))
    try other.parse(wrong.span.bytes.extracting(first: 3000), into: &ignored)
    #expect(other.knownResumePoint(atOrBefore: 320) == nil)
  }

  // MARK: Facts

  @Test func `tags, chapters and pictures after the packets are found at once by SeekHead`() throws {
    let tags = Make.element(
      0x1254_c367,
      Make.element(0x7373, Make.element(0x67c8, Make.text(0x45a3, "ARTIST"), Make.text(0x4487, "Someone"))))
    let cluster = Make.cluster(0, Make.blocks(packets))
    func seekHead(_ position: Int) -> [UInt8] {
      Make.element(
        0x114d_9b74,
        Make.element(
          0x4dbb, Make.element(0x53ab, Make.id(0x1254_c367)),
          Make.element(0x53ac, Synthesis.bigEndian(UInt32(position), 4))))
    }
    let tracks = Make.tracks(Make.track())
    let position = seekHead(0).count + Make.info().count + tracks.count + cluster.count
    let bytes = Make.head() + Make.segment(seekHead(position), Make.info(title: "Name"), tracks, cluster, tags)
    let moved = Make.head() + Make.segment(seekHead(position + 7), Make.info(title: "Name"), tracks, cluster, tags)
    let file = try AudioFile(source: AwkwardSource(moved))
    #expect(file.information.tags.artist == "Someone")
    #expect(try pulled(file).hashes == javaHashes(packets))
    #expect(pushed(bytes).1.information.tags.artist == "Someone")
    // Once, although they are met again behind the packets.
    #expect(try file.advanceIndex())
    #expect(file.information.tags.artist == "Someone" && file.information.tags.title == "Name")
  }

  @Test func `tags for several tracks count for each of them, and those of a collection not for the album`() throws {
    func tag(_ targets: [UInt8], _ name: String, _ value: String) -> [UInt8] {
      Make.element(
        0x7373, Make.element(0x63c0, targets),
        Make.element(0x67c8, Make.text(0x45a3, name), Make.text(0x4487, value)))
    }
    let tags = Make.element(
      0x1254_c367, tag(Make.unsigned(0x68ca, 70), "TITLE", "Collection"),
      tag(Make.unsigned(0x68ca, 50), "TITLE", "Album"),
      tag(Make.unsigned(0x68ca, 50), "COMMENTS", "On the album"),
      tag(Make.unsigned(0x63c5, 101) + Make.unsigned(0x63c5, 102), "TITLE", "Track"),
      tag(Make.unsigned(0x63c5, 101), "COMMENTS", "On the track"),
      tag(Make.unsigned(0x63c5, 102), "ARTIST", "Other"))
    let bytes = Make.file(tags, Make.cluster(0, Make.blocks(packets)))
    let found = try AudioFile(source: AwkwardSource(bytes)).information.tags
    #expect(found.title == "Track" && found.album == "Album" && found.artist == nil)
    #expect(found.comments == ["On the track"])
  }

  @Test func `a SeekHead that refers to itself ends, even past the limit of noted elements`() throws {
    let tags = [[UInt8]](repeating: Make.element(0x1254_c367), count: 64)
    let seekHead = Make.element(
      0x114d_9b74,
      Make.element(
        0x4dbb, Make.element(0x53ab, Make.id(0x114d_9b74)),
        Make.element(0x53ac, Synthesis.bigEndian(UInt32(tags.joined().count), 4))))
    let bytes =
      Make.head()
      + Make.segment(
        Array(tags.joined()), seekHead, Make.info(), Make.tracks(Make.track()), Make.cluster(0, Make.blocks(packets)))
    #expect(try pulled(try AudioFile(source: AwkwardSource(bytes))).hashes == javaHashes(packets))
  }

  @Test func `chapters are counted from the first packet, and hidden ones left out`() throws {
    func atom(_ milliseconds: UInt64, _ title: String, _ more: [UInt8] = []) -> [UInt8] {
      Make.element(
        0xb6, Make.unsigned(0x91, milliseconds * 1_000_000), more, Make.element(0x80, Make.text(0x85, title)))
    }
    let ordered = Make.element(0x45b9, Make.unsigned(0x45dd, 1), atom(1, "Part"))
    let edition = Make.element(
      0x45b9, atom(1500, "Two", atom(1600, "Inside")), atom(500, "One"), atom(1000, "No", Make.unsigned(0x98, 1)))
    let bytes = Make.file(
      Make.element(0x1043_a770, ordered, edition), Make.cluster(500, Make.blocks(packets)))
    #expect(
      try content(bytes).file.information.tags.chapters
        == [TrackTags.Chapter(start: 0, title: "One"), TrackTags.Chapter(start: 1, title: "Two")])
  }

  @Test func `the duration is the header's until all packets are known`() throws {
    let bytes = Make.file(info: Make.info(duration: 300), Make.cluster(0, Make.blocks(packets)))
    let stream = AudioFileStream(totalByteCount: Int64(bytes.count))
    var ignored = Transcript()
    try stream.parse(bytes.span.bytes.extracting(first: bytes.count - 100), into: &ignored)
    #expect(stream.information.duration == 0.2935 && stream.information.durationIsEstimated)
    let file = try content(bytes).file
    #expect(file.information.duration == Double(12 * 960 - 312) / 48000 && !file.information.durationIsEstimated)
  }
}
