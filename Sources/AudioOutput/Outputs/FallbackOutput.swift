public import AudioModel
internal import Threads

/// Plays through one output, or through another one if there is no server when the first stream is opened. Whichever
/// opens a stream first stays. While neither does, the failures are those of the first.
///
/// Safety: the choice is guarded; no call to an output or a source is made under its lock.
public final class FallbackOutput: AudioOutput {
  fileprivate enum Choice { case open, first, second }

  private let first: any AudioOutput
  private let second: any AudioOutput
  private let choice = Guarded(Choice.open)

  /// An output that plays through `first`, or else through `second`.
  public init(_ first: any AudioOutput, orElse second: any AudioOutput) { (self.first, self.second) = (first, second) }

  private var present: any AudioOutput { choice.withLock { $0 } == .second ? second : first }
  private var both: [any AudioOutput] { [first, second] }

  /// Connects the first output.
  public func connect() { first.connect() }

  /// Opens a stream of the chosen output.
  public func openStream(
    _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
  ) -> any AudioOutputStream {
    guard choice.withLock({ $0 }) == .open else {
      return present.openStream(format, buffering: buffering, source: source)
    }
    let stream = FallbackStream(source, choice) { [second] in
      second.openStream(format, buffering: buffering, source: $0)
    }
    stream.begin(with: first.openStream(format, buffering: buffering, source: stream))
    return stream
  }

  /// Sets the volume of both.
  public func setVolume(_ volume: Double, isMuted: Bool) {
    for output in both { output.setVolume(volume, isMuted: isMuted) }
  }

  /// Sets the track of both.
  public func setTrack(title: String?, artist: String?) {
    for output in both { output.setTrack(title: title, artist: artist) }
  }

  /// Sets the role of both.
  public func setRole(_ role: String, ducksOthers: Bool) {
    for output in both { output.setRole(role, ducksOthers: ducksOthers) }
  }

  /// Sets the rate of both.
  public func setPreferredSampleRate(_ rate: Double?) { for output in both { output.setPreferredSampleRate(rate) } }

  /// As the chosen output does.
  public var mixes: Bool { present.mixes }

  /// Those of the chosen output.
  public var devices: AudioDevices? { present.devices }

  /// Chooses the device of both.
  public func setDevice(_ name: String?) { for output in both { output.setDevice(name) } }
}

/// A stream of the first output until that fails for want of a server, then one of the second. It is the source of both.
private final class FallbackStream: AudioOutputStream, AudioOutputSource {
  private struct State {
    var stream: (any AudioOutputStream)?
    var isResumed = false
    var mustDrain = false
    var isClosed = false
    /// The failure of the first output, after which the second one is tried.
    var failure: AudioOutputError?
  }

  private let source: any AudioOutputSource
  private let choice: Guarded<FallbackOutput.Choice>
  private let openSecond: @Sendable (any AudioOutputSource) -> any AudioOutputStream
  private let state = Guarded(State())

  init(
    _ source: any AudioOutputSource, _ choice: Guarded<FallbackOutput.Choice>,
    openSecond: @escaping @Sendable (any AudioOutputSource) -> any AudioOutputStream
  ) {
    (self.source, self.choice, self.openSecond) = (source, choice, openSecond)
  }

  /// The stream may have failed already.
  func begin(with stream: any AudioOutputStream) { state.withLock { if $0.failure == nil { $0.stream = stream } } }

  /// Notes a request, and returns the stream that it is for.
  private func stream(_ note: (inout State) -> Void = { _ in }) -> (any AudioOutputStream)? {
    state.withLock { state in
      note(&state)
      return state.stream
    }
  }

  // MARK: The stream

  var clock: AudioClock { stream()?.clock ?? AudioClock(frame: 0, referenceTime: .zero, framesPerSecond: 0) }
  func sourceHasFrames() { stream()?.sourceHasFrames() }
  func resume() { stream { $0.isResumed = true }?.resume() }
  func pause() { stream { $0.isResumed = false }?.pause() }
  func flush() { stream { $0.mustDrain = false }?.flush() }
  func rewind(toFrame frame: Int64) -> Bool { stream { $0.mustDrain = false }?.rewind(toFrame: frame) ?? false }
  func rewind(notBefore frame: Int64) -> Int64 { stream { $0.mustDrain = false }?.rewind(notBefore: frame) ?? frame }
  func drain() { stream { $0.mustDrain = true }?.drain() }
  func close() {
    stream { $0.isClosed = true }?.close()
    state.withLock { $0.stream = nil }
  }

  // MARK: The source

  func render(into bytes: UnsafeMutableRawBufferPointer) -> Int { source.render(into: bytes) }

  func handle(_ event: AudioOutputEvent) {
    guard case .failed(let error) = event else {
      let isSecond = state.withLock { $0.failure != nil }
      choice.withLock { if $0 == .open { $0 = isSecond ? .second : .first } }
      return source.handle(event)
    }
    guard choice.withLock({ $0 }) == .open else { return source.handle(event) }
    let failure = state.withLock { $0.failure }
    if failure == nil, [.noServer, .libraryMissing].contains(error.code) { return turn(after: error) }
    // Without a card either, it is the server that is missing.
    source.handle(.failed(failure ?? error))
  }

  /// The first stream has ended, before it rendered anything.
  private func turn(after error: AudioOutputError) {
    state.withLock { $0.failure = error }
    let second = openSecond(self)
    let (isResumed, mustDrain, isClosed) = state.withLock { state in
      state.stream = state.isClosed ? nil : second
      return (state.isResumed, state.mustDrain, state.isClosed)
    }
    if isClosed { return second.close() }
    if isResumed { second.resume() }
    if mustDrain { second.drain() }
  }
}
