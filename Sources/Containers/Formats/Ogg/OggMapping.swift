internal import AudioModel

/// The packets of a codec in an Ogg stream: headers first, then audio.
protocol OggMapping {
  /// The information of the headers, once they are complete.
  var information: MediaInformation { get }

  /// True if all headers were read.
  var isComplete: Bool { get }

  /// Reads bytes of a header packet, which begin `offset` bytes into the file, and may begin or end the packet.
  mutating func readHeader(
    _ bytes: RawSpan, at offset: Int64, begins: Bool, ends: Bool
  ) throws(ContainerError)

  /// Reads the headers from one piece, as Matroska has them.
  ///
  /// - Parameter channelCount: Channels by the container, for a codec whose headers are missing.
  mutating func readHeaders(_ bytes: RawSpan, channelCount: Int, at offset: Int64) throws(ContainerError)

  /// Takes the next packet, of which `bytes` are at least the first 255; `nil` if it is not audio.
  mutating func take(_ bytes: RawSpan) -> OggPacket?

  /// Continues with another packet: `state` describes the packets before it, 0 if they are unknown.
  mutating func resume(_ state: Int32)

  /// Expects the first packet of a link that follows another one.
  mutating func beginLink()

  /// Frames that affect the following ones.
  var overlapFrameCount: Int { get }

  /// The part of the headers that a decoder depends on, if they are complete: streams with the same can share one.
  var decoderSetup: [UInt8] { get }
}

extension OggMapping {
  mutating func resume(_ state: Int32) {}
  mutating func beginLink() {}
  var overlapFrameCount: Int { 0 }
}

struct OggPacket {
  var frameCount: Int
  /// Discarded frames before those.
  var droppedFrameCount = 0
  /// True if a decoder starts again with it.
  var beginsLink = false
  /// Its first frame, if the packet states it.
  var firstFrame: Int64?
  /// The state that a reader needs which begins with this packet.
  var resumeState: Int32 = 0
}

/// The codec of a stream in Ogg, by its first packet.
enum OggCodec {
  case playable(any OggMapping)
  case other(String)

  init(firstPacket bytes: RawSpan) {
    self =
      if let row = Self.mappings.first(where: { $0.marks.contains { bytes.has($0) } }) {
        .playable(row.make())
      } else {
        .other(Self.others.first { bytes.has($0.mark, at: $0.index) }?.name ?? "an unknown codec")
      }
  }

  /// The mapping of a codec, before its headers; `nil` if Ogg does not have it.
  static func mapping(of id: AudioFormatID) -> (any OggMapping)? { mappings.first { $0.id == id }?.make() }

  /// The first bytes of their first packets.
  private static let mappings: [(id: AudioFormatID, marks: [StaticString], make: @Sendable () -> any OggMapping)] = [
    (.vorbis, ["\u{1}vorbis"], { VorbisMapping() }), (.opus, ["OpusHead"], { OpusMapping() }),
    (.flac, ["\u{7f}FLAC", "fLaC"], { FLACMapping() }),
  ]

  private static let others: [(mark: StaticString, index: Int, name: String)] = [
    ("Speex   ", 0, "Speex"), ("CELT    ", 0, "CELT"), ("PCM     ", 0, "PCM"), ("audio", 1, "OGM audio"),
    ("fishead", 0, "Skeleton"), ("theora", 1, "Theora"), ("video", 1, "OGM video"), ("text", 1, "OGM text"),
    ("kate", 1, "Kate"), ("BBCD", 0, "Dirac"), ("OVP80", 0, "VP8"), ("CMML", 0, "CMML"),
  ]
}
