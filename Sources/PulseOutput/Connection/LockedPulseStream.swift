internal import AudioOutput

/// A `PulseStream` for any thread: takes the connection's lock for each call.
final class LockedPulseStream: AudioOutputStream {
  private let stream: PulseStream

  init(_ stream: PulseStream) { self.stream = stream }

  var clock: AudioClock { stream.clock }

  func sourceHasFrames() { locked { $0.fill() } }
  func resume() { locked { $0.resume() } }
  func pause() { locked { $0.pause() } }
  func flush() { locked { $0.flush() } }
  func rewind(toFrame frame: Int64) -> Bool { locked { $0.rewind(toFrame: frame) } }
  func rewind(notBefore frame: Int64) -> Int64 { locked { $0.rewind(notBefore: frame) } }
  func drain() { locked { $0.drain() } }
  func close() { locked { $0.close() } }

  private func locked<Result>(_ body: (PulseStream) -> Result) -> Result {
    stream.connection.locked { body(stream) }
  }
}
