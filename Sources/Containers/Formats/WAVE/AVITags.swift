internal import AudioModel
internal import ByteIO

/// The `INFO` list of AVI (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0", RIFF), of which
/// libavformat knows a few names.
enum AVITags {
  /// The tags of a source; empty for other formats. Passes over the audio and the video.
  static func read(from source: any ByteSource) throws(ContainerError) -> TrackTags {
    let form = try source.bytes(at: 0, byteCount: 12)
    guard form.span.bytes.has("RIFF"), form.span.bytes.has("AVI ", at: 8), let end = source.byteCount else {
      return TrackTags()
    }
    var tags = TrackTags()
    var position: Int64 = 12
    for _ in 0..<maximumChunkCount where position <= end - 12 {
      // Name, size u32, and the type of a list.
      let header = try source.bytes(at: position, byteCount: 12)
      guard header.count == 12 else { break }
      let byteCount = Int64(header.span.bytes.littleEndian32(at: 4))
      if header.span.bytes.has("LIST"), header.span.bytes.has("INFO", at: 8) {
        let content = try source.bytes(
          at: position + 8, byteCount: Int(min(byteCount, ChunkPurpose.maximumTagByteCount)))
        tags.fill(from: RIFFInfo.tags(in: content.span.bytes, .little))
      }
      position += 8 + byteCount + byteCount % 2
    }
    return tags
  }

  private static let maximumChunkCount = 1000
}
