public import AudioModel
public import ByteIO

extension TrackTags {
  /// The tags of a source whether or not its audio can be read: those that a parser meets until it is refused, those at
  /// the end (APEv2, ID3v1, ID3v2), and those of DSF, DSDIFF, ASF and AVI. Throws if reading fails.
  public static func readable(
    _ source: any ByteSource, typeHint: AudioFileTypeID? = nil
  ) throws(ContainerError) -> TrackTags {
    let parser = ProbingParser(typeHint: typeHint, totalByteCount: source.byteCount)
    let cursor = PacketCursor(parser, source: source)
    do throws(ContainerError) {
      while let found = try cursor.next(), found.event != .ready {}
    } catch { if error.cause != nil { throw error } }
    try cursor.readElsewhere()
    let tags = try cursor.parser.information.tags.filled(from: TrailingTags.read(from: source)?.tags ?? TrackTags())
      .filled(from: TrailingTags.readDSF(from: source))
      .filled(from: TrailingTags.readDSDIFF(from: source))
      .filled(from: ASFTags.read(from: source))
      .filled(from: AVITags.read(from: source))
    var texts = TagTexts()
    return texts.read(tags)
  }
}
