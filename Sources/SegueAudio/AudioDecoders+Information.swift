extension AudioDecoders {
  /// A decoder for a file or stream, by what its parser found: of the layouts that can be decoded here, the richest.
  /// `sampleFormat` `nil` is what suits the format. Throws as `decoder(for:magicCookie:channelMask:sampleFormat:)`.
  public static func decoder(
    for information: MediaInformation, sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws(DecoderError) -> any AudioDecoder {
    let decodable = information.formatList.first { formatIDs.contains($0.formatID) }
    guard let format = decodable ?? information.dataFormat else {
      throw DecoderError(.formatNotSupported, "the format is not known before the headers are read")
    }
    return try decoder(
      for: format, magicCookie: information.magicCookie, channelMask: information.channelMask,
      sampleFormat: sampleFormat)
  }
}
