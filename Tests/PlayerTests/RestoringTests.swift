import ByteIO
import EngineExercise
import Glibc
import Library
import Playback
import SoundServerSupport
import Testing

@testable import Commands
@testable import Player

/// A session and its record.
struct RestoringTests {
  @Test func `a paused session is restored paused at the same place`() throws {
    let bench = try Bench("a", "b")
    for line in ["volume 35", "mute", "repeat all", "play", "next"] { try bench.perform(line) }
    bench.run(milliseconds: 50)
    try bench.perform("pause")
    try bench.perform("seek 0.25")
    bench.run()
    bench.session.place = FacePlace(view: "files", row: 1)
    let record = try #require(SessionRecord(bench.session.record.bytes))
    #expect(record == bench.session.record)
    #expect(record.state == .paused && record.current == 1 && record.position == 0.25)

    let again = try Bench("a", "b")
    again.session.restoreModes(of: record)
    #expect(again.session.volume == 0.35 && again.session.isMuted && again.session.queue.repeatMode == .all)
    again.session.restorePlaying(of: record, at: 1)
    again.run(milliseconds: 50)
    #expect(again.current == "b")
    #expect(again.observer.snapshot.state == .paused && again.observer.snapshot.clock.position == 0.25)
    let hasPlayed = again.observer.notices.contains { if case .state(.playing, _, _) = $0 { true } else { false } }
    #expect(!hasPlayed)
  }

  @Test func `what played is restored paused beside another player`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("play")
    bench.run(milliseconds: 50)
    let record = bench.session.record
    #expect(record.state == .playing)
    let again = try Bench("a", "b")
    again.session.restorePlaying(of: record, at: 0, isPaused: true)
    again.run(milliseconds: 50)
    #expect(again.current == "a" && again.observer.snapshot.state == .paused)
  }

  @Test(arguments: 0..<5) func `a shuffled round goes on after a restart, and back to its start`(_: Int) throws {
    let names = ["a", "b", "c", "d", "e", "f"]
    let bench = try Bench(names)
    for line in ["shuffle on", "repeat all", "play", "next", "next", "next"] { try bench.perform(line) }
    bench.run(milliseconds: 50)
    let old = bench.session.queue
    let record = try #require(SessionRecord(bench.session.record.bytes))
    let turns = SavedQueue.turns(in: SavedQueue.bytes(of: old))

    let again = try Bench(names)
    again.session.restoreModes(of: record, turns)
    again.session.restorePlaying(of: record, at: try #require(record.current))
    again.run(milliseconds: 50)
    let new = again.session.queue
    #expect(again.current == bench.current)
    func played(_ queue: PlayQueue, _ step: (inout PlayQueue) -> QueueEntry?) -> [String] {
      var queue = queue
      return (0..<12).compactMap { _ in step(&queue).map { bench.name(of: $0) } }
    }
    #expect(played(new) { $0.next(.ended) } == played(old) { $0.next(.ended) })
    #expect(played(new) { $0.previous() } == played(old) { $0.previous() })
    // A session of an earlier version has neither.
    let older = try Bench(names)
    older.session.restoreModes(of: record, QueueTurns())
    #expect(older.session.queue.isShuffled && older.session.queue.entries.count == 6)
  }

  @Test func `the speed of a book is back after a restart, although music played last`() throws {
    let bench = try Bench("book")
    try #require(mkdir(bench.folder("music"), 0o700) == 0)
    try Bench.writeTrack(bench.folder("music/a.wav"), seconds: 5)
    bench.session.sessionQueue.add([.file(BytePath(bench.folder("music/a.wav")))], .turn(.end))
    for line in ["play", "speed 1.5"] {
      try bench.perform(line)
      bench.run(milliseconds: 50)
    }
    bench.run(milliseconds: 1000)
    #expect(bench.current == "a" && bench.session.settings.speed == 1)
    var record = try #require(SessionRecord(bench.session.record.bytes))
    #expect(record == bench.session.record && record.changes.isEmpty)

    for (standard, speed) in [("1", 1.5), ("1.25", 1.25)] {
      let again = try Bench("book")
      record.albumSpeed?.track = Array(again.folder("book.wav").utf8)
      again.session.adopt(settings("speed=\(standard)"), changes: [])
      again.session.restoreSpeed(of: record)
      try again.perform("play")
      again.run(milliseconds: 50)
      #expect(again.session.settings.speed == speed)
      #expect(again.observer.sentences == (speed == 1.5 ? ["speed 1.5, as last time"] : []))
    }
  }

  @Test func `a stopped session is restored without sound`() throws {
    let bench = try Bench("a", "b")
    bench.session.restorePlaying(of: SessionRecord(), at: 1)
    bench.run(milliseconds: 50)
    #expect(bench.current == "b" && bench.engine.sent == [])
  }

  @Test func `a session that waits is saved as playing`() throws {
    let bench = try Bench("a")
    try bench.perform("play")
    // The engine has taken the command and not yet started the device.
    _ = bench.engine.stepped.turn()
    #expect(bench.engine.snapshot.state == .waiting)
    #expect(bench.session.record.state == .playing)
  }
}
