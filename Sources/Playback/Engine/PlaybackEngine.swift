public import AudioModel
public import AudioOutput
public import AudioSession
public import ByteIO
public import Streaming
internal import Synchronization
internal import Threads

/// The player: performs the decisions of `PlaybackMachine`, on a thread of its own.
///
/// Commands go in, notices and snapshots come out. Every call returns at once, on any thread, unless its comment says
/// otherwise.
public final class PlaybackEngine: Sendable {
  /// The depth of buffers and other options. The device has a buffer of its own in addition; pause, seek and stop act
  /// at once at any depth.
  public struct Configuration: Sendable {
    /// Buffers that rotate between decoder and queue.
    public var bufferCount = AudioQueue.recommendedBufferCount
    /// Seconds of audio in a full buffer.
    public var bufferSeconds = 0.5
    /// Seconds of audio in the first buffer after a start or seek, so that it is heard soon.
    public var firstBufferSeconds = 0.25
    /// Seconds of audio in the first buffer of a stream that is still arriving.
    public var firstArrivingSeconds = 0.15
    /// Seconds of a network stream that must have arrived before it resumes after an underrun.
    public var refillSeconds = 3.0
    /// Seconds of a station that are kept for seeking back, until `setTimeShift`.
    public var shiftSeconds = 600.0
    /// The time without audio after which a list without an answer to `needsNext` has ended.
    package var answerLimit = TimeSpan.seconds(5)
    /// The time that a command may wait for a disk, once for each time that the disk does not answer; `nil` for ever.
    package var diskPatience: TimeSpan? = .milliseconds(250)
    /// The depth of the device's buffer.
    public var output = AudioOutputBuffering.deep
    /// The measured loudness of files without tags of loudness. Called on the feeder's thread when a track is opened,
    /// if loudness applies: it may read a disk.
    public var measuredGain: ShapedReader.MeasuredGain?
    /// Another place of a track whose file is not there. Called on a thread that may block.
    public var otherPlace: (@Sendable (MediaLocation) -> MediaLocation?)?

    /// The audio session. By default, calls interrupt the music; categories and options change that.
    public var session = AudioSession()
    /// The clock (CLOCK_MONOTONIC), which tests replace.
    package var now: @Sendable () -> MonotonicTime = { .now }

    /// The player's default.
    public init() { try? session.setCategory(.playback) }
  }

  private let mailbox = Mailbox<FeederMessage>()
  private let outbox: Outbox
  private let ended = Mailbox<Void>()
  private let monitor = SoundMonitor()
  private let thread: WorkerThread

  /// Starts the feeder thread.
  ///
  /// `wake` is called on the feeder thread when there are notices or the snapshot changed: it must return at once.
  public init(
    output: any AudioOutput, network: Network? = nil, configuration: Configuration = Configuration(),
    wake: @escaping @Sendable () -> Void
  ) {
    let outbox = Outbox(wake: wake)
    self.outbox = outbox
    thread = WorkerThread(needed: "feeder") { [mailbox, ended, monitor] in
      Feeder(
        output: output, network: network, configuration: configuration, mailbox: mailbox, outbox: outbox,
        monitor: monitor
      ).run()
      ended.post(())
    }
  }

  /// Ends the thread, and playback with it, without waiting for either (`shutDown`).
  deinit { mailbox.post(.quit) }

  /// Sends a command. Commands take effect in order.
  public func send(_ command: PlaybackCommand) {
    outbox.noteSent(command)
    mailbox.post(.command(command))
  }

  /// The visible state of the player.
  public var snapshot: PlaybackSnapshot { outbox.snapshot }

  /// Seconds into the track now.
  public var position: Double { snapshot.position(at: .now) }

  /// The notices since the last call, oldest first.
  public func takeNotices() -> [PlaybackNotice] { outbox.takeNotices() }

  /// The frames that were heard last, at most that number: empty while nothing plays; `nil` before anything was opened.
  ///
  /// Frames that the device got before the first call are unknown: calls return nothing until its buffer has played
  /// out. A first call before playback starts avoids that. After two seconds of playback without a call, frames are not
  /// kept any more.
  public func heard(frameCount: Int) -> HeardSound? { monitor.heard(frameCount: frameCount, at: .now) }

  /// The level of each channel in the last 1/20 s that was heard, for meters: empty as `heard` is. Without calls, nothing
  /// is measured.
  public var levels: [AudioLevel] { heard(frameCount: HeardSound.meterFrameCount)?.latestLevels ?? [] }

  /// A reader of all frames that are heard from now on, for example to serve them to other rooms.
  public func makeSoundReader() -> SoundReader { SoundReader(monitor) { .now } }

  /// Waits until all commands sent so far took effect, at most for this time. Not from `wake`.
  public func settle(within limit: TimeSpan) { post(FeederMessage.barrier, within: limit) }

  /// Looks whether the file that plays has grown: `snapshot` has its present length then. Waits at most for this time.
  public func lookForGrowth(within limit: TimeSpan) {
    mailbox.post(.growth)
    settle(within: limit)
  }

  /// The same, and until there is nothing more to do at once: what can be opened and decoded now is queued. For tests.
  package func rest(within limit: TimeSpan) { post(FeederMessage.rest, within: limit) }

  private func post(_ message: (Mailbox<Void>) -> FeederMessage, within limit: TimeSpan) {
    let done = Mailbox<Void>()
    mailbox.post(message(done))
    _ = done.take(until: .now + limit)
  }

  /// Sets a mark after all commands sent so far: `markReached` is at least its number when they have taken effect.
  public func mark() -> Int {
    let number = outbox.makeMark()
    mailbox.post(.mark(number))
    return number
  }

  /// The last mark that was reached.
  public var markReached: Int { outbox.markReached }

  /// Ends playback at once, closes the queue and the thread, and waits for both, at most 1 s: the thread may be reading
  /// from a disk that does not answer, or indexing a file of gigabytes. The last call.
  public func shutDown() {
    mailbox.post(.quit)
    if !ended.take(until: .now + .seconds(1)).isEmpty { thread.join() }
  }
}
