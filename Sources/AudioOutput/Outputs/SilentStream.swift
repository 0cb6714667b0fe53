internal import AudioModel
internal import Threads

/// A simulated device: a buffer and a clock.
///
/// Its thread sleeps until the buffer needs frames, until it has run empty, or until a call changes the stream. Safety:
/// stored variables are used only under the monitor.
final class SilentStream: AudioOutputStream, @unchecked Sendable {
  private let format: PCMFormat
  private let source: any AudioOutputSource
  private let bufferFrames: Int64
  private let requestFrames: Int64
  private let memory: UnsafeMutableRawBufferPointer
  private let monitor = Monitor()
  private let steps: SteppedThread
  /// The thread references the stream until it is closed.
  private var thread: WorkerThread?

  private var isResumed = false
  private var mustDrain = false
  /// True if the source rendered fewer frames than were requested.
  private var isDry = false
  private var renderedFrames: Int64 = 0
  private var playedClock: AudioClock

  init(format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource) {
    self.format = format
    self.source = source
    bufferFrames = max(2, Int64(buffering.seconds * Double(format.sampleRate)))
    requestFrames = max(1, Int64(buffering.requestSeconds * Double(format.sampleRate)))
    memory = .allocate(byteCount: 4096 * format.bytesPerFrame, alignment: 16)
    playedClock = AudioClock(frame: 0, referenceTime: .zero, framesPerSecond: 0)
    steps = SteppedThread(monitor)
    thread = WorkerThread(named: "silence") { self.steps.run(self.step) }
  }

  deinit { memory.deallocate() }

  var clock: AudioClock { monitor.locked { playedClock } }

  func sourceHasFrames() { steps.apply { isDry = false } }

  func resume() { steps.apply { isResumed = true } }

  func pause() {
    steps.apply {
      isResumed = false
      stopClock(at: heardFrame)
    }
  }

  func flush() {
    steps.apply {
      mustDrain = false
      isDry = false
      stopClock(at: renderedFrames)
    }
  }

  func rewind(toFrame frame: Int64) -> Bool {
    monitor.locked {
      guard frame >= heardFrame else { return false }
      steps.apply {
        mustDrain = false
        isDry = false
        renderedFrames = min(renderedFrames, frame)
      }
      return true
    }
  }

  func rewind(notBefore frame: Int64) -> Int64 {
    monitor.locked {
      // A little later than now, as `rewind(toFrame:)` checks the limit again.
      let target = min(renderedFrames, max(frame, heardFrame + Int64(format.sampleRate / 100)))
      return rewind(toFrame: target) ? target : renderedFrames
    }
  }

  func drain() {
    steps.apply {
      mustDrain = true
      isDry = false
    }
  }

  func close() { steps.end() }

  // MARK: Under the monitor

  private var heardFrame: Int64 { min(renderedFrames, playedClock.frame(at: .now)) }

  private func stopClock(at frame: Int64) {
    playedClock = AudioClock(frame: frame, referenceTime: .now, framesPerSecond: 0)
  }

  /// Performs the work that is due. Returns the time of the next work.
  private func step() -> MonotonicTime? {
    let heard = heardFrame
    if renderedFrames - heard <= bufferFrames - requestFrames { fill(upTo: heard + bufferFrames) }
    guard isResumed else { return nil }
    if playedClock.isAdvancing, heard == renderedFrames {
      stopClock(at: renderedFrames)
      if !mustDrain { source.handle(.underrun) }
    }
    if mustDrain, isDry, heard == renderedFrames {
      mustDrain = false
      isResumed = false
      source.handle(.drained)
    }
    if !playedClock.isAdvancing, isResumed, renderedFrames > heard {
      playedClock.referenceTime = .now
      playedClock.framesPerSecond = format.sampleRate
      source.handle(.started)
    }
    guard playedClock.isAdvancing else { return nil }
    let frames = renderedFrames - heard - (isDry ? 0 : bufferFrames - requestFrames)
    return .now + .seconds(Double(max(1, frames)) / Double(format.sampleRate))
  }

  private func fill(upTo end: Int64) {
    while !isDry, !steps.isEnded, renderedFrames < end {
      let wanted = min(memory.count, Int(end - renderedFrames) * format.bytesPerFrame)
      let byteCount = source.render(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<wanted]))
      renderedFrames += Int64(byteCount / format.bytesPerFrame)
      isDry = byteCount < wanted
    }
  }
}
