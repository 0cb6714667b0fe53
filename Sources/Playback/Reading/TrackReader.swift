public import AudioModel
public import ByteIO
internal import Containers
internal import Decoding
public import Streaming

/// An input as PCM: packets, decoder and gapless trim in one. What the player plays and what `segue decode` writes come
/// from here, so they are the same samples.
///
/// One owner at a time, any thread. Calls block for reads only; `read` allocates per window of the file, not per
/// packet.
public final class TrackReader {
  let packets: PacketReader
  private let decoder: any AudioDecoder
  /// The part of the file that is the track; `nil` if it is all.
  public let segment: TrackSegment?
  /// One packet's frames, and which they are; of its bytes, those that were not given out yet.
  private var decoded = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var decodedFrames: Range<Int64> = 0..<0
  private var undelivered = 0..<0
  /// The frames to play, of the file, counted from the first of packet 0, and of the track.
  var fileAudible: Range<Int64> = 0..<0
  var audible: Range<Int64> = 0..<0
  /// True if reading begins where the track does: from the first packet on, or since a seek.
  private var isPlaced: Bool
  /// True if the next track of the file reads on, with the same packets and decoder.
  private var isContinued = false
  /// The start of reading: frames before it are decoded but not returned.
  private var start: Int64 = 0
  private var hasDecoded = false
  /// Frames that a cue sheet wants to be silent, and have not been read: before the track and after it.
  var silenceBefore: Int64 = 0
  var silenceAfter: Int64 = 0
  /// Packets in a row that could not be decoded, and why the first of all could not.
  private var failureCount = 0
  private var firstFailure: TrackError?

  /// Ends the track where a packet keeps a decoder busy for too long.
  var watch = PacketWatch()
  private var slowPacket: TrackError?

  /// So many in a row are taken for the end, about a second; for a failure where nothing was decoded before.
  private static let maximumFailureCount = 40

  /// Samples of one packet: 65,536 frames of 32 channels, or 2^18 of 8.
  private static let maximumDecodedByteCount = 1 << 23

  /// The layout of the samples that `read` returns.
  public var pcmFormat: PCMFormat { decoder.format }
  /// All that is known so far; refined by `read`, `seek` and `advanceIndex`.
  public var information: MediaInformation { segment?.applied(to: packets.information) ?? packets.information }
  /// The driver in use.
  public var method: ReadingMethod { packets.method }
  /// The damage in the part that was read so far; `nil` if there is none.
  public var damage: TrackDamage? { packets.damage.isEmpty ? nil : packets.damage }
  /// The number of frames to play, once that is known.
  public var frameCount: Int64? {
    let silence = pregapFrames + postgapFrames
    return audible.upperBound == .max ? nil : min(Int64(audible.count), .max - silence) + silence
  }
  /// True if `advanceIndex` has nothing more to do.
  public var isIndexed: Bool { packets.isIndexed }

  /// Opens an input and decodes nothing yet. `sampleFormat` `nil` is what suits the input: 16 bits for lossy ones.
  public convenience init(
    source: any ByteSource, typeHint: AudioFileTypeID? = nil, via preference: ReadingPreference = .auto,
    sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws(TrackError) {
    try self.init(PacketReader(source: source, typeHint: typeHint, via: preference), sampleFormat: sampleFormat)
  }

  /// Opens an input wherever it lies; blocks until the first packets are there. Where it is a track that follows
  /// `previous` in the same file, which was read to its end, it continues with that one's decoder. `continuation`: where
  /// another reader came to an end, as the encoding changes there.
  public convenience init(
    location: MediaLocation, via preference: ReadingPreference = .auto, sampleFormat: PCMFormat.SampleFormat? = nil,
    network: Network? = nil, continuing previous: TrackReader? = nil, from continuation: StreamContinuation? = nil
  ) throws(TrackError) {
    if let previous, let segment = try previous.following(location) {
      self.init(segment, continuing: previous)
    } else {
      try self.init(
        PacketReader(location: location, via: preference, network: network, from: continuation),
        sampleFormat: sampleFormat)
    }
  }

  /// Opens a network stream; blocks until the first packets are there. From then on nothing does: `arrival` is called,
  /// on another thread, when it is worth trying again what failed with `TrackError.isWait`.
  convenience init(
    stream: NetworkByteSource, name: String, segment: TrackSegment?, arrival: @escaping @Sendable () -> Void
  ) throws(TrackError) {
    let packets = try PacketReader(stream: stream, name: name)
    packets.segment = segment
    stream.doNotBlock(arrival: arrival)
    packets.mustNotBlock = true
    try self.init(packets, sampleFormat: nil)
  }

  /// Reads the next link of a chained stream, where `previous` has met the end of the one before; the decoder is another.
  /// `nil` if there is none. Throws a wait where bytes have not arrived and `previous` must not block.
  public convenience init?(
    behind previous: TrackReader, sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws(TrackError) {
    guard let packets = try previous.packets.readerOfNextLink() else { return nil }
    try self.init(packets, sampleFormat: sampleFormat)
  }

  /// Opens nothing: reads those packets.
  convenience init(_ packets: PacketReader, sampleFormat: PCMFormat.SampleFormat?) throws(TrackError) {
    let decoder: any AudioDecoder
    do throws(TrackError) { decoder = try Self.decoder(for: packets, sampleFormat) } catch {
      // A coding that has a decoder here is damaged, or its library is missing.
      guard !packets.information.formatList.contains(where: { AudioDecoders.formatIDs.contains($0.formatID) }) else {
        throw error
      }
      try packets.readByLibrary(insteadOf: error)
      decoder = try Self.decoder(for: packets, sampleFormat)
    }
    self.init(packets, decoder: decoder)
  }

  private static func decoder(
    for packets: PacketReader, _ sampleFormat: PCMFormat.SampleFormat?
  ) throws(TrackError) -> any AudioDecoder {
    let information = packets.information
    let decodable = information.formatList.first { AudioDecoders.formatIDs.contains($0.formatID) }
    guard let format = decodable ?? information.dataFormat else {
      throw .container(ContainerError(.unsupportedDataFormat, "the audio's format is not known"))
    }
    do throws(DecoderError) {
      return try AudioDecoders.decoder(
        for: format, magicCookie: information.magicCookie, channelMask: information.channelMask,
        sampleFormat: sampleFormat ?? packets.supply.usualSampleFormat)
    } catch { throw .decoder(error, byteOffset: information.dataOffset) }
  }

  /// Decodes with a decoder of one's own.
  init(_ packets: PacketReader, decoder: any AudioDecoder) {
    (self.packets, self.decoder, segment) = (packets, decoder, packets.segment)
    isPlaced = segment == nil
    updateAudible()
    start = audible.lowerBound
    (silenceBefore, silenceAfter) = (pregapFrames, postgapFrames)
  }

  /// Takes over from the track before in the same file, in the middle of a packet if it ended there.
  private init(_ segment: TrackSegment, continuing previous: TrackReader) {
    (packets, decoder, self.segment) = (previous.packets, previous.decoder, segment)
    isPlaced = true
    updateAudible()
    start = audible.lowerBound
    (silenceBefore, silenceAfter) = (pregapFrames, postgapFrames)
    (decoded, decodedFrames, hasDecoded) = (previous.decoded, previous.decodedFrames, previous.hasDecoded)
    undelivered = bytes(of: decodedFrames.clamped(to: audible))
    (previous.decoded, previous.isContinued) = (UnsafeMutableRawBufferPointer(start: nil, count: 0), true)
  }

  /// True if it reads the packets of another, which it took over.
  func continues(_ previous: TrackReader?) -> Bool { packets === previous?.packets }

  /// The track that `location` names, if what is read next is where that begins. Where the sheet lies on disk it is read;
  /// nothing is asked of a network.
  func following(_ location: MediaLocation) throws(TrackError) -> TrackSegment? {
    guard let segment, isPlaced, !isContinued, undelivered.isEmpty, silenceAfter == 0,
      packets.nextStartFrame == decodedFrames.upperBound, decodedFrames.contains(audible.upperBound - 1)
    else { return nil }
    let other = segment.other(location)
    let next = if let other { other } else { try TrackSegment.named(location, network: nil) }
    return next?.location == segment.location && next?.start == segment.end ? next : nil
  }

  deinit { decoded.deallocate() }

  // MARK: Reading

  /// Fills `output` with as many frames as it holds and returns their bytes: fewer only before the end or a failure, 0
  /// only at the end.
  public func read(into output: UnsafeMutableRawBufferPointer) throws(TrackError) -> Int {
    if !isPlaced { try begin() }
    let capacity = output.count - output.count % pcmFormat.bytesPerFrame
    var count = silence(&silenceBefore, into: output[..<capacity])
    while count < capacity {
      do throws(TrackError) {
        if undelivered.isEmpty, try !decodeNext() {
          count += silence(&silenceAfter, into: output[count..<capacity])
          break
        }
      } catch {
        // Frames that are there come first; the next call meets the failure again.
        if count == 0 { throw error }
        break
      }
      let part = undelivered.prefix(capacity - count)
      output[count...].copyBytes(from: decoded[part])
      undelivered = part.upperBound..<undelivered.upperBound
      count += part.count
    }
    return count
  }

  /// Decodes packets until one has frames to be heard; false at the end.
  private func decodeNext() throws(TrackError) -> Bool {
    while undelivered.isEmpty {
      if let slowPacket { throw slowPacket }
      // Behind its end another track begins, which may continue with the next packet.
      if audible.upperBound < fileAudible.upperBound, packets.nextStartFrame >= audible.upperBound { return false }
      guard failureCount < Self.maximumFailureCount, let packet = try packets.next() else {
        if let firstFailure, !hasDecoded { throw firstFailure }
        return false
      }
      let frames = packet.startFrame..<(packet.startFrame + Int64(packet.description.frameCount))
      // Headers may claim too little; whether they do can be told by looking for packets behind.
      if frames.upperBound > fileAudible.upperBound { completeIndex() }
      let heard = frames.clamped(to: min(start, audible.upperBound)..<audible.upperBound)
      guard frames.lowerBound < audible.upperBound else { continue }
      try decode(packet)
      decodedFrames = frames
      undelivered = bytes(of: heard)
    }
    return true
  }

  /// Decodes a packet; silence if that fails. Throws if it claims more frames than any packet has.
  private func decode(_ packet: PacketReader.Packet) throws(TrackError) {
    var description = packet.description
    description.frameCount += description.droppedFrameCount
    let byteCount = byteCount(Int64(description.frameCount))
    guard byteCount <= Self.maximumDecodedByteCount else {
      throw .container(
        ContainerError(
          .invalidFile, at: packet.description.byteOffset,
          "\(packet.description.frameCount) frames in one packet are too many"))
    }
    if decoded.count < byteCount {
      decoded.deallocate()
      decoded = .allocate(byteCount: byteCount, alignment: 16)
    }
    if description.beginsLink { decoder.reset() } else if packet.isAfterGap { decoder.noteGap() }
    var frameCount = 0
    watch.start()
    do throws(DecoderError) {
      frameCount = try packets.withBytes { bytes throws(DecoderError) in
        try decoder.decode(bytes, description, into: decoded)
      }
      (hasDecoded, failureCount) = (true, 0)
    } catch {
      // Packets of no bytes stand for missing ones, which say nothing of those behind.
      if packet.description.byteCount > 0 {
        failureCount += 1
        firstFailure = firstFailure ?? .decoder(error, byteOffset: packet.description.byteOffset)
      }
      packets.damage.damage(at: packet.description.byteOffset)
    }
    if watch.isOverdue {
      slowPacket = .decoder(
        DecoderError(.badPacket, "this packet takes more than \(Int(DecodingLimits.seconds)) s to decode"),
        byteOffset: packet.description.byteOffset)
    }
    let end = frameCount * pcmFormat.bytesPerFrame
    UnsafeMutableRawBufferPointer(rebasing: decoded[end..<byteCount]).initializeMemory(as: UInt8.self, repeating: 0)
    let dropped = self.byteCount(Int64(description.droppedFrameCount))
    if dropped > 0 { decoded.copyMemory(from: UnsafeRawBufferPointer(rebasing: decoded[dropped..<byteCount])) }
  }

  /// The place of these frames in `decoded`.
  private func bytes(of frames: Range<Int64>) -> Range<Int> {
    byteCount(frames.lowerBound - decodedFrames.lowerBound)..<byteCount(frames.upperBound - decodedFrames.lowerBound)
  }

  func byteCount(_ frameCount: Int64) -> Int { Int(frameCount) * pcmFormat.bytesPerFrame }

  // MARK: Other places

  /// `seek` without the silence around the track.
  func seekInFile(toFrame frame: Int64) throws(TrackError) -> Int64 {
    var target = packetFrame(frame)
    try packets.extendIndex(beyondFrame: target)
    updateAudible()
    if target > fileAudible.upperBound { completeIndex() }
    target = min(target, audible.upperBound)
    if let framesPerPacket = information.dataFormat?.framesPerPacket, framesPerPacket > 0 {
      let preroll = max(packets.prerollPacketCount, decoder.prerollPacketCount)
      let first = max(0, target / Int64(framesPerPacket) - Int64(preroll))
      try packets.seek(toPacket: first - first % Int64(decoder.resetInterval))
    } else {
      try packets.seek(toFrame: max(0, target - Int64(packets.prerollFrameCount)))
    }
    decoder.reset()
    (start, undelivered, failureCount, decodedFrames) = (target, 0..<0, 0, 0..<0)
    (isPlaced, isContinued) = (true, false)
    return target - audible.lowerBound
  }

  /// True if a seek to that frame looks for packets first, however long that takes: `advanceIndex` does it in slices.
  public func needsIndex(toSeekTo frame: Int64) -> Bool {
    let target = packetFrame(max(0, frame) - pregapFrames)
    return !isIndexed && !packets.isArriving && (target >= packets.knownFrameCount || target > fileAudible.upperBound)
  }

  /// True if the next `read` looks for packets first, as a seek would: the track begins in the midst of a file.
  public var needsIndexToBegin: Bool { !isPlaced && needsIndex(toSeekTo: 0) }

  /// Goes to where the track begins in its file.
  private func begin() throws(TrackError) {
    _ = try seekInFile(toFrame: 0)
    guard let segment, audible.isEmpty else { return }
    throw .container(
      ContainerError(.invalidFile, "the track begins \(segment.start.seconds) s into the file, behind its end"))
  }

  /// The listener's frame `frame`, counted from the first of packet 0; at most the track's end.
  func packetFrame(_ frame: Int64) -> Int64 {
    let range = placedSegment ?? audible.lowerBound..<(.max)
    let (sum, isTooMuch) = max(0, frame).addingReportingOverflow(range.lowerBound)
    return isTooMuch ? .max : min(sum, range.upperBound)
  }

  /// True if `advanceIndex` can do something now.
  var isRefinable: Bool { !isIndexed && !packets.isArriving }

  /// If the next bytes are gone, continues with the oldest that are there. Returns the frame that `read` gives next,
  /// and the seconds between, about; `nil` if nothing is gone.
  func passLoss() throws(TrackError) -> (frame: Int64, seconds: Double)? {
    guard packets.isLive, let seconds = try packets.passLoss() else { return nil }
    decoder.reset()
    (start, undelivered, failureCount) = (packets.nextStartFrame, 0..<0, 0)
    return (start - audible.lowerBound, seconds)
  }

  /// Looks for packets further on, a slice at a time: exact durations and quick seeks come of it. To be called when
  /// there is nothing better to do, until `isIndexed`. Returns whether `information` changed.
  public func advanceIndex() -> Bool {
    defer { updateAudible() }
    return packets.advanceIndex()
  }

  private func completeIndex() {
    guard !isIndexed else { return }
    packets.completeIndex()
    updateAudible()
  }
}
