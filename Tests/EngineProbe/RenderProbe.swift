import AudioModel
import AudioOutput
import SoundServerSupport
import Synchronization
import Threads

/// Measures how long the output's thread spends in one call of `AudioOutputSource.render`, alone and while another
/// thread takes the queue's lock again and again.
struct RenderProbe {
  var frameCount: Int
  var callCount: Int

  func run() throws {
    say("render of \(frameCount) frames (µs)          median   99 %   worst")
    for isContended in [false, true] {
      let times = try measure(isContended: isContended).sorted()
      let columns = [times[times.count / 2], times[times.count * 99 / 100], times[times.count - 1]]
      let texts = columns.map { time in
        let text = String(Double(time.nanoseconds / 10) / 100)
        return String(repeating: " ", count: max(1, 8 - text.count)) + text
      }
      say((isContended ? "a thread waits for the lock       " : "no other thread                   ") + texts.joined())
    }
  }

  private func measure(isContended: Bool) throws -> [TimeSpan] {
    let output = AskingOutput()
    let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)
    let returned = Guarded<[AudioQueueBuffer]>([])
    let queue = try AudioQueue(format: format, output: output) { event in
      if case .bufferReturned(let buffer) = event { returned.withLock { $0.append(buffer) } }
    }
    for _ in 0..<8 {
      let buffer = try queue.allocateBuffer(frameCapacity: 4096)
      buffer.bytes.initializeMemory(as: UInt8.self, repeating: 1)
      buffer.frameCount = buffer.frameCapacity
      try queue.enqueue(buffer)
    }
    try queue.start()
    guard let source = output.source else { return [] }
    let progress = Progress()
    let other =
      !isContended
      ? nil
      : WorkerThread(named: "other") {
        while !progress.isOver.load(ordering: .relaxed) {
          _ = queue.isRunning
          progress.lockCount.add(1, ordering: .relaxed)
        }
      }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: frameCount * format.bytesPerFrame, alignment: 16)
    defer { bytes.deallocate() }
    var times: [TimeSpan] = []
    times.reserveCapacity(callCount)
    while times.count < callCount {
      let start = MonotonicTime.now
      let count = source.render(into: bytes)
      times.append(.now - start)
      guard count == bytes.count else { throw EmptyQueue() }
      while let buffer = returned.withLock({ $0.popLast() }) { try queue.enqueue(buffer) }
    }
    progress.isOver.store(true, ordering: .relaxed)
    other?.join()
    if isContended { say("the other thread took the lock \(progress.lockCount.load(ordering: .relaxed)) times") }
    queue.dispose()
    return times
  }
}

private struct EmptyQueue: Error {}

private final class Progress: Sendable {
  let isOver = Atomic(false)
  let lockCount = Atomic(0)
}
