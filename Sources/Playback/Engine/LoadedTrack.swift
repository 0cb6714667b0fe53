internal import AudioModel
internal import SignalProcessing
internal import Streaming

/// An open track: its entry, its reader, and its overlaps with other tracks. Owned by the feeder.
final class LoadedTrack {
  /// The frames in which a track overlaps another.
  struct Overlap {
    /// The first frame, in the track that fades out.
    var start: Int64
    var fade: Crossfade
  }

  /// The overlap of the first frames with the track before.
  struct FadeIn {
    var overlap: Overlap
    /// The track that is mixed into those frames; `nil`: it plays on a stream of its own.
    var outgoing: LoadedTrack?
    /// Bytes of that track for the next frames of this one.
    var outgoingBytes: [UInt8] = []
  }

  let entry: QueueEntry
  let reader: TrackReader
  /// Seconds from the start of the entry to the first frame: not 0 for a later part of an entry, and for a stream whose
  /// first segments are missing.
  private let startSeconds: Double
  /// True if it is a later part of its entry.
  let isContinuation: Bool
  /// The rest of the entry in another encoding, once this part was read to its end.
  var rest: StreamContinuation?
  private(set) var shaped: ShapedReader
  private let measuredGain: ShapedReader.MeasuredGain?
  /// The crossfade at the start, if there is one.
  var fadeIn: FadeIn?
  /// The fade-out at the end, if it fades out on its own stream.
  var fadeOut: Overlap?
  /// The frame at which playback began: the choice of the listener or of a playlist.
  private(set) var enteredFrame: Int64 = 0

  /// `previous` is the track before it, `format` that of its stream; `part`: the part of its entry before it, if it is a
  /// later one.
  init(
    entry: QueueEntry, reader: TrackReader, format: PCMFormat, sound: SoundSettings,
    measuredGain: ShapedReader.MeasuredGain?, continuing previous: LoadedTrack?, behind part: LoadedTrack?
  ) {
    self.entry = entry
    self.reader = reader
    startSeconds = part?.endSeconds ?? reader.missingSeconds
    isContinuation = part != nil
    self.measuredGain = measuredGain
    shaped = ShapedReader(
      reader, of: entry.location, format: format, settings: sound, measuredGain: measuredGain,
      continuing: previous?.shaped)
  }

  /// The information on the whole entry.
  var information: MediaInformation {
    var information = reader.information
    information.duration = information.duration.map { $0 + startSeconds }
    return information
  }

  /// The frame that is read next.
  var nextFrame: Int64 { shaped.nextFrame }

  /// The first frame after the overlap with the track before.
  var fadeInEnd: Int64 { fadeIn?.overlap.fade.frameCount ?? 0 }

  /// Reads the next frames with the current sound settings.
  func read(into bytes: UnsafeMutableRawBufferPointer, _ sound: SoundSettings) throws(TrackError) -> Int {
    let frame = nextFrame
    shaped.settings = sound
    try readOutgoing(bytes.count, at: frame, sound)
    let byteCount = try shaped.read(into: bytes)
    let read = UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount])
    if let fadeIn, frame < fadeInEnd { mix(fadeIn, into: read, at: frame) }
    if let fadeOut { fadeOut.fade.process(read, .leaving, firstFrame: frame - fadeOut.start) }
    return byteCount
  }

  /// Reads what is mixed into the next frames before these are read: if it is not there, both tracks wait.
  private func readOutgoing(_ byteCount: Int, at frame: Int64, _ sound: SoundSettings) throws(TrackError) {
    guard let outgoing = fadeIn?.outgoing, frame < fadeInEnd else { return }
    let wanted = min(byteCount, Int(clamping: fadeInEnd - frame) * format.bytesPerFrame)
    while let missing = fadeIn.map({ wanted - $0.outgoingBytes.count }), missing > 0 {
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: missing, alignment: 16)
      defer { bytes.deallocate() }
      do throws(TrackError) {
        let count = try outgoing.read(into: bytes, sound)
        fadeIn?.outgoingBytes += bytes[..<count]
        if count == 0 { return }
      } catch {
        // Silence is mixed in after its end or a failure, and for what is still to be written.
        if error.isWait, outgoing.reader.fileWait != .fileGrows { throw error }
        return
      }
    }
  }

  private func mix(_ fadeIn: FadeIn, into bytes: UnsafeMutableRawBufferPointer, at frame: Int64) {
    let byteCount = min(bytes.count, Int(clamping: fadeInEnd - frame) * format.bytesPerFrame)
    let other = fadeIn.outgoingBytes.prefix(byteCount)
    other.withUnsafeBytes {
      fadeIn.overlap.fade.process(
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount]), .coming, with: $0, firstFrame: frame)
    }
    self.fadeIn?.outgoingBytes.removeFirst(other.count)
  }

  /// Continues at a frame that the listener chose, without overlaps, in the format of the stream. Returns the frame that
  /// is read next, which counts in that format.
  func enter(
    atFrame frame: Int64, in streamFormat: PCMFormat, _ sound: SoundSettings
  ) throws(TrackError) -> Int64 {
    (fadeIn, fadeOut) = (nil, nil)
    var frame = frame
    if streamFormat != format {
      let seconds = seconds(atFrame: frame)
      shaped = ShapedReader(
        reader, of: entry.location, format: streamFormat, settings: sound, measuredGain: measuredGain)
      frame = self.frame(atSeconds: seconds)
    }
    shaped.settings = sound
    shaped.endFades()
    enteredFrame = try shaped.seek(toFrame: frame)
    return enteredFrame
  }

  /// Reads again from that frame on. `fades`: with a short fade into the current sound settings.
  func goBack(toFrame frame: Int64, _ sound: SoundSettings, fades: Bool) throws(TrackError) -> Int64 {
    if fades { shaped.fade(to: sound, atFrame: frame) } else { shaped.settings = sound }
    let frame = try shaped.seek(toFrame: frame)
    // A fade-out that lies ahead again is planned again when it is reached, and the next track is opened again.
    if let fadeOut, frame < fadeOut.start { self.fadeOut = nil } else { fadeOut?.fade.reset() }
    if let fadeIn, let outgoing = fadeIn.outgoing, frame < fadeInEnd {
      fadeIn.overlap.fade.reset()
      self.fadeIn?.outgoingBytes = []
      let outgoingFrame = fadeIn.overlap.start + frame
      if (try? outgoing.goBack(toFrame: outgoingFrame, sound, fades: fades)) != outgoingFrame {
        self.fadeIn?.outgoing = nil
      }
    }
    return frame
  }

  /// Seconds into the entry at one of its frames.
  func seconds(atFrame frame: Int64) -> Double { startSeconds + Double(frame) / Double(format.sampleRate) }

  /// The frame nearest to so many seconds into the entry.
  func frame(atSeconds seconds: Double) -> Int64 {
    Int64(exactly: ((seconds - startSeconds) * Double(format.sampleRate)).rounded()) ?? .max
  }

  /// Seconds from the start of the entry to the part after this one.
  var endSeconds: Double { rest?.seconds ?? seconds(atFrame: nextFrame) }

  /// The reader whose bytes were missing when this one was read.
  var awaitedReader: TrackReader {
    if let outgoing = fadeIn?.outgoing, nextFrame < fadeInEnd, outgoing.reader.fileWait == .diskStalled {
      outgoing.reader
    } else {
      reader
    }
  }
}

extension LoadedTrack: SequenceTrack {
  var format: PCMFormat { shaped.format }
  var duration: Double? { information.duration }
  var isLive: Bool { reader.stream?.isLive == true }
  var frameCount: Int64? { shaped.frameCount }
  var frameCountToJoin: Int64 { shaped.joins ? Int64(format.sampleRate / 2) : 0 }
  var fadeOutStart: Int64? { fadeOut?.start }

  func isFollowed(by next: LoadedTrack) -> Bool {
    reader.information.tags.isFollowed(by: next.reader.information.tags)
  }

  func isReady(seconds: Double) -> Bool { reader.packets.arrival.isReady(seconds: seconds, inSteps: false) }
}
