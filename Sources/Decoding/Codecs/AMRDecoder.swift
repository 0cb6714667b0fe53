internal import AudioModel
internal import CAMR

/// AMR, narrow and wide band, by opencore-amr, 3GPP's own code: comfort noise included.
///
/// A packet holds one frame or more, each after its byte of contents as in AMR's file format (RFC 4867, section 5.3).
final class AMRDecoder: AudioDecoder {
  let format: PCMFormat
  private let library: segue_amr_functions
  /// Bytes of a frame by its type, that first one included; 0 for types that are not used.
  private let byteCounts: [Int]
  private let framesPerFrame: Int
  private var state: UnsafeMutableRawPointer?

  /// A decoder of `stream`, which must have one of the two formats.
  init(_ stream: AudioStreamBasicDescription) throws(DecoderError) {
    let isWideBand = stream.formatID == .amrWB
    (byteCounts, framesPerFrame) = isWideBand ? (wideBand, 320) : (narrowBand, 160)
    guard stream.channelsPerFrame == 1, stream.sampleRate == (isWideBand ? 16000 : 8000) else {
      throw DecoderError(.formatNotSupported, "AMR of \(stream.sampleRate) Hz, \(stream.channelsPerFrame) channels")
    }
    let library = try (isWideBand ? libopencoreAMRWB : libopencoreAMRNB).required().pointee
    format = try PCMFormat(decoding: stream, to: .s16)
    (self.library, state) = (library, library.`init`())
  }

  deinit { library.exit(state) }

  /// The wide band's noise above 6.4 kHz comes from a generator of 65,536 states that moves 320 of them with each
  /// frame: after 1024 it is where a reset puts it.
  var resetInterval: Int { format.sampleRate == 16000 ? 1024 : 1 }

  /// Speech depends on earlier speech: after at most three seconds the output is identical.
  var prerollPacketCount: Int { 150 }

  func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    guard state != nil else { throw DecoderError(.outOfMemory, "opencore-amr has no memory") }
    let capacity = format.frameCount(description, in: output)
    let samples = output.assumingMemoryBound(to: Int16.self)
    var frame = 0
    packet.withUnsafeBytes { bytes in
      var bytes = bytes[...]
      while let contents = bytes.first, frame + framesPerFrame <= capacity {
        // PFFFFQPP   F frame type   Q undamaged
        let byteCount = byteCounts[Int(contents >> 3 & 15)]
        guard 1...bytes.count ~= byteCount else { return }
        let start = UnsafeRawBufferPointer(rebasing: bytes).bindMemory(to: UInt8.self).baseAddress
        library.decode(state, start, samples.baseAddress.map { $0 + frame }, contents & 4 == 0 ? 1 : 0)
        bytes = bytes.dropFirst(byteCount)
        frame += framesPerFrame
      }
    }
    guard frame > 0 else { throw DecoderError(.badPacket, "no whole AMR frame") }
    return frame
  }

  func reset() {
    library.exit(state)
    state = library.`init`()
  }
}

// 3GPP TS 26.101 and 26.201, annex A: bits of each mode, then of silence; 15 says that nothing was sent, 14 that it was
// lost.
private let narrowBand = [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1]
private let wideBand = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1]

/// The functions of libopencore-amrnb and -amrwb. The first decoder loads them.
let libopencoreAMRNB = LateLibrary(SEGUE_AMRNB, segue_amrnb_load)
let libopencoreAMRWB = LateLibrary(SEGUE_AMRWB, segue_amrwb_load)
