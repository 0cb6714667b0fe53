internal import AudioModel
internal import SignalProcessing
internal import Streaming

/// A track that is open: its entry, what reads it, and how it begins and ends beside others. Owned by the feeder.
final class LoadedTrack {
  /// The frames in which a track is heard together with another.
  struct Overlap {
    /// Where it begins in the track that leaves.
    var start: Int64
    var fade: Crossfade
  }

  /// What is heard beside the first frames.
  struct Entrance {
    var overlap: Overlap
    /// Mixed into those frames; `nil`: heard on a stream of its own.
    var leaving: LoadedTrack?
  }

  let entry: QueueEntry
  let reader: TrackReader
  /// When its first frame is heard, in seconds from the start of the entry: later where it goes on in another encoding.
  private let startSeconds: Double
  /// Where it was read to its end: what of the entry is left, in another encoding.
  var rest: StreamContinuation?
  /// The same with what is done to the sound.
  let shaped: ShapedReader
  /// How it begins, if it does so beside another.
  var entrance: Entrance?
  /// How it ends, if it fades out on its own stream.
  var exit: Overlap?
  /// Where it was begun, by the listener's wish, or as its playlist says.
  private(set) var enteredFrame: Int64 = 0

  /// `previous` is heard before it; `startSeconds` of the entry are, too.
  init(
    entry: QueueEntry, reader: TrackReader, sound: SoundSettings, continuing previous: LoadedTrack?,
    startSeconds: Double = 0
  ) {
    self.entry = entry
    self.reader = reader
    self.startSeconds = startSeconds
    shaped = ShapedReader(reader, of: entry.location, settings: sound, continuing: previous?.shaped)
  }

  /// What is known of all of the entry.
  var information: MediaInformation {
    var information = reader.information
    information.duration = information.duration.map { $0 + startSeconds }
    return information
  }

  /// The frame that is read next.
  var nextFrame: Int64 { shaped.nextFrame }

  /// The first frame that is heard by itself.
  var entranceEnd: Int64 { entrance?.overlap.fade.frameCount ?? 0 }

  /// Reads on, with the sound as it is to be now.
  func read(into bytes: UnsafeMutableRawBufferPointer, _ sound: SoundSettings) throws(TrackError) -> Int {
    let frame = nextFrame
    shaped.settings = sound
    let byteCount = try shaped.read(into: bytes)
    let read = UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount])
    if let entrance, frame < entranceEnd { mix(entrance, into: read, at: frame, sound) }
    if let exit { exit.fade.process(read, .leaving, firstFrame: frame - exit.start) }
    return byteCount
  }

  private func mix(
    _ entrance: Entrance, into bytes: UnsafeMutableRawBufferPointer, at frame: Int64, _ sound: SoundSettings
  ) {
    let size = reader.pcmFormat.bytesPerFrame
    let byteCount = min(bytes.count, Int(clamping: entranceEnd - frame) * size)
    let other = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
    defer { other.deallocate() }
    // Where nothing more of it can be read, silence is mixed in.
    let otherCount = (try? entrance.leaving?.read(into: other, sound)) ?? 0
    entrance.overlap.fade.process(
      UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount]), .coming,
      with: UnsafeRawBufferPointer(rebasing: other[..<otherCount]), firstFrame: frame)
  }

  /// Goes on with that frame, by the listener's wish: it is heard alone.
  func enter(atFrame frame: Int64, _ sound: SoundSettings) throws(TrackError) -> Int64 {
    (entrance, exit) = (nil, nil)
    shaped.settings = sound
    shaped.endFades()
    enteredFrame = try shaped.seek(toFrame: frame)
    return enteredFrame
  }

  /// Reads again from that frame on. `fades`: into the sound as it is to be now.
  func goBack(toFrame frame: Int64, _ sound: SoundSettings, fades: Bool) throws(TrackError) -> Int64 {
    if fades { shaped.fade(to: sound, atFrame: frame) } else { shaped.settings = sound }
    let frame = try shaped.seek(toFrame: frame)
    // A fade-out that lies ahead again is decided anew when reading comes to it: the next track is opened anew, too.
    if let exit, frame < exit.start { self.exit = nil } else { exit?.fade.reset() }
    if let entrance, let leaving = entrance.leaving, frame < entranceEnd {
      entrance.overlap.fade.reset()
      let place = entrance.overlap.start + frame
      if (try? leaving.goBack(toFrame: place, sound, fades: fades)) != place { self.entrance?.leaving = nil }
    }
    return frame
  }

  /// Seconds into the entry at one of its frames.
  func seconds(atFrame frame: Int64) -> Double { startSeconds + Double(frame) / Double(reader.pcmFormat.sampleRate) }

  /// The frame nearest to so many seconds into the entry.
  func frame(atSeconds seconds: Double) -> Int64 {
    Int64(exactly: ((seconds - startSeconds) * Double(reader.pcmFormat.sampleRate)).rounded()) ?? .max
  }

  /// When what is left of the entry is heard.
  var endSeconds: Double { rest?.seconds ?? seconds(atFrame: nextFrame) }

  /// Whether it is not the first part of its entry.
  var isContinuation: Bool { startSeconds > 0 }
}

extension LoadedTrack: SequenceTrack {
  var format: PCMFormat { reader.pcmFormat }
  var duration: Double? { information.duration }
  var isLive: Bool { reader.stream?.isLive == true }
  var frameCount: Int64? { reader.frameCount }
  var fadeOutStart: Int64? { exit?.start }

  func isFollowed(by next: LoadedTrack) -> Bool {
    reader.information.tags.isFollowed(by: next.reader.information.tags)
  }

  func isReady(seconds: Double) -> Bool { reader.isReady(seconds: seconds, inSteps: false) }
}
