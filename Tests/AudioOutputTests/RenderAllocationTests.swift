import AudioModel
import AudioOutput
import Glibc
import SoundServerSupport
import Testing

/// Counts what Swift allocates on one thread, by the runtime's hook for profilers.
private enum AllocationCounter {
  private typealias Allocate = @convention(c) (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?
  nonisolated(unsafe) private static var original: UnsafeRawPointer?
  nonisolated(unsafe) private static var thread = pthread_t()
  nonisolated(unsafe) private static var count = 0

  private static let replacement: Allocate = { type, size, alignment in
    if pthread_equal(pthread_self(), thread) != 0 { count += 1 }
    return unsafeBitCast(original, to: Allocate.self)(type, size, alignment)
  }

  /// Objects that `body` allocates; nil if the runtime has no hook.
  static func count(_ body: () -> Void) -> Int? {
    let flag = dlsym(nil, "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly")
    guard let flag, let hook = dlsym(nil, "_swift_allocObject") else { return nil }
    let replacement = unsafeBitCast(replacement, to: UnsafeRawPointer.self)
    (original, thread, count) = (hook.load(as: UnsafeRawPointer.self), pthread_self(), 0)
    hook.storeBytes(of: replacement, as: UnsafeRawPointer.self)
    flag.storeBytes(of: true, as: Bool.self)
    body()
    flag.storeBytes(of: false, as: Bool.self)
    if let original { hook.storeBytes(of: original, as: UnsafeRawPointer.self) }
    return count
  }
}

@Suite struct `Rendering` {
  /// In a process of its own, because the hook is that of all threads, and other tests allocate meanwhile.
  @Test func `allocates nothing, not even where a buffer comes back`() async {
    await #expect(processExitsWith: .success) {
      for keepsUnheard in [false, true] { try Self.render(keepsUnheard: keepsUnheard) }
    }
  }

  private static func render(keepsUnheard: Bool) throws {
    let output = AskingOutput()
    let format = PCMFormat(sampleRate: 44100, channelCount: 2, sampleFormat: .s16)
    nonisolated(unsafe) var returnedCount = 0
    let queue = try AudioQueue(format: format, output: output, keepsUnheard: keepsUnheard) { event in
      if case .bufferReturned = event { returnedCount += 1 }
    }
    for _ in 0..<4 { try queue.enqueue([Int16](repeating: 1, count: 8820)) }
    try queue.start()
    let source = try #require(output.source)
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 8192, alignment: 16)
    defer { bytes.deallocate() }
    // The first buffer to come back makes the list of threads that call the listener.
    while returnedCount < 1 { #expect(source.render(into: bytes) == 8192) }
    let count = AllocationCounter.count { while source.render(into: bytes) == bytes.count {} }
    #expect(returnedCount == 4)
    #expect(count == 0)
    queue.dispose()
  }
}
