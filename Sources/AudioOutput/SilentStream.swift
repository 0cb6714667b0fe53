internal import AudioModel
internal import Threads

/// A device that is nothing but a buffer and a clock.
///
/// Its thread sleeps until the buffer wants frames, until it has run empty, or until something is asked of the stream.
/// Safety: stored variables are touched only under the monitor.
final class SilentStream: AudioOutputStream, @unchecked Sendable {
  private let format: PCMFormat
  private let source: any AudioOutputSource
  private let bufferFrames: Int64
  private let requestFrames: Int64
  private let memory: UnsafeMutableRawBufferPointer
  private let monitor = Monitor()
  /// Keeps the stream until it is closed.
  private var thread: WorkerThread?

  private var isClosed = false
  private var isResumed = false
  private var drains = false
  /// The source gave fewer frames than it was asked for.
  private var isDry = false
  private var renderedFrames: Int64 = 0
  private var line: AudioClock
  /// Something was asked for while the thread slept.
  private var isAsked = true

  init(format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource) {
    self.format = format
    self.source = source
    bufferFrames = max(2, Int64(buffering.seconds * Double(format.sampleRate)))
    requestFrames = max(1, Int64(buffering.requestSeconds * Double(format.sampleRate)))
    memory = .allocate(byteCount: 4096 * format.bytesPerFrame, alignment: 16)
    line = AudioClock(frame: 0, referenceNanoseconds: 0, framesPerSecond: 0)
    thread = WorkerThread(named: "silence") { self.run() }
  }

  deinit { memory.deallocate() }

  var clock: AudioClock { monitor.locked { line } }

  func sourceHasFrames() { ask { isDry = false } }

  func resume() { ask { isResumed = true } }

  func pause() {
    ask {
      isResumed = false
      stopClock(at: heardFrame)
    }
  }

  func flush() {
    ask {
      drains = false
      isDry = false
      stopClock(at: renderedFrames)
    }
  }

  func rewind(toFrame frame: Int64) -> Bool {
    monitor.locked {
      guard frame >= heardFrame else { return false }
      ask {
        drains = false
        isDry = false
        renderedFrames = min(renderedFrames, frame)
      }
      return true
    }
  }

  func rewind(notBefore frame: Int64) -> Int64 {
    monitor.locked {
      // A little later than now: it is looked at again.
      let target = min(renderedFrames, max(frame, heardFrame + Int64(format.sampleRate / 100)))
      return rewind(toFrame: target) ? target : renderedFrames
    }
  }

  func drain() {
    ask {
      drains = true
      isDry = false
    }
  }

  func close() { ask { isClosed = true } }

  private func ask(_ change: () -> Void) {
    monitor.locked {
      change()
      isAsked = true
      monitor.signal()
    }
  }

  // MARK: Under the monitor

  private func run() {
    monitor.locked {
      while !isClosed {
        isAsked = false
        let deadline = step()
        monitor.wait(until: deadline) { isAsked || isClosed }
      }
    }
  }

  private var heardFrame: Int64 { min(renderedFrames, line.frame(atNanoseconds: monotonicNanoseconds())) }

  private func stopClock(at frame: Int64) {
    line = AudioClock(frame: frame, referenceNanoseconds: monotonicNanoseconds(), framesPerSecond: 0)
  }

  /// Does what is due; returns when something will be due next.
  private func step() -> UInt64? {
    let heard = heardFrame
    if renderedFrames - heard <= bufferFrames - requestFrames { fill(upTo: heard + bufferFrames) }
    guard isResumed else { return nil }
    if line.isAdvancing, heard == renderedFrames {
      stopClock(at: renderedFrames)
      if !drains { source.handle(.underrun) }
    }
    if drains, isDry, heard == renderedFrames {
      drains = false
      isResumed = false
      source.handle(.drained)
    }
    if !line.isAdvancing, isResumed, renderedFrames > heard {
      line.referenceNanoseconds = monotonicNanoseconds()
      line.framesPerSecond = format.sampleRate
      source.handle(.started)
    }
    guard line.isAdvancing else { return nil }
    let frames = renderedFrames - heard - (isDry ? 0 : bufferFrames - requestFrames)
    return monotonicNanoseconds() + UInt64(max(1, frames)) * 1_000_000_000 / UInt64(format.sampleRate)
  }

  private func fill(upTo end: Int64) {
    while !isDry, !isClosed, renderedFrames < end {
      let wanted = min(memory.count, Int(end - renderedFrames) * format.bytesPerFrame)
      let byteCount = source.render(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<wanted]))
      renderedFrames += Int64(byteCount / format.bytesPerFrame)
      isDry = byteCount < wanted
    }
  }
}
