internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

/// The input of a `PacketReader`: the bytes, the place in them, and the choice of a driver.
struct PacketInput {
  /// The bytes. The packets are those of the whole, whatever the requested part.
  private(set) var opened: OpenedInput
  let preference: ReadingPreference
  /// The start of the stream in `source`: not 0 for a later link of a chained stream.
  let startByteOffset: Int64
  /// Seconds from the start of the first link to this one.
  let startSeconds: Double
  /// True if reads of `stream` must not block, as during playback.
  var mustNotBlock = false

  init(_ opened: OpenedInput, preference: ReadingPreference, link: StreamContinuation?) {
    (self.opened, self.preference) = (opened, preference)
    self.opened.segment = nil
    (startByteOffset, startSeconds) = (link?.byteOffset ?? 0, link?.seconds ?? 0)
  }

  var source: any ByteSource { opened.source }
  var stream: NetworkByteSource? { opened.stream }
  var file: PlayedFile? { opened.file }
  var typeHint: AudioFileTypeID? { opened.typeHint }

  /// True if bytes are missing, and calls must not wait for them.
  var isArriving: Bool { mustNotBlock && stream?.isComplete == false }

  /// True if a read of a file threw an error with `isWait`, and there is nothing new.
  var isFileAwaited: Bool { file?.isAwaited == true }

  /// True for a station: it has no end, and only its latest bytes are kept.
  var isLive: Bool { stream?.isLive == true }

  /// The oldest byte of a station that is kept.
  var oldestByteOffset: Int64? { isLive ? stream?.arrivedRanges.first?.lowerBound : nil }

  /// Blocks until a pipe has been read completely, without which it cannot be indexed. Does nothing if reads must not
  /// block.
  func waitForPipe() {
    if !mustNotBlock, let stream, stream.byteCount == nil, !stream.isLive { stream.waitUntilComplete() }
  }

  /// True if libavformat may read it after our own parsers failed with `error`.
  func mayUseLibrary(insteadOf error: TrackError) -> Bool {
    preference == .auto && startByteOffset == 0 && error.isUnknownFormat
  }

  /// The first supply to try, and the parser that can index the input, if it exists already.
  func openSupply() throws(ContainerError) -> (any PacketSupply, ReadingMethod, AudioFile?) {
    switch preference {
    case .file:
      let file = try openFile()
      return (FileSupply(file), .file, file)
    case .libav: return (try LibavSupply(source), .libav, nil)
    case .auto, .stream:
      return (StreamSupply(source: source, typeHint: typeHint, start: startByteOffset), .stream, nil)
    }
  }

  func openFile() throws(ContainerError) -> AudioFile {
    try AudioFile(source: source, typeHint: typeHint, start: startByteOffset)
  }
}
