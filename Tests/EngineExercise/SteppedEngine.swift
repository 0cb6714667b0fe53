package import AudioModel
package import AudioOutput
import Threads

@testable package import Playback

/// The engine without its thread: the caller runs each turn, under the caller's clock (`Configuration.now`). The same
/// calls have the same effects each time.
package final class SteppedEngine {
  private let mailbox = Mailbox<FeederMessage>()
  private let outbox = Outbox {}
  private let monitor = SoundMonitor()
  private let now: @Sendable () -> MonotonicTime
  private let feeder: Feeder

  /// An engine at rest.
  package init(output: any AudioOutput, configuration: PlaybackEngine.Configuration) {
    now = configuration.now
    var configuration = configuration
    // Another thread would not do the same each time.
    configuration.diskPatience = nil
    feeder = Feeder(
      output: output, network: nil, configuration: configuration, mailbox: mailbox, outbox: outbox, monitor: monitor)
  }

  /// Sends a command, which the next turn handles.
  package func send(_ command: PlaybackCommand) {
    outbox.noteSent(command)
    mailbox.post(.command(command))
  }

  /// Looks whether the file that plays has grown, in the next turn.
  package func lookForGrowth() { mailbox.post(.growth) }

  /// Handles all messages, and does a slice of work. Returns true if there is more to do at once. Events of the device
  /// that come meanwhile are left for the next turn.
  package func turn() -> Bool { feeder.turn(until: .zero) ?? false }

  /// Posts an underrun of the audible queue, as a device's thread does that stood still before it could say so.
  package func tellUnderrunLate() {
    if let number = feeder.deck.queues.audible?.number { mailbox.post(.queue(.underrun, number: number)) }
  }

  /// True if there is a message that the last turn has not seen.
  package var isCalled: Bool { !mailbox.isEmpty }

  /// The time at which a turn is due without a message.
  package var deadline: MonotonicTime? { feeder.deadline }

  /// The visible state of the player.
  package var snapshot: PlaybackSnapshot { outbox.snapshot }

  /// The notices since the last call, oldest first.
  package func takeNotices() -> [PlaybackNotice] { outbox.takeNotices() }

  /// The frames that were heard last, at most that number.
  package func heard(frameCount: Int) -> HeardSound? { monitor.heard(frameCount: frameCount, at: now()) }

  /// A reader of all frames that are heard from now on.
  package func makeSoundReader() -> SoundReader { SoundReader(monitor, now: now) }

  /// Sets a mark after all commands sent so far: `markReached` is at least its number when they have taken effect.
  package func mark() -> Int {
    let number = outbox.makeMark()
    mailbox.post(.mark(number))
    return number
  }

  /// The last mark that was reached.
  package var markReached: Int { outbox.markReached }

  /// The rules that the feeder's variables break.
  package var violations: [String] { feeder.violations }

  /// Closes the queue.
  package func close() {
    mailbox.post(.quit)
    _ = feeder.turn(until: .zero)
  }
}
