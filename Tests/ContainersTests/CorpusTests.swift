import AudioModel
import ByteIO
import Containers
import Testing

@Suite(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS")) struct `Frames of other projects` {
  @Test(arguments: Corpus.frames) func `yields the expected rate, channels and frames by both drivers`(
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
    let file = try AudioFile(source: AwkwardSource(bytes))
    #expect(try file.advanceIndex())
    for information in [stream.information, file.information] {
      let format = try #require(information.dataFormat)
      #expect(format.sampleRate == row.rate)
      #expect(format.channelsPerFrame == row.channels)
      let raw = (information.packetCount ?? 0) * Int64(format.framesPerPacket)
      // The last frame of this one is incomplete: it cannot be decoded, but it held only padding.
      let isIncomplete = row.path.hasSuffix("incompletempegframe.mp3")
      #expect(raw == (isIncomplete ? 5760 : row.rawFrames))
      #expect(information.packetTable?.validFrames ?? raw == row.frames)
      #expect(information.duration == Double(row.frames ?? 0) / format.sampleRate)
      #expect(!information.durationIsEstimated)
    }
    let (packets, hashes) = try pulled(file)
    #expect(packets == transcript.packets)
    #expect(hashes == transcript.hashes)
  }

  @Test(arguments: [
    ("bear-id3.mp3", "bear-id3.mp3.id3-enabled.0.dump"),
    ("bear-vbr-vbri-header.mp3", "bear-vbr-vbri-header.mp3.0.dump"),
    ("bear-vbr-xing-header.mp3", "bear-vbr-xing-header.mp3.0.dump"),
    ("test-cbr-info-header.mp3", "test-cbr-info-header.mp3.0.dump"),
    ("bear-vbr-xing-header.mp3", "bear-vbr-xing-header.mp3.unknown_length.dump"), ("sample.adts", "sample.adts.0.dump"),
    ("sample_nb.amr", "sample_nb.amr.0.dump"), ("sample_wb.amr", "sample_wb.amr.0.dump"),
  ]) func `yields the packets that ExoPlayer yields`(name: String, dump: String) {
    let folder = Corpus.folder + "/androidx-media/"
    let (transcript, _) = pushed(Corpus.contents(of: folder + name))
    let lines = String(decoding: Corpus.contents(of: folder + "dumps/" + dump), as: UTF8.self).split(separator: "\n")
    let samples = lines.map { $0.drop { $0 == " " } }
    let expected = zip(samples, samples.dropFirst()).filter { $0.hasPrefix("flags") && $1.hasPrefix("data = length") }
    let found = zip(transcript.packets, transcript.hashes).map { packet, hash in
      "data = length \(packet.byteCount), hash \(String(UInt32(bitPattern: hash), radix: 16, uppercase: true))"
    }
    #expect(found == expected.map { String($1) })
  }
}
