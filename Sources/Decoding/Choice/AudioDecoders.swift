public import AudioModel

/// The formats that can be decoded here, and their decoders: the only place that knows the decoders by name.
///
/// A magic cookie (`MediaInformation.magicCookie`) is the setup data that a decoder needs besides the format. The
/// parsers give it one of these forms, whatever its form in the file:
/// - AAC: an AudioSpecificConfig (ISO/IEC 14496-3 1.6.2.1); none for ADTS, where the format is enough.
/// - ALAC: ALACSpecificConfig, 24 bytes (or 48 with a channel layout after it).
/// - FLAC: `fLaC` and the STREAMINFO block with its header, 42 bytes.
/// - Vorbis: the three header packets as Matroska laces them: `02`, the sizes of the first two in Xiph lacing, the
/// packets.
/// - Opus: the `OpusHead` packet, little endian.
/// - Microsoft ADPCM: the bytes after `cbSize` in WAVE's `fmt `: samples per block, number of coefficients,
///   coefficients.
///
/// Only libmpg123 is linked. Each other library is opened for the first decoder that needs it, and stays open,
/// which takes 1 ms at most, but 15 ms and 16 MB for AC-3. Decoders of our own have no such cost.
public enum AudioDecoders {
  /// The formats that `decoder(for:)` supports (kAudioFormatProperty_DecodeFormatIDs).
  public static let formatIDs = Set(CarriedCodec.table.map(\.id))

  /// The libraries that decode here. Opens them all, which takes some 20 ms and 20 MB. Any thread.
  public static var libraries: [SharedLibrary] {
    [
      libmpg123, libFLAC.opened, libvorbis.opened, libopus.opened, libfaad.opened, libavcodec.opened,
      libavformat.opened, libopencoreAMRNB.opened, libopencoreAMRWB.opened,
    ]
  }

  /// A decoder for packets of `format` that returns samples in `sampleFormat`. `nil`: 16 bits for lossy formats, else
  /// as many bits as the source has.
  ///
  /// `channelMask`: the speakers by the container, 0 if it does not define them. Throws `'fmt?'` for a format without a
  /// decoder, or with an invalid cookie.
  public static func decoder(
    for format: AudioStreamBasicDescription, magicCookie: [UInt8]? = nil, channelMask: UInt32 = 0,
    sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws(DecoderError) -> any AudioDecoder {
    switch format.formatID {
    case .mpegLayer1, .mpegLayer2, .mpegLayer3:
      return try MPG123Decoder(format, sampleFormat: sampleFormat ?? .s16)
    case .linearPCM:
      return try LinearPCMDecoder(format, channelMask: channelMask, sampleFormat: sampleFormat)
    case .aLaw, .uLaw:
      return try CompandedDecoder(format, channelMask: channelMask).giving(sampleFormat)
    case .appleIMA4, .dviIntelIMA, .microsoftADPCM:
      return try adpcmDecoder(format, magicCookie, channelMask).giving(sampleFormat)
    case .ac3, .enhancedAC3:
      return try AC3Decoder(format, channelMask: channelMask, sampleFormat: sampleFormat ?? .s16)
    case .amr, .amrWB:
      return try AMRDecoder(format).giving(sampleFormat)
    case .aac, .aacHE, .aacHEv2:
      return try AACDecoder(
        format, magicCookie: magicCookie, channelMask: channelMask, sampleFormat: sampleFormat ?? .s16)
    case .appleLossless:
      return try ALACDecoder(format, magicCookie: magicCookie, sampleFormat: sampleFormat)
    case .flac: return try FLACDecoder(magicCookie: magicCookie, channelMask: channelMask, sampleFormat: sampleFormat)
    case .vorbis: return try VorbisDecoder(magicCookie: magicCookie, sampleFormat: sampleFormat ?? .s16)
    case .opus:
      return try OpusDecoder(magicCookie: magicCookie, channelMask: channelMask, sampleFormat: sampleFormat ?? .s16)
    default:
      throw DecoderError(.formatNotSupported, "no decoder for '\(format.formatID)'")
    }
  }
}
