public import AudioOutput
internal import Synchronization

/// The player: performs what `PlaybackMachine` decides, on a thread of its own.
///
/// Commands go in, notices and snapshots come out; every call returns at once and any thread may make it, except where
/// it says otherwise.
public final class PlaybackEngine: Sendable {
  /// How deep it buffers.
  public struct Configuration: Sendable {
    /// Buffers that travel between decoder and queue (CONTRACTS 004-03).
    public var bufferCount = 3
    /// Seconds of audio in a full buffer.
    public var bufferSeconds = 1.0
    /// Seconds of audio in the first buffer after a start or seek, so that it is heard soon.
    public var firstBufferSeconds = 0.1

    /// The player's default.
    public init() {}
  }

  private let mailbox = Mailbox<FeederMessage>()
  private let outbox: Outbox
  private let thread: FeederThread

  /// Starts the feeder thread.
  ///
  /// `makeOutput` is called on the feeder thread, again after the output was lost; `wake` on any thread, when notices
  /// are there or the snapshot changed: it must only pass the word on.
  public init(
    configuration: Configuration = Configuration(),
    makeOutput: @escaping @Sendable () throws(AudioOutputError) -> any AudioOutput,
    wake: @escaping @Sendable () -> Void
  ) {
    let outbox = Outbox(wake: wake)
    self.outbox = outbox
    thread = FeederThread { [mailbox] in
      Feeder(configuration: configuration, mailbox: mailbox, outbox: outbox, makeOutput: makeOutput).run()
    }
  }

  /// Asks for something. Commands are obeyed in order.
  public func send(_ command: PlaybackCommand) { mailbox.post(.command(command)) }

  /// All that can be seen of the player now.
  public var snapshot: PlaybackSnapshot { outbox.snapshot }

  /// What happened since the last call, oldest first.
  public func takeNotices() -> [PlaybackNotice] { outbox.takeNotices() }

  /// Waits until all commands sent so far took effect, at most so long. Not from `wake`.
  public func settle(withinNanoseconds limit: UInt64) {
    let done = Mailbox<Void>()
    mailbox.post(.barrier(done))
    _ = done.take(until: monotonicNanoseconds() &+ limit)
  }

  /// Ends playback at once, closes the output and the thread, and waits for both. The last call.
  public func shutDown() {
    mailbox.post(.quit)
    thread.join()
  }
}

/// What reaches the feeder.
enum FeederMessage: Sendable {
  case command(PlaybackCommand)
  /// From the queue of that number; an older queue's last words are dropped.
  case queue(AudioQueueEvent, number: Int)
  case barrier(Mailbox<Void>)
  case quit
}

/// What leaves it.
final class Outbox: Sendable {
  private let state = Mutex<(snapshot: PlaybackSnapshot, notices: [PlaybackNotice])>((PlaybackSnapshot(), []))
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  var snapshot: PlaybackSnapshot { state.withLock { $0.snapshot } }

  func takeNotices() -> [PlaybackNotice] {
    state.withLock { state in
      defer { state.notices.removeAll() }
      return state.notices
    }
  }

  /// Publishes a whole snapshot with the notices that explain it. Wakes the listener only if there is more to see than
  /// a clock that runs as expected.
  func publish(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    let isNews = state.withLock { state in
      var expected = state.snapshot
      if snapshot.clock.isRunning, expected.clock.isRunning { expected.clock = snapshot.clock }
      state.snapshot = snapshot
      state.notices += notices
      return !notices.isEmpty || expected != snapshot
    }
    if isNews { wake() }
  }
}
