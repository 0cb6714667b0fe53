public import AudioModel
public import AudioOutput
internal import Threads

/// A queue that is fed with the coded signal, as by a player's feeder, and records its events.
public final class SignalPlayer: Sendable {
  private struct Log {
    var events: [String] = []
    var free: [AudioQueueBuffer] = []
  }

  /// 44.1 kHz, stereo, 16 bits: what `CodedSignal` is made for.
  public static let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)

  /// The queue that is fed.
  public let queue: AudioQueue
  private let log: Guarded<Log>

  /// A stopped queue on `output`.
  public init(
    _ output: any AudioOutput, buffering: AudioOutputBuffering = .deep, bufferSeconds: Double = 0.25,
    bufferCount: Int = 3, format: PCMFormat = SignalPlayer.format
  ) throws {
    let log = Guarded(Log())
    self.log = log
    queue = try AudioQueue(format: format, output: output, buffering: buffering) { event in
      log.withLock { log in
        switch event {
        case .bufferReturned(let buffer): log.free.append(buffer)
        case .outputLost(let error): log.events.append("outputLost \(error.code): \(error)")
        default: log.events.append("\(event)")
        }
      }
    }
    for _ in 0..<bufferCount {
      let buffer = try queue.allocateBuffer(frameCapacity: Int(bufferSeconds * Double(format.sampleRate)))
      log.withLock { $0.free.append(buffer) }
    }
  }

  /// The events so far, except for buffers.
  public var events: [String] { log.withLock { $0.events } }

  /// The events, without those about the environment, such as a busy machine that delays the server.
  public var ownEvents: [String] {
    let others = ["routeChanged", "othersChanged", "volumeChanged", "clockCorrected", "stalled"]
    return events.filter { event in !others.contains { event.hasPrefix($0) } }
  }

  /// Buffers that wait to be filled.
  public var freeBufferCount: Int { log.withLock { $0.free.count } }

  /// Takes a buffer that waits to be filled, when there is one.
  public func takeBuffer() throws -> AudioQueueBuffer {
    var buffer: AudioQueueBuffer?
    _ = waitUntil {
      buffer = log.withLock { $0.free.popLast() }
      return buffer != nil
    }
    guard let buffer else { throw NoBuffer(description: "no buffer came back: \(events)") }
    return buffer
  }

  /// Queues frames of the signal, waiting for buffers to come back. Returns the time of the first.
  @discardableResult
  public func feed(_ frames: Range<Int>) throws -> Int64 {
    var next = frames.lowerBound
    var time: Int64?
    while next < frames.upperBound {
      let buffer = try takeBuffer()
      let count = min(buffer.frameCapacity, frames.upperBound - next)
      CodedSignal.write(next..<next + count, into: buffer.bytes)
      buffer.frameCount = count
      let start = try queue.enqueue(buffer)
      time = time ?? start
      next += count
    }
    return time ?? 0
  }

  /// Queues again what was played muted, and all up to `end`. Returns the frame with which it continues: for a queue in
  /// which each frame of the signal has its own number for its time.
  public func playUnheardAgain(upTo end: Int) throws -> Int {
    guard let word = events.last(where: { $0.hasPrefix("playedUnheard") }), let frame = Int(word.filter(\.isNumber))
    else { return Int(queue.currentTime) }
    queue.reset()
    try feed(frame..<end)
    return frame
  }

  /// Waits until an event was reported `count` times; not for a queue without its output, which reports nothing.
  public func waitFor(_ event: String, count: Int = 1) -> Bool {
    var events: [String] = []
    func hasArrived() -> Bool { events.count { $0 == event } >= count }
    _ = waitUntil {
      events = self.events
      return hasArrived() || events.contains { $0.hasPrefix("outputLost") }
    }
    if !hasArrived() { print("waited in vain for \(event), \(count) times: \(events)") }
    return hasArrived()
  }

  /// Waits until the last event contains a text.
  public func waitForLast(_ text: String) -> Bool {
    let isThere = waitUntil { events.last?.contains(text) == true }
    if !isThere { print("the last event does not contain \(text): \(events)") }
    return isThere
  }

  /// Waits until the server has given the queue a device, that of this name if one is named.
  public func waitForRoute(_ name: String = "") -> Bool {
    let isThere = waitUntil { events.contains { $0.hasPrefix("routeChanged") && $0.contains(name) } }
    if !isThere { print("waited in vain for the route \(name): \(events)") }
    return isThere
  }

  /// Pauses, or stops at once. True if the device has confirmed the place, so that the time is exact to the frame: a
  /// pause waits 0.2 s for a server that does not get the processor, and then goes by the clock. Time never runs
  /// backwards, so that an estimate that was read before counts, too: `confirmedTime` reads none.
  public func isConfirmed(_ pause: (AudioQueue) -> Void) -> Bool {
    let start = MonotonicTime.now
    pause(queue)
    return .now - start < .milliseconds(200)
  }

  /// The events of the session: interruptions, without route and others.
  public var requests: [String] {
    events.filter { ["pauseRequested", "resumeRequested", "pauseReasonGone"].contains($0) }
  }

  struct NoBuffer: Error, CustomStringConvertible { var description: String }
}
