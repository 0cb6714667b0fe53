internal import AudioModel
internal import CFAAD

/// libfaad's functions. The first decoder loads them.
let libfaad = LateLibrary(SEGUE_FAAD, faad_load)

/// Owns one `NeAACDecHandle`.
final class FAADHandle: AACHandle {
  private let handle: NeAACDecHandle
  private let faad: faad_functions
  /// The library's output: its own buffer is too small if replication shows up late (2.10.1 writes past it).
  private let samples: UnsafeMutableRawBufferPointer

  /// Opens the library for a stream. Throws `'fmt?'` if it is not there or refuses.
  init(_ config: [UInt8], sampleFormat: PCMFormat.SampleFormat) throws(DecoderError) {
    let faad = try libfaad.required().pointee
    handle = try open(faad, config, sampleFormat)
    self.faad = faad
    samples = .allocate(byteCount: 2048 * 8 * 4, alignment: 16)
  }

  deinit {
    faad.Close(handle)
    samples.deallocate()
  }

  /// Decodes the block that `bytes` begins with.
  func decode(_ bytes: UnsafeRawBufferPointer) throws(DecoderError) -> AACBlock {
    // The library does not write to it, it only lacks the word that says so.
    let start = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    guard let start, !bytes.isEmpty else { throw DecoderError(.badPacket, "an AAC packet without bytes") }
    var info = NeAACDecFrameInfo()
    var target = samples.baseAddress
    _ = faad.Decode2(handle, &info, start, UInt(bytes.count), &target, UInt(samples.count))
    guard info.error == 0 else {
      let message = faad.GetErrorMessage(info.error).map { String(cString: $0) } ?? "error \(info.error)"
      throw DecoderError(lacking.contains(info.error) ? .formatNotSupported : .badPacket, "libfaad: \(message)")
    }
    var positions = InlineArray<8, UInt8>(repeating: 0)
    withUnsafeBytes(of: info.channel_position) { for index in 0..<8 { positions[index] = $0[index] } }
    return AACBlock(
      samples: info.samples > 0 ? target : nil, frameCount: Int(info.samples) / max(1, Int(info.channels)),
      channelCount: Int(info.channels), byteCount: Int(info.bytesconsumed),
      isReplicated: info.sbr == SBR_UPSAMPLED, isParametric: info.ps != 0, positions: positions)
  }
}

/// Its errors for what it was built without (libfaad/error.c): channel coupling, long-term prediction.
private let lacking: Set<UInt8> = [6, 26]

private func open(
  _ faad: faad_functions, _ config: [UInt8], _ sampleFormat: PCMFormat.SampleFormat
) throws(DecoderError) -> NeAACDecHandle {
  guard let handle = faad.Open() else { throw DecoderError(.outOfMemory, "libfaad: no memory") }
  if let settings = faad.GetCurrentConfiguration(handle) {
    settings.pointee.outputFormat = sampleFormat.encoding
    // Else streams up to 24 kHz would be doubled whether they have spectral band replication or not.
    settings.pointee.dontUpSampleImplicitSBR = 1
    _ = faad.SetConfiguration(handle, settings)
  }
  var (rate, channelCount, config) = (UInt(), UInt8(), config)
  guard faad.Init2(handle, &config, UInt(config.count), &rate, &channelCount) >= 0 else {
    faad.Close(handle)
    throw DecoderError(.formatNotSupported, "libfaad cannot decode this kind of AAC")
  }
  return handle
}

extension PCMFormat.SampleFormat {
  fileprivate var encoding: UInt8 {
    switch self {
    case .s16: UInt8(FAAD_FMT_16BIT)
    case .s24in32: UInt8(FAAD_FMT_24BIT)
    case .s32: UInt8(FAAD_FMT_32BIT)
    case .f32: UInt8(FAAD_FMT_FLOAT)
    }
  }
}
