import AudioModel
import ByteIO
import Containers
import Testing

@Suite(.enabled(if: Corpus.isPresent, "no corpus: set SEGUE_CORPUS")) struct `Frames of other projects` {
  @Test(arguments: Corpus.frames) func `yields the expected rate, channels and frames by both drivers`(
    row: Corpus.Row
  ) throws {
    guard let (transcript, stream, file) = try Corpus.driven(row) else { return }
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
}
