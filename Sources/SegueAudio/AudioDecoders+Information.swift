extension AudioDecoders {
  /// A decoder for a file or stream, by the information of its parser: for the richest layout that has a decoder.
  /// `sampleFormat` `nil`: the format that suits the input. Throws as
  /// `decoder(for:magicCookie:channelMask:sampleFormat:)`.
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
