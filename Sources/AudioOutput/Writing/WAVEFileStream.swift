internal import AudioModel
internal import Threads

/// A stream of a `WAVEFileOutput`: a frame counts as played when it is written.
///
/// Safety: stored variables are used only under the monitor.
final class WAVEFileStream: AudioOutputStream, @unchecked Sendable {
  private let format: PCMFormat
  private let source: any AudioOutputSource
  private let output: WAVEFileOutput
  private let monitor: Monitor
  private let memory: UnsafeMutableRawBufferPointer
  private var writtenFrames: Int64 = 0
  private var isResumed = false
  private var isStarted = false
  private var mustDrain = false
  private var isClosed = false

  init(format: PCMFormat, source: any AudioOutputSource, output: WAVEFileOutput, monitor: Monitor) {
    self.format = format
    self.source = source
    self.output = output
    self.monitor = monitor
    memory = .allocate(byteCount: 4096 * format.bytesPerFrame, alignment: 16)
  }

  deinit { memory.deallocate() }

  var clock: AudioClock {
    AudioClock(
      frame: monitor.locked { writtenFrames }, referenceTime: .now, framesPerSecond: 0)
  }

  func sourceHasFrames() { monitor.locked { writeAll() } }

  func resume() {
    monitor.locked {
      isResumed = true
      writeAll()
    }
  }

  func pause() { monitor.locked { isResumed = false } }

  func flush() {
    monitor.locked {
      mustDrain = false
      isStarted = false
    }
  }

  func rewind(toFrame frame: Int64) -> Bool {
    monitor.locked {
      guard frame >= writtenFrames else { return false }
      mustDrain = false
      return true
    }
  }

  func rewind(notBefore frame: Int64) -> Int64 {
    monitor.locked {
      mustDrain = false
      return writtenFrames
    }
  }

  func drain() {
    monitor.locked {
      mustDrain = true
      writeAll()
    }
  }

  func close() {
    monitor.locked {
      if !isClosed { output.finish() }
      isClosed = true
    }
  }

  func fail(_ error: AudioOutputError) {
    monitor.locked {
      isClosed = true
      source.handle(.failed(error))
    }
  }

  private func writeAll() {
    while isResumed, !isClosed, case let byteCount = source.render(into: memory), byteCount > 0 {
      if let error = output.append(UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])) { return fail(error) }
      writtenFrames += Int64(byteCount / format.bytesPerFrame)
      if !isStarted { source.handle(.started) }
      isStarted = true
    }
    guard mustDrain, isResumed, !isClosed else { return }
    mustDrain = false
    isResumed = false
    isStarted = false
    source.handle(.drained)
  }
}
