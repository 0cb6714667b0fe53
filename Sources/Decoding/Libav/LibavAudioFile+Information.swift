public import AudioModel
internal import ByteIO
internal import CLibav

// The known information on the input.
extension LibavAudioFile {
  /// Format, length and place of the audio, as far as they are known, without tags.
  public var information: MediaInformation {
    var information = MediaInformation()
    let demuxer = pipeline.demuxer
    information.fileType = AudioFileTypeID(FourCharCode(padding: demuxer.formatName))
    var format = pcm
    if !demuxer.codecName.hasPrefix("pcm_") {
      format = AudioStreamBasicDescription(
        sampleRate: pcm.sampleRate, formatID: LibavFormats.formatID(codec: demuxer.codecName),
        channelsPerFrame: pcm.channelsPerFrame)
    }
    // Packets of one size would be mistaken for frames.
    (format.framesPerPacket, format.bytesPerPacket) = (0, 0)
    (information.dataFormat, information.formatList) = (format, [pcm])
    information.channelMask = layout.channelMask
    information.dataOffset = dataOffset
    information.frameCount = frameCount ?? promisedFrameCount ?? facts.frameCount
    information.promisedFrameCount = promisedFrameCount
    information.isEndDeclared = promisedFrameCount != nil
    (information.duration, information.durationIsEstimated) = duration
    information.bitRate = bitRate(seconds: information.duration)
    return information
  }

  /// The layout of the samples of chunks.
  public var pcm: AudioStreamBasicDescription { layout.description }

  /// True if the samples are those that were encoded, bit by bit.
  public var isLossless: Bool { LibavFormats.isLossless(codec: pipeline.demuxer.codecName) }

  /// True if the samples were a delta-sigma converter's bits, which libavcodec gives at an eighth of their rate.
  public var isDSD: Bool { LibavFormats.isDSD(codec: pipeline.demuxer.codecName) }

  /// Frames of all packets, once all were decoded or the last one was.
  public var frameCount: Int64? { index.isComplete ? index.frameCount : nil }

  /// The same as the header says, where frames are numbered.
  public var promisedFrameCount: Int64? {
    let stream = pipeline.demuxer.stream
    guard isNumbered, stream.duration > 0 else { return nil }
    return Int64(saturating: seconds(stream.duration, stream.time_base) * pcm.sampleRate)
  }

  private var duration: (seconds: Double?, isEstimated: Bool) {
    if let frames = frameCount ?? promisedFrameCount ?? facts.frameCount {
      return (Double(frames) / pcm.sampleRate, false)
    }
    let (stream, whole) = (pipeline.demuxer.stream, pipeline.demuxer.duration)
    if stream.duration > 0 { return (seconds(stream.duration, stream.time_base), true) }
    if whole > 0 { return (Double(whole) / Double(AV_TIME_BASE), true) }
    guard let all = sourceByteCount, index.byteCount > 0 else { return (nil, true) }
    // The overhead between packets is taken to be the same everywhere.
    let share = Double(pipeline.byteOffset - dataOffset) / Double(max(1, all - dataOffset))
    return share > 0 ? (Double(index.frameCount) / pcm.sampleRate / share, true) : (nil, true)
  }

  private func seconds(_ time: Int64, _ base: AVRational) -> Double {
    Double(time) * Double(base.num) / Double(max(1, base.den))
  }

  private func bitRate(seconds: Double?) -> Int? {
    if let declared = pipeline.demuxer.claims?.bitRate, declared > 0 { return Int(declared) }
    if index.byteCount > 0, index.frameCount > 0 {
      return Int(Double(index.byteCount) * 8 * pcm.sampleRate / Double(index.frameCount))
    }
    guard let seconds, seconds > 0, let sourceByteCount else { return nil }
    return Int(min(Double(sourceByteCount) * 8 / seconds, 1e12))
  }

  // MARK: Tags

  /// The tags, by libavformat's names for the fields: those of the whole input, and those of the stream.
  public var metadata: [[(name: String, value: String)]] {
    [pairs(pipeline.demuxer.metadata), pairs(pipeline.demuxer.stream.metadata)]
  }

  /// Parts of the piece.
  public var chapters: [TrackTags.Chapter] {
    pipeline.demuxer.chapters.prefix(10_000).compactMap { chapter in
      guard let chapter = chapter?.pointee else { return nil }
      let title = pairs(chapter.metadata).first { $0.name.lowercased() == "title" }?.value ?? ""
      return TrackTags.Chapter(start: max(0, seconds(chapter.start, chapter.time_base)), title: title)
    }
  }

  private func pairs(_ dictionary: OpaquePointer?) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while pairs.count < 1000 {
      entry = pipeline.demuxer.library.av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)
      guard let entry, let name = entry.pointee.key, let value = entry.pointee.value else { break }
      pairs.append((String(cString: name), String(cString: value)))
    }
    return pairs
  }

  /// The pictures that are stored before the audio in one piece. Reads that part of the source.
  public func findPictures() throws(LibavError) -> [TrackTags.Artwork] {
    var pictures: [TrackTags.Artwork] = []
    let demuxer = pipeline.demuxer
    for (stream, fields) in demuxer.streams.map({ ($0, demuxer.fields(of: $0)) })
    where fields.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 {
      let picture = fields.attached_pic
      guard let data = picture.data, picture.size > 16 else { continue }
      let bytes = UnsafeBufferPointer(start: data, count: Int(picture.size))
      guard let offset = try offset(of: bytes, before: dataOffset) else { continue }
      let mimeType = Self.mimeTypes[demuxer.codecName(of: stream)] ?? "image/"
      pictures.append(TrackTags.Artwork(byteOffset: offset, byteCount: bytes.count, mimeType: mimeType))
    }
    return pictures
  }

  private static let mimeTypes = [
    "mjpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "bmp": "image/bmp", "webp": "image/webp",
    "tiff": "image/tiff",
  ]
}

extension Int64 {
  /// The nearest integer to `value`, 0 for NaN.
  fileprivate init(saturating value: Double) {
    self = value.isNaN ? 0 : Int64(Swift.max(-0x1p62, Swift.min(value.rounded(), 0x1p62)))
  }
}
