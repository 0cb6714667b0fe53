public import AudioModel

/// Which formats can be decoded here, and by what: the only place that knows the decoders by name.
public enum AudioDecoders {
  /// Formats that `decoder(for:sampleFormat:)` takes (kAudioFormatProperty_DecodeFormatIDs, CONTRACTS 001-21).
  public static let formatIDs: Set<AudioFormatID> = [.mpegLayer1, .mpegLayer2, .mpegLayer3]

  /// A decoder for packets of `format`, giving samples as `sampleFormat`: `nil` is what suits the format best.
  ///
  /// Throws `'fmt?'` for a format that no decoder here takes.
  public static func decoder(
    for format: AudioStreamBasicDescription, sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws(DecoderError) -> any AudioDecoder {
    switch format.formatID {
    case .mpegLayer1, .mpegLayer2, .mpegLayer3:
      return try MPG123Decoder(format, sampleFormat: sampleFormat ?? .s16)
    default:
      throw DecoderError(.formatNotSupported, "no decoder for '\(format.formatID)'")
    }
  }
}
