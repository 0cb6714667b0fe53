internal import AudioModel

/// The meaning of chunks in a file format; `ChunkedParser` goes through them for it.
protocol ChunkedForm {
  /// Bytes before the first chunk.
  var headerByteCount: Int { get }
  /// Bytes of the audio chunk's content before the audio.
  static var audioHeaderByteCount: Int { get }
  /// The layout of chunks; asked for once `begin` was called.
  var layout: ChunkLayout { get }
  /// The tags of the chunks; `ChunkedParser` adds ID3.
  var tags: TrackTags { get }

  /// Looks at the bytes before the first chunk. Throws 'typ?' if they are of another format.
  mutating func begin(_ header: RawSpan, at offset: Int64) throws(ContainerError)

  /// The treatment of a chunk. Throws 'dta?' if it is not allowed here.
  func purpose(of chunk: Chunk) throws(ContainerError) -> ChunkPurpose

  /// Takes the content of a chunk: all of it, or for `.parts` the next part, which ends it if `isLast`. For `.tags` the
  /// content may be cut anywhere.
  mutating func read(_ content: RawSpan, of chunk: Chunk, isLast: Bool) throws(ContainerError)

  /// Takes the header of the chunk that holds the audio. Returns where the audio lies; its end is `nil` if only the end
  /// of the stream tells.
  mutating func locateAudio(
    _ header: RawSpan, of chunk: Chunk
  ) throws(ContainerError) -> (start: Int64, end: Int64?)

  /// A parser for the audio alone; `nil` if that takes a chunk that was not read yet. If `isFinal`, there are no more.
  func audioParser(isFinal: Bool) throws(ContainerError) -> (any ContainerParser)?

  /// Adds facts to those of the audio's own parser.
  func complete(_ information: inout MediaInformation)
}

/// The treatment of a chunk's content.
enum ChunkPurpose {
  /// To be skipped.
  case none
  /// To be read as a whole, unless it is longer than `maximumByteCount`.
  case whole
  /// To be read as far as it is there, at most its first `maximumTagByteCount`.
  case tags
  /// To be read as it comes.
  case parts
  /// An ID3v2 tag.
  case id3
  case audio

  /// Longer chunks are skipped instead of being read as a whole.
  static let maximumByteCount: Int64 = 0x10000
  /// More tags are not read. A driver's window has more (`ParserStep.maximumByteCount`).
  static let maximumTagByteCount: Int64 = 0x80000
}
