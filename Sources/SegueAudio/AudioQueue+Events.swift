extension AudioQueue {
  /// A stopped queue and its events as a sequence. One task owns everything that fills buffers, so a reader and a
  /// decoder need not be `Sendable`.
  ///
  /// ```swift
  /// let (queue, events) = try AudioQueue.withEvents(format: format, output: SilentOutput())
  /// for await event in events {
  ///   if case .bufferReturned(let buffer) = event { fill(buffer); try queue.enqueue(buffer) }
  ///   if case .isRunning(false) = event { break }
  /// }
  /// ```
  /// The sequence ends with `outputLost` and keeps events until they are taken. Each event allocates on the device's
  /// thread; a listener (`init`) avoids that.
  public static func withEvents(
    format: PCMFormat, output: any AudioOutput, buffering: AudioOutputBuffering = .deep, keepsUnheard: Bool = true
  ) throws(AudioQueueError) -> (queue: AudioQueue, events: AsyncStream<AudioQueueEvent>) {
    let (events, continuation) = AsyncStream.makeStream(of: AudioQueueEvent.self)
    let queue = try AudioQueue(format: format, output: output, buffering: buffering, keepsUnheard: keepsUnheard) {
      continuation.yield($0)
      if case .outputLost = $0 { continuation.finish() }
    }
    return (queue, events)
  }
}
