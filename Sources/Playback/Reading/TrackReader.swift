public import AudioModel
public import ByteIO
internal import Containers
internal import Decoding
public import Streaming

/// An input as PCM: reads packets, decodes them and trims priming and remainder. The player and `segue decode` both
/// read from it, so their samples are the same.
///
/// One owner at a time, any thread. Calls block for reads only; `read` allocates per window of the file, not per
/// packet.
public final class TrackReader {
  let packets: PacketReader
  let decoding: PacketDecoder
  /// The part of the file that is the track; `nil` for the whole file.
  public let segment: TrackSegment?
  /// The bytes of the decoded packet that were not returned yet.
  private var undelivered = 0..<0
  /// The frames to play of the file and of the track, counted from the first frame of packet 0.
  var fileAudible: Range<Int64> = 0..<0
  var audible: Range<Int64> = 0..<0
  /// True if the reader stands at or after the start of the track.
  private var hasBegun: Bool
  /// True if the next track of the file reads on, with the same packets and decoder.
  private var isContinued = false
  /// Frames before this one are decoded and not returned.
  private var start: Int64 = 0
  /// Frames of silence that a cue sheet requires before and after the track, and that were not returned yet.
  var silenceBefore: Int64 = 0
  var silenceAfter: Int64 = 0

  /// The loudness tags, with those at the end of a file, where a stream parser has not been yet. Reads them once.
  private(set) lazy var gainTags: TrackTags.Gain = {
    let tags = information.tags.gain
    guard tags == TrackTags.Gain(), method == .stream, packets.input.file != nil else { return tags }
    return (try? packets.wholeInformation().tags.gain) ?? tags
  }()

  /// The layout of the samples that `read` returns.
  public var pcmFormat: PCMFormat { decoding.decoder.format }
  /// The known information; refined by `read`, `seek` and `advanceIndex`.
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

  /// Opens an input and decodes nothing yet. `sampleFormat` `nil`: the format that suits the input, 16 bits for lossy
  /// ones.
  public convenience init(
    source: any ByteSource, typeHint: AudioFileTypeID? = nil, via preference: ReadingPreference = .auto,
    sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws(TrackError) {
    try self.init(PacketReader(source: source, typeHint: typeHint, via: preference), sampleFormat: sampleFormat)
  }

  /// Opens an input of any kind; blocks until the first packets are there. If it is the track after `previous` in the
  /// same file, and `previous` was read to its end, it continues with the same decoder. `continuation`: the place at
  /// which another reader ended because the encoding changes there.
  public convenience init(
    location: MediaLocation, part: TrackPart? = nil, typeHint: AudioFileTypeID? = nil,
    via preference: ReadingPreference = .auto, sampleFormat: PCMFormat.SampleFormat? = nil,
    network: Network? = nil, continuing previous: TrackReader? = nil, from continuation: StreamContinuation? = nil
  ) throws(TrackError) {
    if let previous, let segment = previous.following(location, part) {
      self.init(segment, continuing: previous)
    } else {
      try self.init(
        PacketReader(
          location: location, part: part, typeHint: typeHint, via: preference, network: network, from: continuation),
        sampleFormat: sampleFormat)
    }
  }

  /// Later calls do not block for long: they throw an error with `isWait`, and `arrival` is called on another thread when
  /// it is worth trying again.
  func stopBlocking(patience: TimeSpan, arrival: @escaping @Sendable () -> Void) {
    packets.stopBlocking(patience: patience, arrival: arrival)
  }

  /// Opens a network stream; blocks until the first packets are there. Later calls do not block: they throw an error
  /// with `isWait`, and `arrival` is called on another thread when it is worth trying again.
  convenience init(
    stream: NetworkByteSource, name: String, typeHint: AudioFileTypeID? = nil, segment: TrackSegment?,
    arrival: @escaping @Sendable () -> Void
  ) throws(TrackError) {
    let packets = try PacketReader(OpenedInput(stream: stream, name: name, typeHint: typeHint, segment: segment))
    packets.stopBlocking(arrival: arrival)
    try self.init(packets, sampleFormat: nil)
  }

  /// Reads the next link of a chained stream with a decoder of its own, after `previous` has reached the end of its
  /// link. `nil` if there is none. Throws an error with `isWait` if bytes are missing and `previous` must not block.
  public convenience init?(
    behind previous: TrackReader, sampleFormat: PCMFormat.SampleFormat? = nil
  ) throws(TrackError) {
    guard let packets = try previous.packets.readerOfNextLink() else { return nil }
    try self.init(packets, sampleFormat: sampleFormat)
  }

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

  /// Decodes with a given decoder.
  init(_ packets: PacketReader, decoder: any AudioDecoder) {
    (self.packets, decoding, segment) = (packets, PacketDecoder(decoder), packets.segment)
    hasBegun = segment == nil
    updateAudible()
    start = audible.lowerBound
    (silenceBefore, silenceAfter) = (pregapFrames, postgapFrames)
  }

  /// Continues after the previous track of the same file, in the middle of a packet if that track ended there.
  private init(_ segment: TrackSegment, continuing previous: TrackReader) {
    (packets, decoding, self.segment) = (previous.packets, previous.decoding, segment)
    hasBegun = true
    updateAudible()
    start = audible.lowerBound
    (silenceBefore, silenceAfter) = (pregapFrames, postgapFrames)
    decoding.beginTrack()
    undelivered = decoding.bytes(of: decoding.frames.clamped(to: audible))
    previous.isContinued = true
  }

  /// True if it has taken over the packets of `previous`.
  func continues(_ previous: TrackReader?) -> Bool { packets === previous?.packets }

  /// The track at `location`, if it begins at the frame that is read next, and is to be played whole. Reads nothing.
  func following(_ location: MediaLocation, _ part: TrackPart?) -> TrackSegment? {
    guard part == nil, let segment, hasBegun, !isContinued, undelivered.isEmpty, silenceAfter == 0,
      packets.nextStartFrame == decoding.frames.upperBound, decoding.frames.contains(audible.upperBound - 1),
      let next = segment.other(location), next.location == segment.location, next.start == segment.end
    else { return nil }
    return next
  }

  // MARK: Reading

  /// Fills `output` with as many frames as it holds and returns their bytes: fewer only before the end or a failure, 0
  /// only at the end.
  public func read(into output: UnsafeMutableRawBufferPointer) throws(TrackError) -> Int {
    if !hasBegun { try begin() }
    let capacity = output.count - output.count % pcmFormat.bytesPerFrame
    var count = silence(&silenceBefore, into: output[..<capacity])
    while count < capacity {
      do throws(TrackError) {
        if undelivered.isEmpty, try !decodeNext() {
          count += silence(&silenceAfter, into: output[count..<capacity])
          break
        }
      } catch {
        // Returns the frames before the failure first; the next call fails again.
        if count == 0 { throw error }
        break
      }
      let part = undelivered.prefix(capacity - count)
      output[count...].copyBytes(from: decoding.samples[part])
      undelivered = part.upperBound..<undelivered.upperBound
      count += part.count
    }
    return count
  }

  /// Decodes packets until one has frames to return; false at the end.
  private func decodeNext() throws(TrackError) -> Bool {
    while undelivered.isEmpty {
      if let slowPacket = decoding.slowPacket { throw slowPacket }
      // After the end another track begins, which may continue with the next packet.
      if audible.upperBound < fileAudible.upperBound, packets.nextStartFrame >= audible.upperBound { return false }
      guard let packet = try decoding.next(of: packets) else { return false }
      let frames = packet.frames
      // Headers may promise too few frames: the index finds the rest.
      if frames.upperBound > fileAudible.upperBound { extendAudible(to: frames.upperBound) }
      let heard = frames.clamped(to: min(start, audible.upperBound)..<audible.upperBound)
      guard frames.lowerBound < audible.upperBound else { continue }
      try decoding.decode(packet, of: packets)
      undelivered = decoding.bytes(of: heard)
    }
    return true
  }

  // MARK: Seeking

  /// `seek` without the silence around the track.
  func seekInFile(toFrame frame: Int64) throws(TrackError) -> Int64 {
    followGrowth()
    var target = packetFrame(frame)
    try packets.extendIndex(beyondFrame: target)
    updateAudible()
    if target > fileAudible.upperBound { completeIndex() }
    target = min(target, audible.upperBound)
    if let framesPerPacket = information.dataFormat?.framesPerPacket, framesPerPacket > 0 {
      let preroll = max(packets.prerollPacketCount, decoding.decoder.prerollPacketCount)
      let first = max(0, target / Int64(framesPerPacket) - Int64(preroll))
      try packets.seek(toPacket: first - first % Int64(decoding.decoder.resetInterval))
    } else {
      try packets.seek(toFrame: max(0, target - Int64(packets.prerollFrameCount)))
    }
    decoding.reset()
    (start, undelivered) = (target, 0..<0)
    (hasBegun, isContinued) = (true, false)
    return target - audible.lowerBound
  }

  /// True if a seek to that frame has to index packets first, however long that takes: `advanceIndex` does it in
  /// slices.
  public func needsIndex(toSeekTo frame: Int64) -> Bool {
    let target = packetFrame(max(0, frame) - pregapFrames)
    guard !isIndexed, !packets.input.isArriving else { return false }
    return target >= packets.knownFrameCount || target > fileAudible.upperBound
  }

  /// True if the next `read` has to index packets first, as the track begins in the middle of a file.
  public var needsIndexToBegin: Bool { !hasBegun && needsIndex(toSeekTo: 0) }

  /// Seeks to the start of the track in its file.
  private func begin() throws(TrackError) {
    _ = try seekInFile(toFrame: 0)
    guard let segment, audible.isEmpty else { return }
    throw .container(
      ContainerError(.invalidFile, "the track begins \(segment.start.seconds) s into the file, behind its end"))
  }

  /// A frame of the track, counted from the first frame of packet 0; at most the track's end.
  func packetFrame(_ frame: Int64) -> Int64 {
    let range = segmentFrames ?? audible.lowerBound..<(.max)
    let (sum, isTooMuch) = max(0, frame).addingReportingOverflow(range.lowerBound)
    return isTooMuch ? .max : min(sum, range.upperBound)
  }

  /// A file that has grown since all of it was indexed has an end that is not known. Nothing else looks at its size while
  /// no window is read.
  func followGrowth() {
    packets.followGrowth()
    if !isIndexed { updateAudible() }
  }

  /// True if `advanceIndex` can do something now.
  var isRefinable: Bool { !isIndexed && !packets.input.isArriving && !packets.input.isFileAwaited }

  /// If the next bytes of a station are lost, continues with the oldest kept ones. Returns the frame that `read`
  /// returns next, and about how many seconds are lost; `nil` if nothing is lost.
  func passLoss() throws(TrackError) -> (frame: Int64, seconds: Double)? {
    guard packets.input.isLive, let seconds = try packets.passLoss() else { return nil }
    decoding.reset()
    (start, undelivered) = (packets.nextStartFrame, 0..<0)
    return (start - audible.lowerBound, seconds)
  }

  /// Indexes a slice of the input, for exact durations and quick seeks. To be called when there is nothing else to do,
  /// until `isIndexed`. Returns true if `information` changed.
  public func advanceIndex() -> Bool {
    defer { updateAudible() }
    return packets.advanceIndex()
  }

  private func completeIndex() {
    guard !isIndexed else { return }
    packets.completeIndex()
    updateAudible()
  }

  /// There are more frames than the headers promise, or the file has grown.
  private func extendAudible(to frame: Int64) {
    updateAudible()
    if frame > fileAudible.upperBound { completeIndex() }
    // A file that grows, or whose disk does not answer, cannot be indexed to its end now. What a stream's headers say of
    // its end stays true while it arrives.
    if !isIndexed, packets.input.file != nil, frame > fileAudible.upperBound {
      fileAudible = fileAudible.lowerBound..<frame
      audible = segmentFrames?.clamped(to: fileAudible) ?? fileAudible
    }
  }
}
