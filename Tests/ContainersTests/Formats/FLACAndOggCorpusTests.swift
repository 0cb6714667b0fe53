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
    guard let (transcript, stream, file) = try Corpus.driven(row) else { return }
    #expect(transcript.error == nil)
    #expect(transcript.skips.isEmpty)
    let opened = file.information
    #expect(try file.advanceIndex())
    // Exact as soon as the file is open, by the headers or the last bytes.
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
}
