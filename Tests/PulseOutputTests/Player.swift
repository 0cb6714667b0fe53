import AudioModel
import AudioOutput
import PulseOutput
import SoundServerSupport
import Synchronization
import Threads

/// A queue that is fed the coded signal, as a player's feeder would feed it.
final class Player: Sendable {
  struct Log {
    var events: [String] = []
    var free: [AudioQueueBuffer] = []
  }

  final class LogBox: Sendable { let value = Mutex(Log()) }

  static let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)

  let queue: AudioQueue
  let output: PulseOutput
  private let log: LogBox

  init(
    address: String, buffering: AudioOutputBuffering = .deep, bufferSeconds: Double = 0.25, bufferCount: Int = 3,
    format: PCMFormat = Player.format
  ) throws {
    let log = LogBox()
    self.log = log
    output = PulseOutput(server: address, applicationName: "segue tests")
    queue = try AudioQueue(format: format, output: output, buffering: buffering) { event in
      log.value.withLock { log in
        if case .bufferReturned(let buffer) = event { log.free.append(buffer) } else { log.events.append("\(event)") }
      }
    }
    let capacity = Int(bufferSeconds * Double(format.sampleRate))
    for _ in 0..<bufferCount {
      let buffer = try queue.allocateBuffer(frameCapacity: capacity)
      log.value.withLock { $0.free.append(buffer) }
    }
  }

  /// What was told, buffers aside.
  var events: [String] { log.value.withLock { $0.events } }

  var freeBufferCount: Int { log.value.withLock { $0.free.count } }

  func takeBuffer(seconds: Double = 10) throws -> AudioQueueBuffer {
    var buffer: AudioQueueBuffer?
    _ = waitUntil(seconds: seconds) {
      buffer = log.value.withLock { $0.free.popLast() }
      return buffer != nil
    }
    guard let buffer else { throw NoBuffer() }
    return buffer
  }

  /// Queues frames of the signal, waiting for buffers to come back. Returns the time of the first.
  @discardableResult
  func feed(_ frames: Range<Int>, atMost: Int = .max) throws -> Int64 {
    var next = frames.lowerBound
    var time: Int64?
    while next < frames.upperBound {
      let buffer = try takeBuffer()
      let count = min(buffer.frameCapacity, atMost, frames.upperBound - next)
      CodedSignal.write(next..<next + count, into: buffer.bytes)
      buffer.frameCount = count
      let start = try queue.enqueue(buffer)
      time = time ?? start
      next += count
    }
    return time ?? 0
  }

  func waitFor(_ event: String, count: Int = 1, seconds: Double = 10) -> Bool {
    waitUntil(seconds: seconds) { events.filter { $0 == event }.count >= count }
  }

  struct NoBuffer: Error {}
}
