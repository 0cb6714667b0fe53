import AudioModel
import AudioOutput
import Synchronization
import Threads

/// A device that holds `depth` frames, plays them when the test says so, and gives back all that it has not played.
final class DeepOutput: AudioOutput {
  let depth: Int
  private let opened = Mutex<DeepStream?>(nil)

  init(depth: Int) { self.depth = depth }

  var stream: DeepStream? { opened.withLock { $0 } }

  func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    let stream = DeepStream(bytesPerFrame: format.bytesPerFrame, depth: depth, source: source)
    opened.withLock { $0 = stream }
    return stream
  }

  /// Plays up to so many frames; what was heard of them.
  @discardableResult
  func play(_ frameCount: Int) -> [UInt8] { stream?.play(frameCount) ?? [] }

  func setVolume(_ volume: Double, isMuted: Bool) {}
  func setTrack(title: String?, artist: String?) {}
}

/// Safety: stored variables are touched only under the monitor.
final class DeepStream: AudioOutputStream, @unchecked Sendable {
  private let bytesPerFrame: Int
  private let depth: Int
  private let source: any AudioOutputSource
  private let monitor = Monitor()
  private var isResumed = false
  private var isStarted = false
  private var drains = false
  private var held: [UInt8] = []
  private var playedFrames: Int64 = 0
  /// Frames that it says it cannot give back, though not played.
  var unreplaceableFrames: Int64 = 0

  init(bytesPerFrame: Int, depth: Int, source: any AudioOutputSource) {
    (self.bytesPerFrame, self.depth, self.source) = (bytesPerFrame, depth, source)
  }

  private var writtenFrames: Int64 { playedFrames + Int64(held.count / bytesPerFrame) }

  var clock: AudioClock {
    AudioClock(
      frame: monitor.locked { playedFrames }, referenceNanoseconds: monotonicNanoseconds(), framesPerSecond: 0)
  }

  func play(_ frameCount: Int) -> [UInt8] {
    monitor.locked {
      fill()
      guard isResumed, !held.isEmpty else { return [] }
      let heard = Array(held.prefix(frameCount * bytesPerFrame))
      held.removeFirst(heard.count)
      playedFrames += Int64(heard.count / bytesPerFrame)
      if !isStarted { source.handle(.started) }
      isStarted = true
      fill()
      if held.isEmpty {
        isStarted = false
        source.handle(drains ? .drained : .underrun)
      }
      return heard
    }
  }

  private func fill() {
    var room = [UInt8](repeating: 0, count: depth * bytesPerFrame - held.count)
    let count = room.withUnsafeMutableBytes { $0.isEmpty ? 0 : source.render(into: $0) }
    held += room.prefix(count)
  }

  func sourceHasFrames() { monitor.locked { fill() } }
  func resume() { monitor.locked { isResumed = true } }
  func pause() { monitor.locked { isResumed = false } }
  func flush() {
    monitor.locked {
      drains = false
      // Its count goes on behind what it was given.
      playedFrames = writtenFrames
      held = []
    }
  }
  func rewind(toFrame frame: Int64) -> Bool {
    monitor.locked {
      guard frame >= min(playedFrames + unreplaceableFrames, writtenFrames) else { return false }
      drains = false
      held = Array(held.prefix(Int(frame - playedFrames) * bytesPerFrame))
      return true
    }
  }
  func rewind(notBefore frame: Int64) -> Int64 {
    monitor.locked {
      let target = min(writtenFrames, max(frame, playedFrames + unreplaceableFrames))
      _ = rewind(toFrame: target)
      return target
    }
  }
  func drain() { monitor.locked { drains = true } }
  func close() { monitor.locked { isResumed = false } }
}
