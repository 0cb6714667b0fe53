public import AudioOutput
public import AudioSession
public import Streaming
internal import Synchronization
internal import Threads

/// The player: performs what `PlaybackMachine` decides, on a thread of its own.
///
/// Commands go in, notices and snapshots come out; every call returns at once and any thread may make it, except where
/// it says otherwise.
public final class PlaybackEngine: Sendable {
  /// How deep it buffers. The device's own depth comes on top; pause, seek and stop act at once however deep that is.
  public struct Configuration: Sendable {
    /// Buffers that travel between decoder and queue.
    public var bufferCount = AudioQueue.recommendedBufferCount
    /// Seconds of audio in a full buffer.
    public var bufferSeconds = 0.5
    /// Seconds of audio in the first buffer after a start or seek, so that it is heard soon.
    public var firstBufferSeconds = 0.25
    /// The same of a stream that is still arriving: it is waited for.
    public var firstArrivingSeconds = 0.15
    /// Seconds of a network stream that must have arrived before it goes on after it ran dry.
    public var refillSeconds = 3.0
    /// Seconds of a station that are kept to go back in, until `setTimeShift`.
    public var shiftSeconds = 600.0
    /// How deep the device buffers.
    public var output = AudioOutputBuffering.deep

    /// What the sound is for: music that calls silence, unless another category or an option says otherwise.
    public var session = AudioSession()
    /// What time it is (CLOCK_MONOTONIC nanoseconds). Tests have clocks of their own.
    package var now: @Sendable () -> UInt64 = monotonicNanoseconds

    /// The player's default.
    public init() { try? session.setCategory(.playback) }
  }

  private let mailbox = Mailbox<FeederMessage>()
  private let outbox: Outbox
  private let ended = Mailbox<Void>()
  private let thread: WorkerThread

  /// Starts the feeder thread.
  ///
  /// `wake` is called on the feeder thread when there are notices or the snapshot changed: it must only pass the word
  /// on.
  public init(
    output: any AudioOutput, network: Network? = nil, configuration: Configuration = Configuration(),
    wake: @escaping @Sendable () -> Void
  ) {
    let outbox = Outbox(wake: wake)
    self.outbox = outbox
    thread = WorkerThread(named: "feeder") { [mailbox, ended] in
      Feeder(output: output, network: network, configuration: configuration, mailbox: mailbox, outbox: outbox).run()
      ended.post(())
    }
  }

  /// Ends the thread, and playback with it, without waiting for either (`shutDown`).
  deinit { mailbox.post(.quit) }

  /// Asks for something. Commands are obeyed in order.
  public func send(_ command: PlaybackCommand) {
    outbox.noteSent(command)
    mailbox.post(.command(command))
  }

  /// All that can be seen of the player now.
  public var snapshot: PlaybackSnapshot { outbox.snapshot }

  /// Seconds into the track at this moment.
  public var position: Double { snapshot.position(atNanoseconds: monotonicNanoseconds()) }

  /// What happened since the last call, oldest first.
  public func takeNotices() -> [PlaybackNotice] { outbox.takeNotices() }

  /// Waits until all commands sent so far took effect, at most so long. Not from `wake`.
  public func settle(withinNanoseconds limit: UInt64) {
    let done = Mailbox<Void>()
    mailbox.post(.barrier(done))
    _ = done.take(until: monotonicNanoseconds() &+ limit)
  }

  /// Ends playback at once, closes the queue and the thread, and waits for both: not for ever, as the thread may be
  /// reading from a disk that does not answer, or looking through a file of gigabytes. The last call.
  public func shutDown() {
    mailbox.post(.quit)
    if !ended.take(until: monotonicNanoseconds() &+ 1_000_000_000).isEmpty { thread.join() }
  }
}
