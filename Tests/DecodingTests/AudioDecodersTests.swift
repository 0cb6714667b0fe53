import AudioModel
import Testing

@testable import Decoding

@Suite struct AudioDecodersTests {
  @Test(arguments: CarriedCodec.table.map(\.id))
  func `each codec of the table has a decoder`(id: AudioFormatID) {
    let format = AudioStreamBasicDescription(sampleRate: 8000, formatID: id, channelsPerFrame: 1)
    do throws(DecoderError) { _ = try AudioDecoders.decoder(for: format) } catch {
      #expect(!error.reason.hasPrefix("no decoder"))
    }
  }
}
