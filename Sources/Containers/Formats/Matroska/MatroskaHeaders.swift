internal import AudioModel

/// The facts in the elements around the clusters of Matroska: info, tracks, tags, chapters, attachments and cues.
struct MatroskaHeaders {
  /// Pictures that are kept.
  private static let maximumPictureCount = 64

  /// The first content of a `Segment`: positions in it are counted from there.
  var segmentStart: Int64 = 0
  private(set) var title = ""
  /// In units of the segment; 0 if it is unknown.
  private(set) var duration = 0.0
  /// Nanoseconds in a unit of time (TimestampScale).
  private(set) var nanosecondsPerUnit: Int64 = 1_000_000
  /// The track that is played, and its codec.
  private(set) var track: MatroskaTrack?
  private(set) var codec: MatroskaCodec?
  private(set) var chapters = MatroskaChapters()
  var cues = MatroskaCues()
  private var tags = MatroskaTags()
  private var artwork: [TrackTags.Artwork] = []
  /// The name and type of the attachment that is being read.
  private var attachment = (name: "", mimeType: "")

  /// The tags and pictures, without chapters.
  var trackTags: TrackTags {
    var tags = tags.tags(title: title)
    tags.artwork = artwork
    return tags
  }

  /// True if an element is read as a whole.
  static func isRead(_ id: UInt32, in parent: UInt32) -> Bool {
    switch (parent, id) {
    case (MatroskaID.segment, MatroskaID.info), (MatroskaID.segment, MatroskaID.tracks),
      (MatroskaID.segment, MatroskaID.chapters), (MatroskaID.tags, MatroskaID.tag),
      (MatroskaID.cues, MatroskaID.cuePoint), (MatroskaID.attachedFile, MatroskaID.fileName),
      (MatroskaID.attachedFile, MatroskaID.fileMediaType):
      true
    default: false
    }
  }

  /// Reads the content of an element. `isReady`: the first packet was found, which settles the meaning of times.
  mutating func read(
    _ id: UInt32, _ content: RawSpan, at offset: Int64, isReady: Bool
  ) throws(ContainerError) {
    switch id {
    case MatroskaID.info: if !isReady { readInfo(content) }
    case MatroskaID.tracks: if track == nil { try readTracks(content, at: offset) }
    case MatroskaID.chapters: chapters.read(content)
    case MatroskaID.tag: tags.read(content, trackUID: track?.uid ?? 0)
    case MatroskaID.cuePoint: cues.read(content, trackNumber: track?.number ?? 0, segmentStart: segmentStart)
    case MatroskaID.fileName: attachment.name = content.ebmlString
    case MatroskaID.fileMediaType: attachment.mimeType = content.ebmlString
    default: break
    }
  }

  private mutating func readInfo(_ content: RawSpan) {
    content.forEachElement { id, content in
      switch id {
      case MatroskaID.timestampScale:
        nanosecondsPerUnit = max(1, min(content.ebmlInteger, 1_000_000_000_000))
      case MatroskaID.duration: duration = max(0, min(content.ebmlFloat, 0x1p50))
      case MatroskaID.title: title = content.ebmlString
      default: break
      }
    }
  }

  /// Selects the first playable track: default tracks before others, enabled tracks before all.
  private mutating func readTracks(_ content: RawSpan, at offset: Int64) throws(ContainerError) {
    var (best, refusal) = (-1, nil as ContainerError?)
    content.forEachElement { id, content in
      guard id == MatroskaID.trackEntry, case let entry = MatroskaTrack(content), entry.isAudio else { return }
      do throws(ContainerError) {
        let rank = (entry.isEnabled ? 2 : 0) + (entry.isDefault ? 1 : 0)
        let found = try MatroskaCodec(entry, at: offset)
        if rank > best { (track, codec, best) = (entry, found, rank) }
      } catch { refusal = refusal ?? error }
    }
    if track == nil {
      throw refusal ?? ContainerError(.unsupportedDataFormat, at: offset, "there is no audio track")
    }
  }

  /// Adds the picture at `offset`, whose name and type were read before it.
  mutating func addArtwork(at offset: Int64, byteCount: Int64) {
    defer { attachment = ("", "") }
    guard attachment.mimeType.hasPrefix("image/"), artwork.count < Self.maximumPictureCount, byteCount > 0 else {
      return
    }
    let picture = TrackTags.Artwork(
      byteOffset: offset, byteCount: Int(clamping: byteCount), mimeType: attachment.mimeType)
    // RFC 9559 21.2: `cover.jpg` is the cover, `small_cover.jpg` and others are further pictures.
    let isCover = attachment.name.hasPrefix("cover.")
    artwork.insert(picture, at: isCover ? 0 : artwork.count)
  }
}
