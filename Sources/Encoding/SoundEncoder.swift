public import AudioModel

/// An encoder of one codec. One owner, any thread.
public protocol SoundEncoder: AnyObject {
  /// The layout of the frames that it takes.
  var input: PCMFormat { get }
  /// The format of the packets, the magic cookie for their decoder, the size that none exceeds, and the frames to drop
  /// at the start (`primingFrames`).
  var information: MediaInformation { get }
  /// The packets that begin a logical stream of Ogg; `nil` for codecs that need no container.
  func headers(_ title: StreamTitle) -> [[UInt8]]?
  /// Encodes whole frames; adds the packets that are complete.
  ///
  /// - Parameter isLast: True to complete the last packet, too. The encoder takes no more frames then.
  func encode(_ frames: UnsafeRawBufferPointer, isLast: Bool, into packets: inout [EncodedPacket])
    throws(EncodingError)
}

public struct EncodedPacket: Sendable, Hashable {
  public var bytes: [UInt8]
  /// The number of frames of the stream up to its end, as Ogg counts them for its codec.
  var granule: Int64
  /// The number of frames that it decodes to; 0 for the headers of a stream.
  public var frameCount = 0
}

extension MediaInformation {
  /// The facts of a stream of encoded packets.
  init(
    _ format: AudioStreamBasicDescription, magicCookie: [UInt8]? = nil, packetSizeUpperBound: Int,
    primingFrames: Int = 0
  ) {
    self.init()
    (dataFormat, self.magicCookie, self.primingFrames) = (format, magicCookie, primingFrames)
    self.packetSizeUpperBound = packetSizeUpperBound
  }
}

public struct StreamTitle: Sendable, Hashable {
  /// Empty if unknown.
  public var title: String
  /// Empty if unknown.
  public var artist: String

  public init(title: String = "", artist: String = "") { (self.title, self.artist) = (title, artist) }

  /// `Artist - Title`, or as much of it as is known.
  public var line: String { [artist, title].filter { !$0.isEmpty }.joined(separator: " - ") }

  /// A Vorbis comment header without packet type and framing bit (Vorbis I 5.2.1), as Opus and FLAC have it.
  var comments: [UInt8] {
    let fields = [("TITLE", title), ("ARTIST", artist)].filter { !$0.1.isEmpty }.map { "\($0.0)=\($0.1)" }
    var bytes: [UInt8] = []
    func add(_ text: String) {
      bytes.append(little: UInt32(clamping: text.utf8.count))
      bytes += text.utf8
    }
    add("segue")
    bytes.append(little: UInt32(fields.count))
    for field in fields { add(field) }
    return bytes
  }
}

extension [UInt8] {
  /// Adds a number, low byte first.
  mutating func append<Number: FixedWidthInteger>(little number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  /// Adds a number, high byte first.
  mutating func append<Number: FixedWidthInteger>(big number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
