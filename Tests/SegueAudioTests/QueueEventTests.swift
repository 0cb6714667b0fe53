import SegueAudio
import SoundServerSupport
import Testing

@Suite struct `The events of a queue` {
  static let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)

  /// A reader that no other thread may touch.
  private final class Signal {
    private var next = 0
    private let count: Int
    init(count: Int) { self.count = count }

    /// True if there was something.
    func fill(_ buffer: AudioQueueBuffer) -> Bool {
      let end = min(next + buffer.frameCapacity, count)
      guard next < end else { return false }
      CodedSignal.write(next..<end, into: buffer.bytes)
      (buffer.frameCount, next) = (end - next, end)
      return true
    }
  }

  @Test(.timeLimit(.minutes(20))) func `let one task own reader and queue`() async throws {
    let output = OfflineOutput()
    let (queue, events) = try AudioQueue.withEvents(format: Self.format, output: output)
    let signal = Signal(count: 10000)
    for _ in 0..<3 {
      let buffer = try queue.allocateBuffer(frameCapacity: 1024)
      #expect(buffer.queue === queue)
      if signal.fill(buffer) { try queue.enqueue(buffer) }
    }
    try queue.start()
    var heard: [UInt8] = []
    var window = [UInt8](repeating: 0, count: 1024 * 4)
    // Stands for the device.
    func render() throws {
      let count = try window.withUnsafeMutableBytes { try output.render(into: $0) }
      heard += window[..<count]
    }
    try render()
    for await event in events {
      switch event {
      case .bufferReturned(let buffer):
        if signal.fill(buffer) { try buffer.queue?.enqueue(buffer) } else { queue.stop(immediately: false) }
        if queue.isRunning { try render() }
      case .isRunning(false): queue.dispose()
      default: break
      }
      if case .isRunning(false) = event { break }
    }
    #expect(CodedSignal.runs(in: heard.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }) == [0..<10000])
  }

  @Test(.timeLimit(.minutes(20))) func `end when the device is lost`() async throws {
    let output = HandCrankedOutput()
    let (queue, events) = try AudioQueue.withEvents(format: Self.format, output: output)
    try queue.start()
    output.stream?.fail()
    var isLost = false
    for await event in events { if case .outputLost = event { isLost = true } }
    #expect(isLost)
  }
}
