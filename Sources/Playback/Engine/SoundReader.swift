internal import AudioModel
public import AudioOutput

/// Reads the frames that are heard, each once and in order, across tracks and formats: after effects, gain and balance,
/// before the volume of the sound server.
///
/// The queues keep their latest frames while it exists (some seconds; 2 MB at 44.1 kHz). The device's thread has no
/// other work for it. One thread at a time; no call waits.
public final class SoundReader {
  private let monitor: SoundMonitor
  private let now: @Sendable () -> MonotonicTime
  /// The queue that was read last. Held, because its last frames are read after its end.
  private var queue: AudioQueue?
  /// The next frame of it.
  private var next: Int64 = 0
  /// Frames before this one belong to the lead-in, during which the queue before was heard, as far as they are silent.
  private var leadInEnd: Int64 = 0

  init(_ monitor: SoundMonitor, now: @escaping @Sendable () -> MonotonicTime) {
    (self.monitor, self.now) = (monitor, now)
    monitor.addReader()
  }

  deinit { monitor.removeReader() }

  /// The frames since the last reading.
  public struct Reading: Sendable {
    /// The frames, in pieces.
    public var pieces: [HeardFrames] = []
    /// True if there was sound all the time since the last reading, and still is.
    public var isUnbroken = false
  }

  /// Forgets what was heard until `seconds` (0...60) ago: the next reading begins there, as far as it is known.
  public func begin(secondsAgo seconds: Double) {
    queue = monitor.queues.first
    guard let queue else { return }
    let frames = Int64(seconds.isNaN ? 0 : max(0, min(60, seconds)) * Double(queue.format.sampleRate))
    (next, leadInEnd) = (queue.deviceClock.frame(at: now()) - frames, 0)
  }

  /// Reads the frames that were heard since the last reading. Call it at least once a second.
  public func read() -> Reading {
    var reading = Reading()
    let audible = monitor.queues.first
    if let old = queue, old !== audible {
      // The device has its last frames already. A crossfade on a stream of its own is longer, and is cut.
      read(old, ahead: old.format.sampleRate / 2, into: &reading)
      let end = old.deviceClock.time(atFrame: old.renderedFrameCount) ?? now()
      leadInEnd = audible.map { $0.deviceClock.frame(at: end) } ?? 0
      next = 0
    }
    queue = audible
    guard let audible else { return reading }
    read(audible, ahead: 0, into: &reading)
    reading.isUnbroken =
      audible.deviceClock.isAdvancing && !reading.pieces.isEmpty && reading.pieces.allSatisfy(\.follows)
    return reading
  }

  private func read(_ queue: AudioQueue, ahead: Int, into reading: inout Reading) {
    while var frames = queue.heard(from: next, ahead: ahead) {
      next = frames.endFrame
      frames.dropSilence(before: leadInEnd)
      guard frames.frameCount > 0 else { continue }
      leadInEnd = 0
      reading.pieces.append(frames)
    }
  }
}

extension HeardFrames {
  /// Removes silent frames at the start whose number is less than `end`. The rest counts as a continuation.
  mutating func dropSilence(before end: Int64) {
    guard firstFrame < end else { return }
    let size = format.bytesPerFrame
    let limit = Int(min(end - firstFrame, Int64(frameCount))) * size
    let silent = (bytes.prefix(limit).firstIndex { $0 != 0 } ?? limit) / size
    bytes.removeFirst(silent * size)
    firstFrame += Int64(silent)
    follows = true
  }
}
