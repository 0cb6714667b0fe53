internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import ByteIO

/// The thread between source and queue: takes messages, lets the machine decide, performs its effects, reads, decodes,
/// enqueues. Everything here is touched by that thread only.
///
/// Its order is stop, seek, pause, feed (CONTRACTS B.6): a batch of messages is heard to its end before the source is
/// moved, the last move wins, and only then one buffer is filled.
final class Feeder {
  /// Where the source has to go before it is read again.
  enum Move {
    case open(QueueEntry, from: Double)
    case seek(to: Double)
  }

  /// What follows the track that is being read.
  enum Following {
    case asked
    case known(QueueEntry?)
  }

  let configuration: PlaybackEngine.Configuration
  let mailbox: Mailbox<FeederMessage>
  let outbox: Outbox
  let makeOutput: @Sendable () throws(AudioOutputError) -> any AudioOutput

  var machine = PlaybackMachine()
  var notices: [PlaybackNotice] = []
  var queue: AudioQueue?
  var queueNumber = 0
  /// What the queue plays, oldest first; empty while it plays nothing.
  var timeline = Timeline<LoadedTrack>()
  /// What is being read; `nil` at its end.
  var reading: LoadedTrack?
  var following = Following.known(nil)
  var move: Move?
  /// Where playback goes on, for the time in which the queue plays nothing.
  var kept: (entry: QueueEntry, track: LoadedTrack?, position: Double)?
  /// Whether the next buffer is to be short.
  var isFirstBuffer = true
  var framesEnqueued: Int64 = 0
  var volume = 1.0
  var isMuted = false
  /// When to look for the lost server again, and how long to wait after that.
  var rebuild: (deadline: UInt64, delay: UInt64)?
  var isQuitting = false

  init(
    configuration: PlaybackEngine.Configuration, mailbox: Mailbox<FeederMessage>, outbox: Outbox,
    makeOutput: @escaping @Sendable () throws(AudioOutputError) -> any AudioOutput
  ) {
    self.configuration = configuration
    self.mailbox = mailbox
    self.outbox = outbox
    self.makeOutput = makeOutput
  }

  func run() {
    var isBusy = false
    while !isQuitting {
      var barriers: [Mailbox<Void>] = []
      for message in mailbox.take(until: isBusy ? 0 : deadline) {
        switch message {
        case .command(let command): obey(command)
        case .queue(let event, let number): if number == queueNumber { hear(event) }
        case .barrier(let done): barriers.append(done)
        case .quit: isQuitting = true
        }
      }
      rebuildIfDue()
      performMove()
      isBusy = feed()
      followTimeline()
      publish()
      for done in barriers { done.post(()) }
    }
    queue?.dispose()
  }
}
