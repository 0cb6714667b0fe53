import AudioModel
import Testing
import Threads

@testable import AudioOutput

@Suite struct `The core of a queue` {
  @Test func `a device that runs empty before the last frame is reported, also after the wish to stop`() throws {
    let events = Guarded<[String]>([])
    let core = AudioQueueCore(format: monoFloats, bufferSeconds: 0.1, keepsUnheard: false, now: { .now }) { event in
      events.withLock { $0.append("\(event)") }
    }
    try core.start(at: nil)
    core.handle(.started)
    #expect(core.stopAtEnd(deviceFrame: 0))
    for event in [.underrun, .started, .drained, .underrun] as [AudioOutputEvent] { core.handle(event) }
    #expect(events.withLock { $0 } == ["isRunning(true)", "started", "underrun", "started", "isRunning(false)"])
  }

  @Test func `a listener that enqueues does not wake the device that is being filled`() throws {
    let (own, wakes) = (Guarded<AudioQueueCore?>(nil), Guarded<[Bool]>([]))
    let core = AudioQueueCore(format: monoFloats, bufferSeconds: 0.1, keepsUnheard: false, now: { .now }) { event in
      guard case .bufferReturned(let buffer) = event, let core = own.withLock({ $0 }) else { return }
      let outcome = try? core.enqueue(buffer, trimStart: 0, trimEnd: 0, startTime: nil, parameters: [])
      wakes.withLock { if let outcome { $0.append(outcome.isWaitedFor) } }
    }
    own.withLock { $0 = core }
    defer { own.withLock { $0 = nil } }
    let buffer = AudioQueueBuffer(owner: ObjectIdentifier(core), frameCapacity: 100, bytesPerFrame: 4)
    buffer.frameCount = 100
    #expect(try core.enqueue(buffer, trimStart: 0, trimEnd: 0, startTime: nil, parameters: []).isWaitedFor)
    // The device asks while it is being rewound, and gets nothing.
    core.hold()
    var bytes = [UInt8](repeating: 0, count: 1000)
    #expect(bytes.withUnsafeMutableBytes { core.render(into: $0) } == 0)
    core.withState { $0.isHeld = false }
    #expect(bytes.withUnsafeMutableBytes { core.render(into: $0) } == 1000)
    #expect(wakes.withLock { $0 } == [false, false])
  }
}
