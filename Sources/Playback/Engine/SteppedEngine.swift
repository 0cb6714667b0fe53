package import AudioOutput
internal import Threads

/// The engine without its thread: the caller makes each turn, under a clock of the caller's (`Configuration.now`). The
/// same calls have the same effects each time. For tests.
package final class SteppedEngine {
  private let mailbox = Mailbox<FeederMessage>()
  private let outbox = Outbox {}
  private let feeder: Feeder

  /// An engine at rest.
  package init(output: any AudioOutput, configuration: PlaybackEngine.Configuration) {
    feeder = Feeder(output: output, network: nil, configuration: configuration, mailbox: mailbox, outbox: outbox)
  }

  /// Asks for something: the next turn obeys.
  package func send(_ command: PlaybackCommand) {
    outbox.noteSent(command)
    mailbox.post(.command(command))
  }

  /// Does what was asked for, and a slice of work. Returns whether there is more to do at once. What the device said
  /// meanwhile is for the next turn.
  package func turn() -> Bool { feeder.turn(until: 0) ?? false }

  /// True if there is something to do that the last turn has not seen.
  package var isCalled: Bool { !mailbox.isEmpty }

  /// When a turn is due though nobody asks for anything.
  package var deadline: UInt64? { feeder.deadline }

  /// All that can be seen of the player now.
  package var snapshot: PlaybackSnapshot { outbox.snapshot }

  /// What happened since the last call, oldest first.
  package func takeNotices() -> [PlaybackNotice] { outbox.takeNotices() }

  /// Sets a mark behind all commands sent so far: `markReached` is at least its number when they took effect.
  package func mark() -> Int {
    let number = outbox.makeMark()
    mailbox.post(.mark(number))
    return number
  }

  /// The last mark that was reached.
  package var markReached: Int { outbox.markReached }

  /// Which rules the feeder's variables break.
  package var violations: [String] { feeder.violations }

  /// Closes the queue.
  package func close() {
    mailbox.post(.quit)
    _ = feeder.turn(until: 0)
  }
}
