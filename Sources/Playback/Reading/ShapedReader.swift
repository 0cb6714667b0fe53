internal import AudioModel
public import ByteIO
public import SignalProcessing

/// An input as it is to be heard: the samples of a `TrackReader`, with what the listener wants to have done to them. The
/// player plays and `segue decode` writes what comes from here.
///
/// One owner at a time, any thread.
public final class ShapedReader {
  /// What reads. To be read and moved through this one only.
  public let reader: TrackReader
  /// What is done to the samples; a change begins with the next frame read.
  public var settings: SoundSettings { didSet { if settings != oldValue { shape() } } }
  private let location: MediaLocation
  private var processor: SoundProcessor?
  /// The frame that the reader gives next.
  private var nextFrame: Int64 = 0
  /// Loudness tags are looked for at the end of a file too, once, when they are wanted.
  private var hasLookedForTags = false
  private var tags = TrackTags.Gain()

  /// Frames of a reader that was just opened at `location`, perhaps to go on where `previous` ended.
  public init(
    _ reader: TrackReader, of location: MediaLocation, settings: SoundSettings = SoundSettings(),
    continuing previous: ShapedReader? = nil
  ) {
    (self.reader, self.location, self.settings) = (reader, location, settings)
    shape()
    // Filters do not swing in anew in the midst of the sound.
    if let previous, reader.continues(previous.reader), previous.settings == settings, previous.gain == gain {
      processor = previous.processor
    }
  }

  /// What loudness tags and settings make of the track.
  public var gain: TrackGain? { processor?.gain }

  private func shape() {
    guard settings != SoundSettings() else { return processor = nil }
    if settings.gainMode != .off { lookForTags() }
    processor = SoundProcessor(settings, tags: tags, format: reader.pcmFormat)
  }

  private func lookForTags() {
    guard !hasLookedForTags else { return }
    hasLookedForTags = true
    tags = reader.information.tags.gain
    // A stream has not seen its end yet.
    guard tags == TrackTags.Gain(), reader.method == .stream else { return }
    if let all = try? TrackReader.information(of: location) { tags = all.tags.gain }
  }

  /// Reads as `TrackReader.read`.
  public func read(into output: UnsafeMutableRawBufferPointer) throws(TrackError) -> Int {
    let byteCount = try reader.read(into: output)
    processor?.process(UnsafeMutableRawBufferPointer(rebasing: output[..<byteCount]), firstFrame: nextFrame)
    nextFrame += Int64(byteCount / reader.pcmFormat.bytesPerFrame)
    return byteCount
  }

  /// Seeks as `TrackReader.seek`; filters swing in on the frames before.
  public func seek(toFrame frame: Int64) throws(TrackError) -> Int64 {
    processor?.reset()
    nextFrame = try reader.seek(toFrame: max(0, frame - Int64(processor?.prerollFrameCount ?? 0)))
    guard nextFrame < frame else { return nextFrame }
    let bytesPerFrame = reader.pcmFormat.bytesPerFrame
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096 * bytesPerFrame, alignment: 16)
    defer { buffer.deallocate() }
    while nextFrame < frame {
      let byteCount = Int(min(4096, frame - nextFrame)) * bytesPerFrame
      if try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])) == 0 { break }
    }
    return nextFrame
  }
}
