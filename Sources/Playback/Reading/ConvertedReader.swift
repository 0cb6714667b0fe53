internal import AudioModel
internal import Containers
internal import SignalProcessing

/// The frames of a `TrackReader` in the format of a stream. In the track's own format every sample stays as it is.
///
/// A frame counts in the stream's rate: `frameCount` is that of the track in proportion, rounded.
final class ConvertedReader {
  let reader: TrackReader
  let format: PCMFormat
  /// The track that follows in the same stream, if it is open: the filter for another rate needs its first frames for
  /// the last ones of this track.
  var next: ConvertedReader?
  /// `nil` in the track's own format, and after the next track took it over.
  private var converter: PCMConverter?
  /// Frames of the track that were read for the track before and are not converted here.
  private var unconverted: [UInt8] = []
  /// Converted frames that were not returned.
  private var ready: [UInt8] = []
  /// The frames of the track that were converted, and the frame after those that are ready.
  private var (convertedFrames, readyEnd) = (Int64(0), Int64(0))
  /// Frames before this one are dropped: the filter settles on them.
  private var start: Int64 = 0
  private var isAtEnd = false

  /// Converts to `format`, if that is possible: another rate needs libsamplerate.
  init(_ reader: TrackReader, to format: PCMFormat) {
    self.reader = reader
    converter = format == reader.pcmFormat ? nil : try? PCMConverter(from: reader.pcmFormat, to: format)
    self.format = converter == nil ? reader.pcmFormat : format
  }

  private var own: PCMFormat { reader.pcmFormat }
  private var isOwn: Bool { format == own }
  /// True if the rate changes.
  var resamples: Bool { format.sampleRate != own.sampleRate }

  // MARK: Frames

  /// The frame of the stream for a frame of the track.
  func frame(ofTrack frame: Int64) -> Int64 {
    scaled(frame, Int64(format.sampleRate), Int64(own.sampleRate), .toNearestOrAwayFromZero)
  }

  /// The frame of the track that sounds at a frame of the stream.
  func trackFrame(of frame: Int64) -> Int64 {
    scaled(frame, Int64(own.sampleRate), Int64(format.sampleRate), .down)
  }

  /// The number of frames, once that is known.
  var frameCount: Int64? { reader.frameCount.map(frame(ofTrack:)) }

  // MARK: Reading

  /// Reads as `TrackReader.read`.
  func read(into output: UnsafeMutableRawBufferPointer) throws(TrackError) -> Int {
    guard !isOwn else { return try reader.read(into: output) }
    let wanted = output.count - output.count % format.bytesPerFrame
    do throws(TrackError) {
      while ready.count < wanted, !isAtEnd { try convertMore(byteCount: wanted - ready.count) }
    } catch {
      // Returns the frames before the failure first; the next call fails again.
      guard !ready.isEmpty else { throw error }
    }
    let count = min(wanted, ready.count)
    ready.withUnsafeBytes { output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    ready.removeFirst(count)
    return count
  }

  private func convertMore(byteCount: Int) throws(TrackError) {
    let frames = trackFrame(of: Int64(byteCount / format.bytesPerFrame)) + 64
    if unconverted.isEmpty { try readOwn(byteCount: Int(min(frames, 8192)) * own.bytesPerFrame) }
    guard !unconverted.isEmpty else { return try finish() }
    convertedFrames += Int64(unconverted.count / own.bytesPerFrame)
    defer { unconverted.removeAll() }
    try convert(unconverted[...])
  }

  /// Reads until so many bytes of the track are there, or none follow.
  private func readOwn(byteCount: Int) throws(TrackError) {
    let before = unconverted.count
    guard before < byteCount else { return }
    unconverted += repeatElement(0, count: byteCount - before)
    var count = 0
    defer { unconverted.removeLast(byteCount - before - count) }
    let result = unconverted.withUnsafeMutableBytes { bytes in
      Result { () throws(TrackError) in
        try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[before...]))
      }
    }
    count = try result.get()
  }

  private func convert(_ frames: ArraySlice<UInt8>) throws(TrackError) {
    let size = format.bytesPerFrame
    let before = ready.count
    let result = frames.withUnsafeBytes { bytes in
      Result { () throws(PCMConverterError) in try converter?.convert(bytes, into: &ready) }
    }
    if case .failure(let error) = result {
      throw .container(ContainerError(.unsupportedDataFormat, error.description))
    }
    readyEnd += Int64((ready.count - before) / size)
    let early = min(Int64(ready.count / size), max(0, start - readyEnd + Int64(ready.count / size)))
    ready.removeFirst(Int(early) * size)
  }

  /// Completes the last frames, to the exact number: with the frames of the next track, else with silence.
  private func finish() throws(TrackError) {
    isAtEnd = true
    let end = frame(ofTrack: convertedFrames)
    if let next, next.follows(self), try join(next, end) { return }
    // Silence, not the end of the input: at that the library leaves out the last frame or not.
    let silence = [UInt8](repeating: 0, count: Int(settlingFrames) * own.bytesPerFrame)
    var attempts = 0
    while readyEnd < end, attempts < 64 {
      attempts += 1
      try convert(silence[...])
    }
    ready.removeLast(min(ready.count, Int(max(0, readyEnd - end)) * format.bytesPerFrame))
    readyEnd = end
  }

  // MARK: Joining

  /// True if nothing was read yet, and the frames can go through the filter of `previous`.
  private func follows(_ previous: ConvertedReader) -> Bool {
    own == previous.own && format == previous.format && resamples && convertedFrames == 0 && start == 0
      && readyEnd == 0 && !isAtEnd
  }

  /// Converts the first frames of the next track with the last ones of this track, so that both are one sound. Returns
  /// false if there are too few.
  private func join(_ next: ConvertedReader, _ end: Int64) throws(TrackError) -> Bool {
    let size = own.bytesPerFrame
    var taken = 0
    while readyEnd < end {
      // An error of the next track is found in its turn.
      try? next.readOwn(byteCount: taken + 256 * size)
      guard next.unconverted.count > taken else { return false }
      try convert(next.unconverted[taken...])
      taken = next.unconverted.count
    }
    next.unconverted.removeAll()
    next.convertedFrames = Int64(taken / size)
    next.readyEnd = readyEnd - end
    let byteCount = min(ready.count, Int(next.readyEnd) * format.bytesPerFrame)
    next.ready = Array(ready.suffix(byteCount))
    ready.removeLast(byteCount)
    (next.converter, converter, readyEnd) = (converter, nil, end)
    return true
  }

  // MARK: Seeking

  /// Seeks as `TrackReader.seek`.
  func seek(toFrame frame: Int64) throws(TrackError) -> Int64 {
    guard !isOwn else { return try reader.seek(toFrame: frame) }
    // From a frame that both rates have, so that the samples are those of a reading from the start.
    let (ownRate, rate) = (Int64(own.sampleRate), Int64(format.sampleRate))
    let period = ownRate / greatestCommonDivisor(ownRate, rate)
    var first = max(0, trackFrame(of: max(0, frame)) - settlingFrames)
    first -= first % period
    let reached = try reader.seek(toFrame: first)
    restart(atTrackFrame: reached)
    if reached == first { start = max(readyEnd, min(frame, frameCount ?? .max)) }
    return start
  }

  /// More frames of the track than the filter reaches.
  private var settlingFrames: Int64 { 128 * Int64(own.sampleRate / format.sampleRate + 1) }

  /// If the next bytes of a station are lost, continues as `TrackReader.passLoss`.
  func passLoss() throws(TrackError) -> (frame: Int64, seconds: Double)? {
    guard let (frame, seconds) = try reader.passLoss() else { return nil }
    if !isOwn { restart(atTrackFrame: frame) }
    return (self.frame(ofTrack: frame), seconds)
  }

  private func restart(atTrackFrame frame: Int64) {
    if converter == nil { converter = try? PCMConverter(from: own, to: format) }
    converter?.reset()
    (unconverted, ready, isAtEnd) = ([], [], false)
    (convertedFrames, readyEnd) = (frame, self.frame(ofTrack: frame))
    start = readyEnd
  }
}

/// A frame number at another rate.
private func scaled(_ frame: Int64, _ rate: Int64, _ other: Int64, _ rule: FloatingPointRoundingRule) -> Int64 {
  guard rate != other else { return frame }
  // Rates are less than 2^20.
  guard frame.magnitude < 1 << 40 else {
    return Int64(exactly: (Double(frame) / Double(other) * Double(rate)).rounded(rule)) ?? .max
  }
  return (frame * rate + (rule == .down ? 0 : other / 2)) / other
}

private func greatestCommonDivisor(_ a: Int64, _ b: Int64) -> Int64 { b == 0 ? a : greatestCommonDivisor(b, a % b) }
