public import AudioModel
public import AudioOutput
internal import SignalProcessing

/// Sound that is heard, as an endless stream: encoded, with silence while nothing plays, so that clients stay. In Ogg,
/// each title and each format begins a new link of the chain.
///
/// Does no I/O; time is an argument. One thread at a time.
public final class SoundStream {
  public struct Piece: Sendable, Hashable {
    /// Whole pages or packets; empty if none is complete yet.
    public var bytes: [UInt8] = []
    /// The bytes that a client who begins with this piece needs before it.
    public var header: [UInt8] = []
    /// The time to which the sound of this piece belongs.
    public var time = MonotonicTime.zero
  }

  private let format: StreamFormat
  private let bitRate: Int
  private var link: Link?
  private var linkCount: UInt32 = 0
  /// The format of the last sound, in which there is silence, too.
  private var source = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)
  private var title = StreamTitle()
  /// The end of the sound so far.
  private var end: MonotonicTime

  /// The longest silence for one call: a computer that was suspended has nothing to make up for.
  private static let longestSilence = 5.0
  /// Silence is encoded in parts of so many frames.
  private static let silentFrames = 1 << 14

  /// A stream that begins at `start`, with the first sound or silence.
  ///
  /// - Parameter bitRate: Bits per second, for the formats that lose something.
  public init(_ format: StreamFormat, bitRate: Int, start: MonotonicTime) {
    (self.format, self.bitRate, end) = (format, bitRate, start)
  }

  /// Encodes the frames that were heard since the last call, and silence where there was none.
  ///
  /// - Parameter isUnbroken: True if there was sound all the time. Otherwise the silence is where the frames say that
  ///   some are missing, or after them.
  public func encode(
    _ heard: [HeardFrames], isUnbroken: Bool, title: StreamTitle, until now: MonotonicTime
  ) throws(EncodingError) -> Piece {
    var piece = Piece(time: now)
    if title != self.title {
      self.title = title
      // A change of the format among the frames begins a link at its place.
      let isDueLater = format == .flac && heard.contains { $0.format != source }
      if link?.ogg != nil, !isDueLater { try endLink(&piece.bytes) }
    }
    piece.header = link?.header ?? []
    let seconds = heard.reduce(0) { $0 + $1.seconds }
    var silence = isUnbroken ? 0 : min(Self.longestSilence, max(0, (now - end).inSeconds - seconds))
    end = now
    for frames in heard {
      if !frames.follows {
        try encodeSilence(silence, &piece.bytes)
        silence = 0
      }
      if frames.format != source { try change(to: frames.format, &piece.bytes) }
      if link == nil { try beginLink(&piece.bytes) }
      try frames.bytes.span.withUnsafeBytes { (bytes) throws(EncodingError) in
        try link?.encode(bytes, into: &piece.bytes)
      }
    }
    try encodeSilence(silence, &piece.bytes)
    return piece
  }

  private func encodeSilence(_ seconds: Double, _ bytes: inout [UInt8]) throws(EncodingError) {
    guard seconds > 0 else { return }
    if link == nil { try beginLink(&bytes) }
    var frameCount = Int(seconds * Double(source.sampleRate))
    let silence = [UInt8](repeating: 0, count: min(frameCount, Self.silentFrames) * source.bytesPerFrame)
    while frameCount > 0 {
      let count = min(frameCount, Self.silentFrames)
      try silence.span.extracting(first: count * source.bytesPerFrame).withUnsafeBytes {
        (silence) throws(EncodingError) in try link?.encode(silence, into: &bytes)
      }
      frameCount -= count
    }
  }

  // MARK: Links

  /// Only FLAC has the format of the source.
  private func change(to new: PCMFormat, _ bytes: inout [UInt8]) throws(EncodingError) {
    source = new
    if format == .flac { try endLink(&bytes) } else { try link?.convert(from: new, into: &bytes) }
  }

  private func beginLink(_ bytes: inout [UInt8]) throws(EncodingError) {
    let encoder = try format.makeEncoder(for: source, bitRate: bitRate)
    linkCount += 1
    let new = try Link(encoder, title, serial: linkCount, source: source)
    bytes += new.header
    link = new
  }

  private func endLink(_ bytes: inout [UInt8]) throws(EncodingError) {
    try link?.encode(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, into: &bytes)
    link = nil
  }

  /// One logical stream.
  private final class Link {
    private let encoder: any SoundEncoder
    private var converter: PCMConverter
    private(set) var ogg: OggWriter?
    let header: [UInt8]

    init(_ encoder: any SoundEncoder, _ title: StreamTitle, serial: UInt32, source: PCMFormat) throws(EncodingError) {
      self.encoder = encoder
      converter = try Self.makeConverter(from: source, to: encoder.input)
      guard let headers = encoder.headers(title) else {
        header = []
        return
      }
      var ogg = OggWriter(serial: serial)
      header = ogg.start(headers)
      self.ogg = ogg
    }

    /// Ends the sound of one format; that of another follows.
    func convert(from source: PCMFormat, into bytes: inout [UInt8]) throws(EncodingError) {
      try encode(UnsafeRawBufferPointer(start: nil, count: 0), endsSource: true, into: &bytes)
      converter = try Self.makeConverter(from: source, to: encoder.input)
    }

    private static func makeConverter(from source: PCMFormat, to input: PCMFormat) throws(EncodingError) -> PCMConverter
    {
      do throws(PCMConverterError) { return try PCMConverter(from: source, to: input) } catch {
        throw .notConvertible(error.description)
      }
    }

    /// - Parameters:
    ///   - endsSource: True if other sound follows than this.
    ///   - isLast: True to end the link.
    func encode(
      _ frames: UnsafeRawBufferPointer, endsSource: Bool = false, isLast: Bool = false, into bytes: inout [UInt8]
    ) throws(EncodingError) {
      var converted: [UInt8] = []
      do throws(PCMConverterError) {
        try converter.convert(frames, isLast: endsSource || isLast, into: &converted)
      } catch {
        throw .notConvertible(error.description)
      }
      var packets: [EncodedPacket] = []
      try converted.span.withUnsafeBytes { (frames) throws(EncodingError) in
        try encoder.encode(frames, isLast: isLast, into: &packets)
      }
      guard ogg != nil else {
        for packet in packets { bytes += packet.bytes }
        return
      }
      if !packets.isEmpty || isLast { bytes += ogg?.pages(packets, isLast: isLast) ?? [] }
    }
  }
}
