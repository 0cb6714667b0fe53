import AudioModel
import ByteIO
import Containers
import Testing

extension Corpus {
  static let xiph = rows { path in
    [".flac", ".ogg", ".oga", ".opus"].contains { path.hasSuffix($0) }
  }
}

@Suite(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS")) struct `FLAC and Ogg of other projects` {
  @Test(arguments: Corpus.xiph) func `yield the expected rate, channels and frames by both drivers`(
    row: Corpus.Row
  ) throws {
    let bytes = Corpus.contents(row)
    let (transcript, stream) = pushed(bytes)
    guard row.isPlayable else {
      #expect(transcript.error != nil)
      #expect(transcript.packets.isEmpty)
      #expect(throws: ContainerError.self) { try AudioFile(source: AwkwardSource(bytes)) }
      return
    }
    #expect(transcript.error == nil)
    #expect(transcript.skips.isEmpty)
    let file = try AudioFile(source: AwkwardSource(bytes))
    let opened = file.information
    #expect(try file.advanceIndex())
    // Exact as soon as the file is open: the headers or the last bytes tell.
    for information in [opened, stream.information, file.information] {
      let format = try #require(information.dataFormat)
      #expect(format.sampleRate == row.rate)
      #expect(format.channelsPerFrame == row.channels)
      let table = information.packetTable
      let frames = try #require(table?.validFrames ?? information.frameCount)
      #expect(frames == row.frames)
      #expect(information.duration == Double(frames) / format.sampleRate)
      #expect(!information.durationIsEstimated)
    }
    let all = transcript.packets.reduce(0) { $0 + Int64($1.frameCount) }
    let table = stream.information.packetTable
    #expect(all == table.map { $0.validFrames + Int64($0.primingFrames + $0.remainderFrames) } ?? row.frames)
    let (packets, hashes) = try pulled(file)
    #expect(packets == transcript.packets)
    #expect(hashes == transcript.hashes)
  }

  @Test(arguments: [
    ("bear.opus", "bear.opus.0.dump"), ("bear.opus", "bear.opus.unknown_length.dump"),
    ("bear_vorbis.ogg", "bear_vorbis.ogg.0.dump"), ("bear_vorbis.ogg", "bear_vorbis.ogg.unknown_length.dump"),
  ]) func `yield the packets that ExoPlayer yields`(name: String, dump: String) {
    let folder = Corpus.folder + "/androidx-media/"
    let (transcript, _) = pushed(Corpus.contents(of: folder + name))
    let lines = String(decoding: Corpus.contents(of: folder + "dumps/" + dump), as: UTF8.self).split(separator: "\n")
    // Of the headers, which come first, there is one line each as well.
    let headers = lines.prefix { !$0.contains("sample 0:") }.count
    let expected = lines.dropFirst(headers).map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("data = length") }
    // Behind each packet of Vorbis ExoPlayer puts its frames.
    let isVorbis = name.hasSuffix(".ogg")
    let found = zip(transcript.packets, transcript.hashes).map { packet, hash in
      var hash = hash
      if isVorbis {
        // The last page cuts 208 of 1024 frames off the last packet: ExoPlayer does that elsewhere.
        let frameCount = packet == transcript.packets.last ? packet.frameCount + 208 : packet.frameCount
        for shift in [0, 8, 16, 24] { hash = hash &* 31 &+ Int32(Int8(truncatingIfNeeded: frameCount >> shift)) }
      }
      return "data = length \(packet.byteCount + (isVorbis ? 4 : 0)), hash "
        + String(UInt32(bitPattern: hash), radix: 16, uppercase: true)
    }
    #expect(found == expected.map(String.init))
  }
}
