import AudioSession
import ByteIO
import Testing

@testable import Playback

extension QueueEntry {
  fileprivate static let any = QueueEntry(id: 7, location: .url("http://localhost/any"))
}

extension PlaybackEvent {
  fileprivate static let playEntry = Self.request(.play(.any, from: 2))
}

extension PlaybackEffect {
  fileprivate static let openEntry = Self.obey(.play(.any, from: 2))
}

/// The states of docs/states.md, row by row. A transcript is a list of events, the effects of the last one, and the
/// state after it.
struct PlaybackMachineTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var history: [PlaybackEvent]
    var event: PlaybackEvent
    var effects: [PlaybackEffect]
    var state: PlaybackState
    var reason: PlaybackReason
    var testDescription: String { name }

    init(
      _ name: String, _ history: [PlaybackEvent], _ event: PlaybackEvent, _ effects: [PlaybackEffect],
      _ state: PlaybackState, _ reason: PlaybackReason = .user
    ) {
      self.name = name
      self.history = history
      self.event = event
      self.effects = effects
      self.state = state
      self.reason = reason
    }
  }

  static let waiting: [PlaybackEvent] = [.playEntry]
  static let primed: [PlaybackEvent] = [.playEntry, .primed]
  static let playing: [PlaybackEvent] = [.playEntry, .primed, .outputStarted]
  static let paused = playing + [.pause]
  static let flushing = playing + [.sourceEnded]
  static let interrupted = playing + [.interruptionBegan(.default, from: .simulation)]
  static let serverLost = playing + [.outputLost]
  static let end: [PlaybackEvent] = [.request(.seek(to: 99)), .sourceEnded]

  static let rows: [Row] = [
    Row(
      "Stopped, play: Waiting", [], .playEntry, [.openEntry, .announce(.waiting, .starting)], .waiting, .starting),
    Row(
      "Stopped, play, output or activation refused: Stopped, failed", waiting, .outputRefused,
      [.stopOutput, .announce(.stopped, .failed)], .stopped, .failed),
    Row(
      "Stopped, play, file unreadable: Stopped, failed", waiting, .trackFailed,
      [.stopOutput, .announce(.stopped, .failed)], .stopped, .failed),
    Row("Waiting, first buffer enqueued: the device is started", waiting, .primed, [.startOutput], .waiting, .starting),
    Row("Waiting, device STARTED: Playing", primed, .outputStarted, [.announce(.playing, .user)], .playing),
    Row("Waiting, pause: Paused", waiting, .pause, [.pauseOutput, .announce(.paused, .user)], .paused),
    Row(
      "Waiting, pause after the device was told to start: Paused", primed, .pause,
      [.pauseOutput, .announce(.paused, .user)], .paused),
    Row(
      "Paused before there was a device, play: Waiting, not Playing", [.playEntry, .pause, .primed], .resume,
      [.startOutput, .announce(.waiting, .starting)], .waiting, .starting),
    Row(
      "Paused before there was a device, played, STARTED: Playing", primed + [.pause, .resume], .outputStarted,
      [.announce(.playing, .user)], .playing),
    Row("Playing, pause: Paused", playing, .pause, [.pauseOutput, .announce(.paused, .user)], .paused),
    Row("Paused before any data, primed: fills, stays silent", [.playEntry, .pause], .primed, [], .paused),
    Row(
      "Paused with data in the queue, play: Playing", paused, .resume,
      [.startOutput, .announce(.playing, .user)], .playing),
    Row(
      "Paused without data, play: Waiting", [.playEntry, .pause], .resume, [.announce(.waiting, .starting)], .waiting,
      .starting),
    Row(
      "Playing, queue empty, source not at its end: Waiting", playing, .starved,
      [.pauseOutput, .announce(.waiting, .buffering(percent: nil))], .waiting, .buffering(percent: nil)),
    Row(
      "Waiting (buffering), enough again: the device is started", playing + [.starved], .primed, [.startOutput],
      .waiting,
      .buffering(percent: nil)),
    Row(
      "Playing, progress = t: Waiting", playing, .request(.seek(to: 5)),
      [.obey(.seek(to: 5)), .announce(.waiting, .seeking)], .waiting, .seeking),
    Row(
      "Paused, progress = t: moves at once, stays Paused", paused, .request(.seek(to: 5)),
      [.obey(.seek(to: 5))], .paused),
    Row("Stopped, progress = t: nothing", [], .request(.seek(to: 5)), [], .stopped),
    Row(
      "a seek to the end: Flushing without data", playing + [.request(.seek(to: 99))], .sourceEnded,
      [.startOutput, .drainOutput], .waiting, .seeking),
    Row(
      "a seek to the end, played out: Stopped", playing + end, .drained,
      [.stopOutput, .announce(.stopped, .finished)], .stopped, .finished),
    Row("a seek to the end while paused stays Paused", paused + end, .drained, [], .paused),
    Row(
      "a seek to the end while paused, resumed: drained", paused + end, .resume,
      [.startOutput, .drainOutput, .announce(.playing, .user)], .playing),
    Row(
      "Playing, source at its end: Flushing, shown as Playing", playing, .sourceEnded,
      [.startOutput, .drainOutput], .playing),
    Row(
      "a track shorter than a buffer ends before the device runs: it is started and drained", primed, .sourceEnded,
      [.startOutput, .drainOutput], .waiting, .starting),
    Row(
      "a short track is Playing when its device runs, not before", primed + [.sourceEnded], .outputStarted,
      [.announce(.playing, .user)], .playing),
    Row(
      "a short track without a device never was Playing", primed + [.sourceEnded], .outputRefused,
      [.stopOutput, .announce(.stopped, .failed)], .stopped, .failed),
    Row(
      "Flushing, seek: Waiting", flushing, .request(.seek(to: 1)),
      [.obey(.seek(to: 1)), .announce(.waiting, .seeking)], .waiting, .seeking),
    Row(
      "Flushing, pause: Paused, the tail kept", flushing, .pause, [.pauseOutput, .announce(.paused, .user)], .paused),
    Row(
      "Paused in the tail, play: goes on flushing", flushing + [.pause], .resume,
      [.startOutput, .drainOutput, .announce(.playing, .user)], .playing),
    Row(
      "Flushing, interruption: Paused", flushing, .interruptionBegan(.default, from: .simulation),
      [.pauseOutput, .announce(.paused, .interruption)], .paused, .interruption),
    Row(
      "Flushing, IsRunning 0: Stopped, finished", flushing, .drained,
      [.stopOutput, .announce(.stopped, .finished)], .stopped, .finished),
    Row("Flushing, and there is more after all: Playing", flushing, .sourceContinues, [.undrainOutput], .playing),
    Row(
      "Flushing before the device runs, and there is more after all: Waiting", primed + [.sourceEnded],
      .sourceContinues, [.undrainOutput], .waiting, .starting),
    Row(
      "Paused in the tail, and there is more after all: Paused", flushing + [.pause], .sourceContinues,
      [.undrainOutput], .paused),
    Row("Playing, and there is more: as it was", playing, .sourceContinues, [], .playing),
    Row("Playing, stop: Stopped", playing, .stop, [.stopOutput, .announce(.stopped, .user)], .stopped),
    Row("Waiting, stop: Stopped", waiting, .stop, [.stopOutput, .announce(.stopped, .user)], .stopped),
    Row("Paused, stop: Stopped", paused, .stop, [.stopOutput, .announce(.stopped, .user)], .stopped),
    Row(
      "stop also ends a pause by interruption", interrupted, .stop, [.stopOutput, .announce(.stopped, .user)], .stopped),
    Row(
      "Playing, interruption: Paused", playing, .interruptionBegan(.default, from: .simulation),
      [.pauseOutput, .announce(.paused, .interruption)], .paused, .interruption),
    Row(
      "Waiting, interruption: Paused", waiting, .interruptionBegan(.default, from: .simulation),
      [.pauseOutput, .announce(.paused, .interruption)], .paused, .interruption),
    Row(
      "SIGTSTP: Paused (suspended)", playing, .interruptionBegan(.appWasSuspended, from: .terminal),
      [.pauseOutput, .announce(.paused, .suspended)], .paused, .suspended),
    Row(
      "interruption over, ShouldResume: Playing", interrupted,
      .interruptionEnded(from: .simulation, shouldResume: true),
      [.startOutput, .announce(.playing, .user)], .playing),
    Row(
      "interruption over, not ShouldResume: stays Paused", interrupted,
      .interruptionEnded(from: .simulation, shouldResume: false),
      [], .paused, .interruption),
    Row(
      "the user had paused before: ShouldResume does not play",
      paused + [.interruptionBegan(.default, from: .simulation)],
      .interruptionEnded(from: .simulation, shouldResume: true), [], .paused),
    Row(
      "the user pauses during the interruption: ShouldResume does not play", interrupted + [.pause],
      .interruptionEnded(from: .simulation, shouldResume: true), [], .paused),
    Row(
      "the user plays during the interruption: Playing", interrupted, .resume,
      [.startOutput, .announce(.playing, .user)], .playing),
    Row(
      "an end without a begin: nothing", playing, .interruptionEnded(from: .simulation, shouldResume: true), [],
      .playing),
    Row("an interruption while stopped: nothing", [], .interruptionBegan(.default, from: .simulation), [], .stopped),
    Row(
      "and its end does not start anything", [.interruptionBegan(.default, from: .simulation)],
      .interruptionEnded(from: .simulation, shouldResume: true), [], .stopped),
    Row(
      "device gone: Paused (route)", playing, .routeLost, [.pauseOutput, .announce(.paused, .routeLost)], .paused,
      .routeLost),
    Row(
      "an interruption's end does not undo a lost route",
      playing + [.routeLost, .interruptionBegan(.default, from: .simulation)],
      .interruptionEnded(from: .simulation, shouldResume: true), [], .paused, .routeLost),
    Row(
      "interruptions overlap: the player goes on after the last one",
      interrupted + [.interruptionBegan(.default, from: .soundServer)],
      .interruptionEnded(from: .simulation, shouldResume: true), [], .paused, .interruption),
    Row(
      "server lost: Waiting (server), rebuild", playing, .outputLost,
      [.rebuildOutput, .announce(.waiting, .serverLost)], .waiting, .serverLost),
    Row(
      "stream ended with its device: Paused (route), rebuild", playing, .deviceLost,
      [.rebuildOutput, .announce(.paused, .routeLost)], .paused, .routeLost),
    Row("the same while paused: stays Paused by the user", paused, .deviceLost, [.rebuildOutput], .paused),
    Row(
      "no device yet, the listener plays: Waiting (route)", playing + [.deviceLost, .outputLost], .resume,
      [.announce(.waiting, .routeLost)], .waiting, .routeLost),
    Row(
      "a device again: the listener has to say so", playing + [.deviceLost], .primed, [], .paused, .routeLost),
    Row(
      "a device again, and the listener plays: Waiting until STARTED", playing + [.deviceLost, .primed], .resume,
      [.startOutput, .announce(.waiting, .routeLost)], .waiting, .routeLost),
    Row(
      "device suspended: Waiting (device)", playing, .outputStalled, [.announce(.waiting, .outputStalled)], .waiting,
      .outputStalled),
    Row(
      "device back: Playing", playing + [.outputStalled], .outputContinues, [.announce(.playing, .user)], .playing),
    Row(
      "device stands still, STARTED: Playing", playing + [.outputStalled], .outputStarted,
      [.announce(.playing, .user)], .playing),
    Row(
      "device suspended in the tail: Waiting, and on", flushing + [.outputStalled], .outputContinues,
      [.announce(.playing, .user)], .playing),
    Row(
      "the device does not start: Waiting (device)", primed, .outputStalled,
      [.announce(.waiting, .outputStalled)], .waiting, .outputStalled),
    Row(
      "it does not start after a seek: Waiting (device)", playing + [.request(.seek(to: 1)), .primed],
      .outputStalled, [.announce(.waiting, .outputStalled)], .waiting, .outputStalled),
    Row(
      "it starts late: Playing", primed + [.outputStalled], .outputStarted, [.announce(.playing, .user)], .playing),
    Row(
      "it does not start for a short track: Waiting (device)", primed + [.sourceEnded], .outputStalled,
      [.announce(.waiting, .outputStalled)], .waiting, .outputStalled),
    Row(
      "the server is back, its device does not start: Waiting (device)", serverLost + [.primed], .outputStalled,
      [.announce(.waiting, .outputStalled)], .waiting, .outputStalled),
    Row(
      "a seek does not make it play: still Waiting (device)", playing + [.outputStalled], .request(.seek(to: 3)),
      [.obey(.seek(to: 3))], .waiting, .outputStalled),
    Row(
      "nor does another track", playing + [.outputStalled], .playEntry, [.openEntry], .waiting, .outputStalled),
    Row(
      "but STARTED: Playing", playing + [.outputStalled, .playEntry, .primed], .outputStarted,
      [.announce(.playing, .user)], .playing),
    Row(
      "the server has no device: Waiting (no device), rebuild", playing, .noDevice,
      [.rebuildOutput, .announce(.waiting, .noDevice)], .waiting, .noDevice),
    Row(
      "it has none again: one announcement for all", playing + [.noDevice, .primed], .noDevice, [.rebuildOutput],
      .waiting, .noDevice),
    Row("a device that was never suspended is back: nothing", primed, .outputContinues, [], .waiting, .starting),
    Row("server lost while paused: stays Paused", paused, .outputLost, [.rebuildOutput], .paused),
    Row(
      "server back: the device is started, still Waiting (server)", serverLost, .primed, [.startOutput], .waiting,
      .serverLost),
    Row(
      "server back, STARTED: Playing", serverLost + [.primed], .outputStarted, [.announce(.playing, .user)], .playing),
    Row(
      "server lost again before it started: one announcement for all", serverLost + [.primed], .outputLost,
      [.rebuildOutput], .waiting, .serverLost),
    Row(
      "the server opens no stream: Waiting (stream), asked again", waiting, .streamNotOpened,
      [.rebuildOutput, .announce(.waiting, .streamNotOpened)], .waiting, .streamNotOpened),
    Row(
      "it opens none again: one announcement for all", waiting + [.streamNotOpened], .streamNotOpened,
      [.rebuildOutput], .waiting, .streamNotOpened),
    Row(
      "it opens one: the device is started, still Waiting (stream)", waiting + [.streamNotOpened], .primed,
      [.startOutput], .waiting, .streamNotOpened),
    Row(
      "it opens one, STARTED: Playing", waiting + [.streamNotOpened, .primed], .outputStarted,
      [.announce(.playing, .user)], .playing),
    Row(
      "it opens none while paused: stays Paused", paused, .streamNotOpened, [.rebuildOutput], .paused),
    Row(
      "a seek without a stream moves the kept place", waiting + [.streamNotOpened], .request(.seek(to: 3)),
      [.obey(.seek(to: 3))], .waiting, .streamNotOpened),
    Row(
      "another track without a server does not bring it back", serverLost, .playEntry, [.openEntry], .waiting,
      .serverLost),
    Row(
      "nor while a stream is being opened", serverLost + [.primed], .playEntry, [.openEntry], .waiting, .serverLost),
    Row(
      "nor does a seek", serverLost + [.primed], .request(.seek(to: 3)), [.obey(.seek(to: 3))], .waiting, .serverLost),
    Row(
      "but STARTED: Playing the other track", serverLost + [.playEntry, .primed], .outputStarted,
      [.announce(.playing, .user)], .playing),
    Row(
      "another track while there is no device", playing + [.noDevice], .playEntry, [.openEntry], .waiting, .noDevice),
    Row(
      "another track while no stream is opened, from a pause", paused + [.streamNotOpened], .playEntry,
      [.openEntry, .announce(.waiting, .streamNotOpened)], .waiting, .streamNotOpened),
    Row(
      "another track after the device was replaced: it is started", playing + [.deviceLost, .primed], .playEntry,
      [.openEntry, .announce(.waiting, .starting)], .waiting, .starting),
    Row("server back after a user pause: stays Paused", serverLost + [.pause], .primed, [], .paused),
    Row(
      "a seek without a server moves the kept place", serverLost, .request(.seek(to: 3)), [.obey(.seek(to: 3))],
      .waiting, .serverLost),
    Row(
      "play anew from a pause: Waiting", paused, .playEntry, [.openEntry, .announce(.waiting, .starting)], .waiting,
      .starting),
    Row("no effect: play while Playing", playing, .resume, [], .playing),
    Row("no effect: play while Waiting", waiting, .resume, [], .waiting, .starting),
    Row("no effect: pause while Paused", paused, .pause, [], .paused),
    Row("no effect: pause while Stopped", [], .pause, [], .stopped),
    Row("no effect: stop while Stopped", [], .stop, [], .stopped),
    Row(
      "paused while it buffers, enough again: stays Paused", playing + [.starved, .pause], .primed, [], .paused),
    Row(
      "paused right after a seek, the place is there: stays Paused",
      playing + [.request(.seek(to: 1)), .pause], .primed, [], .paused),
    Row(
      "paused at the interruption's beginning, whoever was first: stays Paused",
      playing + [.pause, .interruptionBegan(.default, from: .soundServer), .primed],
      .interruptionEnded(from: .soundServer, shouldResume: true), [], .paused),
    Row("late: STARTED after stop", playing + [.stop], .outputStarted, [], .stopped),
    Row("late: drained after a seek", flushing + [.request(.seek(to: 1))], .drained, [], .waiting, .seeking),
    Row("late: starved while flushing", flushing, .starved, [], .playing),
    Row(
      "late: drained after the answer that more follows: the device is started again", flushing + [.sourceContinues],
      .drained, [.pauseOutput, .announce(.waiting, .buffering(percent: nil))], .waiting, .buffering(percent: nil)),
    Row(
      "late: drained before the device was heard of, and more follows", primed + [.sourceEnded, .sourceContinues],
      .drained, [.pauseOutput, .announce(.waiting, .buffering(percent: nil))], .waiting, .buffering(percent: nil)),
    Row("late: STARTED after the pause that overtook it", primed + [.pause], .outputStarted, [], .paused),
  ]

  @Test(arguments: rows)
  func `every row of the table`(row: Row) {
    var machine = PlaybackMachine()
    for event in row.history { _ = machine.handle(event) }
    #expect(machine.handle(row.event) == row.effects)
    #expect(machine.state == row.state)
    #expect(machine.reason == row.reason)
  }

  @Test func `a seek is limited to the track, and NaN is none`() {
    #expect(SourceRequest.seek(to: -3, duration: 10) == .seek(to: 0))
    #expect(SourceRequest.seek(to: .infinity, duration: 10) == .seek(to: 10))
    #expect(SourceRequest.seek(to: 99, duration: nil) == .seek(to: 99))
    #expect(SourceRequest.seek(to: .nan, duration: 10) == nil)
  }

  /// Every transition is announced once, in order; no announcement without a change. Over every sequence of
  /// four events.
  @Test func `a change is announced exactly once and nothing else is`() {
    let events: [PlaybackEvent] = [
      .playEntry, .resume, .pause, .stop, .request(.seek(to: 1)), .primed, .sourceEnded, .trackFailed,
      .outputStarted, .starved, .drained, .outputLost, .interruptionBegan(.default, from: .simulation),
      .interruptionEnded(from: .simulation, shouldResume: true), .routeLost, .deviceLost, .outputStalled,
      .outputContinues, .streamNotOpened,
    ]
    for start in [Self.waiting, Self.playing, Self.flushing, Self.serverLost] {
      for number in 0..<(events.count * events.count * events.count) {
        var machine = PlaybackMachine()
        for event in start { _ = machine.handle(event) }
        for event in [number, number / events.count, number / events.count / events.count].map({
          events[$0 % events.count]
        }) {
          let before = (machine.state, machine.reason)
          let announcements = machine.handle(event).filter { if case .announce = $0 { true } else { false } }
          let after = (machine.state, machine.reason)
          #expect(announcements == (before == after ? [] : [.announce(after.0, after.1)]))
        }
      }
    }
  }

  /// Audible means not paused by the user, not interrupted, not without a route. The device runs only then.
  @Test func `the device is never started while something holds the player`() {
    let holds: [[PlaybackEvent]] = [[.pause], [.interruptionBegan(.default, from: .simulation)], [.routeLost]]
    let pipeline: [PlaybackEvent] = [
      .primed, .outputStarted, .starved, .primed, .sourceEnded, .drained, .request(.seek(to: 1)), .primed,
    ]
    for hold in holds {
      var machine = PlaybackMachine()
      for event in Self.waiting + hold { _ = machine.handle(event) }
      for event in pipeline {
        #expect(!machine.handle(event).contains(.startOutput))
        #expect(machine.state == .paused)
      }
    }
  }
}
