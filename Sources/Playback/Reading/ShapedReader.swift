public import AudioModel
public import ByteIO
public import SignalProcessing
internal import Threads

/// A `TrackReader` with the listener's sound settings applied: gain, equaliser, balance. The player and `segue decode`
/// read from it.
///
/// One owner at a time, any thread.
public final class ShapedReader {
  /// Sound settings with their processor, and the fade from the settings before.
  private struct Layer {
    var settings: SoundSettings
    /// `nil`: every sample stays as it is.
    var processor: SoundProcessor?
    /// The gain of the track; the processor may have that of the next track already.
    var gain: TrackGain?
    /// The fade from the layer before, and its first frame.
    var fade: Crossfade
    var start: Int64
    /// True if the processor has got the frames by which it is late, so that it returns the next one.
    var isFilled = false
    /// True if the next track continues with the processor.
    var isGivenAway = false

    /// Frames by which its samples are late.
    var latency: Int { processor?.latencyFrames ?? 0 }
  }

  /// The reader of the track. Only this type may read and seek it.
  public let reader: TrackReader
  private let source: ConvertedReader
  private let location: MediaLocation
  private let measuredGain: MeasuredGain?
  /// The last layer has the current settings; the others fade out.
  private var layers: [Layer] = []
  /// The frame that is processed next, before `target` while bytes for the filters to settle on are missing.
  private var position: Int64 = 0
  private var target: Int64 = 0
  /// Unprocessed frames from `position` on: late effects need those that follow.
  private var ahead: [UInt8] = []
  /// The reader of the next track, if it is open and in the same stream: late effects, and a change of the rate, need
  /// its first frames for the last ones of this track.
  var next: ShapedReader? { didSet { source.next = next?.source } }
  /// The number of its frames that the processor has got.
  private var joinedFrames = 0
  /// Frames behind the end of the track that were read.
  private var tailFrame = 0
  private var load = ProcessingLoad()
  /// True if the loudness tags were looked up, including those at the end of a file.
  private var hasLookedForTags = false
  private var tags = TrackTags.Gain()

  /// The measured loudness of a file; `nil` if it is not known. Called on the reader's thread: it may read a disk.
  public typealias MeasuredGain = @Sendable (BytePath) -> TrackTags.Gain?

  /// Processes the frames of a reader that was just opened at `location`, and that may continue after `previous`.
  ///
  /// - Parameters:
  ///   - streamFormat: The format of the samples; that of the reader if `nil`, or if the conversion is impossible.
  ///   - measuredGain: Called once for a file without tags of loudness, if the settings need them.
  public init(
    _ reader: TrackReader, of location: MediaLocation, format streamFormat: PCMFormat? = nil,
    settings: SoundSettings = SoundSettings(), measuredGain: MeasuredGain? = nil,
    continuing previous: ShapedReader? = nil
  ) {
    (self.reader, self.location, self.measuredGain) = (reader, location, measuredGain)
    source = ConvertedReader(reader, to: streamFormat ?? reader.pcmFormat)
    layers = [layer(settings, from: 0)]
    // The state of the filters continues across the boundary. A late effect has got silence for what follows.
    if let previous, reader.continues(previous.reader), previous.format == format, previous.settings == settings,
      previous.gain == gain, let last = previous.layers.last, last.latency == 0
    {
      layers[0].processor = last.processor
    }
  }

  /// The sound settings; a change begins with the next frame read, at once.
  public var settings: SoundSettings {
    get { layers.last?.settings ?? SoundSettings() }
    set { if newValue != settings { layers = [layer(newValue, from: 0)] } }
  }

  /// The gain that loudness tags and settings give the track.
  public var gain: TrackGain? { layers.last?.gain }

  /// The format of the samples. Frames count in its rate.
  public var format: PCMFormat { source.format }
  /// The number of frames, once that is known.
  var frameCount: Int64? { source.frameCount }
  /// The frame of the track that sounds at a frame.
  func trackFrame(of frame: Int64) -> Int64 { source.trackFrame(of: frame) }
  /// The frames for those of the track.
  func frames(ofTrack frames: Range<Int64>) -> Range<Int64> {
    source.frame(ofTrack: frames.lowerBound)..<source.frame(ofTrack: frames.upperBound)
  }
  /// If the next bytes of a station are lost, continues as `TrackReader.passLoss`.
  func passLoss() throws(TrackError) -> (frame: Int64, seconds: Double)? { try source.passLoss() }

  /// The frame that is read next.
  var nextFrame: Int64 { max(position, target) }

  /// Changes the sound settings from a frame on, with a fade of 20 ms against clicks. The same settings again: moves
  /// the fade to another frame.
  func fade(to settings: SoundSettings, atFrame frame: Int64) {
    if layers.count > 1, settings == self.settings {
      layers[layers.count - 1].start = frame
    } else if settings != self.settings {
      // Layers that are faded out at that frame, and fades after it, are dropped.
      layers = layers.prefix(1) + layers.dropFirst().filter { $0.start < frame }
      layers.removeFirst(layers.lastIndex { $0.start + $0.fade.frameCount <= frame } ?? 0)
      layers.append(layer(settings, from: frame))
    }
  }

  /// Completes all fades at once.
  func endFades() { layers.removeFirst(max(0, layers.count - 1)) }

  private func layer(_ settings: SoundSettings, from start: Int64) -> Layer {
    var processor: SoundProcessor?
    // No output plays other rates, and effects need memory in proportion to them.
    if settings != SoundSettings(), 1...768_000 ~= format.sampleRate {
      if settings.gainMode != .off { lookForTags() }
      processor = SoundProcessor(settings, tags: tags, format: format)
    }
    let fade = Crossfade(.linear, frameCount: Int64(format.sampleRate / 50), format: format)
    return Layer(settings: settings, processor: processor, gain: processor?.gain, fade: fade, start: start)
  }

  private func lookForTags() {
    guard !hasLookedForTags else { return }
    hasLookedForTags = true
    tags = reader.gainTags
    guard tags.track == nil, tags.album == nil, let path = location.libraryPath else { return }
    if let measured = measuredGain?(path) { tags = measured }
  }

  /// Reads as `TrackReader.read`.
  public func read(into output: UnsafeMutableRawBufferPointer) throws(TrackError) -> Int {
    try settleFilters()
    return try readOn(into: output)
  }

  private func readOn(into output: UnsafeMutableRawBufferPointer) throws(TrackError) -> Int {
    let size = format.bytesPerFrame
    let latency = (layers.lazy.map(\.latency).max() ?? 0) * size
    guard latency > 0 || !ahead.isEmpty else {
      let byteCount = try source.read(into: output)
      return shape(UnsafeMutableRawBufferPointer(rebasing: output[..<byteCount]))
    }
    let wanted = output.count - output.count % size
    let isAtEnd: Bool
    do throws(TrackError) {
      isAtEnd = try readAhead(byteCount: wanted + latency)
    } catch {
      // Returns the frames that have arrived first; the next call fails again.
      guard ahead.count > latency else { throw error }
      isAtEnd = false
    }
    let byteCount = min(wanted, ahead.count - (isAtEnd ? 0 : latency))
    ahead.withUnsafeBytes { output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<byteCount])) }
    return shape(UnsafeMutableRawBufferPointer(rebasing: output[..<byteCount]))
  }

  /// Reads until so many bytes are there. Returns true at the end of the track.
  private func readAhead(byteCount: Int) throws(TrackError) -> Bool {
    while ahead.count < byteCount {
      let before = ahead.count
      ahead += repeatElement(0, count: byteCount - before)
      let result = ahead.withUnsafeMutableBytes { bytes in
        Result { () throws(TrackError) in
          try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[before...]))
        }
      }
      ahead.removeLast(byteCount - before - ((try? result.get()) ?? 0))
      if try result.get() == 0 { return true }
    }
    return false
  }

  /// True if effects sound on behind the last frame.
  var hasTail: Bool { tailFrame < layers.last?.processor?.tailFrames ?? 0 }

  /// Reads what effects make of the silence behind the last frame. Returns the number of bytes, 0 at the end.
  func readTail(into output: UnsafeMutableRawBufferPointer) -> Int {
    let size = format.bytesPerFrame
    let frameCount = min(output.count / size, (layers.last?.processor?.tailFrames ?? 0) - tailFrame)
    guard frameCount > 0 else { return 0 }
    let bytes = UnsafeMutableRawBufferPointer(rebasing: output[..<(frameCount * size)])
    for index in bytes.indices { bytes[index] = 0 }
    tailFrame += frameCount
    return shape(bytes)
  }

  /// The effects at work; `nil` if none changes anything.
  var effects: EffectsAtWork? {
    guard let processor = layers.last?.processor, processor.hasEffects else { return nil }
    let rate = Double(format.sampleRate)
    return EffectsAtWork(
      latency: Double(processor.latencyFrames) / rate, tail: Double(processor.tailFrames) / rate,
      processorPercent: load.percent)
  }

  /// Processes the next frames, which `bytes` has unprocessed. Returns their bytes.
  private func shape(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    let size = format.bytesPerFrame
    defer {
      ahead.removeFirst(min(bytes.count, ahead.count))
      position += Int64(bytes.count / size)
    }
    guard let last = layers.last, layers.count > 1 || last.processor != nil else { return bytes.count }
    let begin = MonotonicTime.now
    let end = layers.count > 1 ? last.start + last.fade.frameCount : 0
    let fadeCount = Int(max(0, min(Int64(bytes.count / size), end - position)))
    if fadeCount > 0 { fade(UnsafeMutableRawBufferPointer(rebasing: bytes[..<(fadeCount * size)])) }
    process(layers.count - 1, UnsafeMutableRawBufferPointer(rebasing: bytes[(fadeCount * size)...]), after: fadeCount)
    load.add(
      MonotonicTime.now - begin, ofSeconds: Double(bytes.count / size) / Double(format.sampleRate))
    return bytes.count
  }

  /// Processes frames by one layer, `offset` frames after the next. A late one gets those that follow instead.
  private func process(_ index: Int, _ bytes: UnsafeMutableRawBufferPointer, after offset: Int) {
    let (layer, frame) = (layers[index], position + Int64(offset))
    guard layer.latency > 0 else { layer.processor?.process(bytes, firstFrame: frame); return }
    let size = format.bytesPerFrame
    if !layer.isFilled {
      layers[index].isFilled = true
      var first = [UInt8](repeating: 0, count: layer.latency * size)
      first.withUnsafeMutableBytes { feed(index, $0, from: offset, firstFrame: max(0, frame - Int64(layer.latency))) }
    }
    feed(index, bytes, from: offset + layer.latency, firstFrame: frame)
  }

  /// Processes the unprocessed frames from `offset` frames after the next: those that were read ahead, then those of
  /// the next track, else silence.
  private func feed(_ index: Int, _ bytes: UnsafeMutableRawBufferPointer, from offset: Int, firstFrame: Int64) {
    let (size, processor) = (format.bytesPerFrame, layers[index].processor)
    let known = ahead.dropFirst(offset * size).prefix(bytes.count)
    bytes.copyBytes(from: known)
    processor?.process(UnsafeMutableRawBufferPointer(rebasing: bytes[..<known.count]), firstFrame: firstFrame)
    let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[known.count...])
    guard !rest.isEmpty else { return }
    rest.initializeMemory(as: UInt8.self, repeating: 0)
    if let next, next.follows(self), let coming = next.layers[0].processor {
      joinedFrames += next.copyFirst(after: joinedFrames, into: rest)
      processor?.adoptGain(of: coming)
    }
    processor?.process(rest, firstFrame: firstFrame + Int64(known.count / size))
  }

  // MARK: The next track

  /// True if the last frames are not complete without the first ones of the next track.
  var joins: Bool { source.resamples || layers.last?.latency ?? 0 > 0 }

  /// True if nothing was read yet, and the effects of `previous` can continue.
  private func follows(_ previous: ShapedReader) -> Bool {
    nextFrame == 0 && format == previous.format && settings == previous.settings
      && layers.count == 1 && previous.layers.count == 1 && layers[0].processor?.hasEffects == true
  }

  /// Copies unprocessed frames. Returns their number: fewer at the end, and where bytes have not arrived.
  private func copyFirst(after first: Int, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let start = first * format.bytesPerFrame
    // An error is found in its turn.
    _ = try? readAhead(byteCount: start + bytes.count)
    let frames = ahead.dropFirst(start).prefix(bytes.count)
    bytes.copyBytes(from: frames)
    return frames.count / format.bytesPerFrame
  }

  /// Continues the effects of the track before, which was read to its end: their state, and their sound.
  func continueEffects(of previous: ShapedReader) {
    guard previous !== self, follows(previous), let processor = previous.layers[0].processor,
      let own = layers[0].processor, previous.tailFrame == 0, !previous.layers[0].isGivenAway,
      processor.latencyFrames == 0 || previous.next === self && previous.joinedFrames == processor.latencyFrames
    else { return }
    processor.adoptGain(of: own)
    layers[0].processor = processor
    layers[0].isFilled = true
    previous.layers[0].isGivenAway = true
  }

  /// Fades from each layer to the next.
  private func fade(_ bytes: UnsafeMutableRawBufferPointer) {
    let (raw, before) = (Array(bytes), UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16))
    defer { before.deallocate() }
    for (index, layer) in layers.enumerated() {
      bytes.copyBytes(from: raw)
      process(index, bytes, after: 0)
      if index > 0 {
        layer.fade.process(bytes, .coming, with: UnsafeRawBufferPointer(before), firstFrame: position - layer.start)
      }
      before.copyMemory(from: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Seeks as `TrackReader.seek`; filters settle on the frames before the target, if need be once their bytes arrive.
  public func seek(toFrame frame: Int64) throws(TrackError) -> Int64 {
    for index in layers.indices {
      if layers[index].isGivenAway {
        layers[index].processor = layer(layers[index].settings, from: 0).processor
        layers[index].isGivenAway = false
      }
      layers[index].processor?.reset()
      layers[index].isFilled = false
    }
    ahead.removeAll()
    (tailFrame, joinedFrames) = (0, 0)
    let preroll = layers.map { $0.processor?.prerollFrameCount ?? 0 }.max() ?? 0
    target = 0
    position = try source.seek(toFrame: max(0, frame - Int64(preroll)))
    guard position < frame else { return position }
    target = frame
    do throws(TrackError) { try settleFilters() } catch {
      guard error.isWait else { throw error }
      target = min(frame, max(position, frameCount ?? .max))
    }
    return nextFrame
  }

  /// Reads up to the target of a seek. Throws an error with `isWait` as `read`, and continues with the next call.
  private func settleFilters() throws(TrackError) {
    guard position < target else { return }
    let bytesPerFrame = format.bytesPerFrame
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096 * bytesPerFrame, alignment: 16)
    defer { buffer.deallocate() }
    while position < target {
      let byteCount = Int(min(4096, target - position)) * bytesPerFrame
      if try readOn(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])) == 0 { target = position }
    }
  }
}

/// The time that the processing of sound takes, of the time that the sound lasts: over ten seconds of it.
private struct ProcessingLoad {
  private var spent = 0.0
  private var played = 0.0
  private(set) var percent = 0

  mutating func add(_ time: TimeSpan, ofSeconds seconds: Double) {
    (spent, played) = (spent + time.inSeconds, played + seconds)
    // Seldom another value, so that it wakes nobody.
    guard played >= (percent == 0 ? 1 : 10) else { return }
    percent = max(1, Int((100 * spent / played).rounded()))
    (spent, played) = (0, 0)
  }
}
