import AudioModel
import ByteIO
import Playback
import Testing

@testable import Commands
@testable import Player

/// The pause at the end of a chapter.
struct SessionTimersTests {
  private var timers = SessionTimers(timeOfDay: { 0 })
  private var snapshot: PlaybackSnapshot = {
    var snapshot = PlaybackSnapshot()
    snapshot.state = .playing
    snapshot.entry = QueueEntry(id: 1, location: .file(BytePath("book.m4b")))
    snapshot.information.duration = 300
    for (start, title) in [(0.0, "One"), (100, "Two"), (200, "Three")] {
      snapshot.information.tags.chapters.append(.init(start: start, title: title))
    }
    snapshot.clock = PlaybackClock(position: 0, referenceTime: .zero, isRunning: true, speed: 2)
    return snapshot
  }()

  private mutating func due(at seconds: Double) -> [[Command]] {
    timers.takeDue(now: Self.time(seconds), snapshot, isMuted: false).map { $0.commands }
  }

  private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime.zero + .seconds(seconds) }

  @Test mutating func `the timer pauses once where the next chapter begins, at any speed`() {
    let sentence = timers.sleepAtChapter(snapshot, now: .zero)
    let shown = timers.handle(.show, now: .zero)
    #expect(sentence == "sleep timer: pauses at the end of the chapter" && shown == sentence)
    #expect(timers.texts == ["sleep at chapter end"])
    #expect(timers.deadline(snapshot, now: .zero) == Self.time(50))
    let first = [49.0, 50, 51].map { due(at: $0) }
    #expect(first == [[], [[.playback(.pause)]], []])
    #expect(timers.texts == [] && timers.deadline(snapshot, now: .zero) == nil)
  }

  @Test mutating func `after a seek into another chapter its end counts, and another track ends the timer`() {
    _ = timers.sleepAtChapter(snapshot, now: .zero)
    timers.noteMove()
    let second = [60.0, 100].map { due(at: $0) }
    #expect(second == [[], [[.playback(.pause)]]])
    _ = timers.sleepAtChapter(snapshot, now: .zero)
    timers.noteMove()
    let last = due(at: 120)
    #expect(last == [[.stopAfter(.track)]] && timers.texts == [], "no chapter follows there")
    let none = timers.sleepAtChapter(snapshot, now: Self.time(120))
    #expect(none == nil)
    _ = timers.sleepAtChapter(snapshot, now: .zero)
    snapshot.entry = QueueEntry(id: 2, location: .file(BytePath("song.mp3")))
    let other = due(at: 1)
    #expect(other == [[]] && timers.texts == [])
  }

  @Test mutating func `after a seek back the end of the earlier chapter counts, once the seek is over`() {
    _ = timers.sleepAtChapter(snapshot, now: Self.time(60))
    #expect(timers.deadline(snapshot, now: Self.time(60)) == Self.time(100))
    timers.noteMove()
    snapshot.hasPendingSeek = true
    let pending = due(at: 61)
    (snapshot.hasPendingSeek, snapshot.clock.referenceTime) = (false, Self.time(61))
    let earlier = [61.0, 110, 111].map { due(at: $0) }
    #expect(pending == [] && earlier == [[], [], [[.playback(.pause)]]])
  }

  @Test mutating func `a machine that stood still at the end of the chapter has not sought`() {
    _ = timers.sleepAtChapter(snapshot, now: .zero)
    let late = due(at: 60)
    #expect(late == [[.playback(.pause)]])
  }

  @Test mutating func `a chapter that begins with the end of the track is none`() {
    snapshot.information.tags.chapters.append(.init(start: 300, title: "End"))
    let now = Self.time(125)
    let none = timers.sleepAtChapter(snapshot, now: now)
    #expect(none == nil && timers.texts == [] && timers.deadline(snapshot, now: now) == nil)
  }

  @Test mutating func `the last command about sleep counts`() {
    _ = timers.handle(.after(.seconds(60)), now: .zero)
    _ = timers.sleepAtChapter(snapshot, now: .zero)
    #expect(timers.texts == ["sleep at chapter end"])
    _ = timers.handle(.after(.seconds(60)), now: .zero)
    #expect(timers.texts.count == 1 && timers.texts != ["sleep at chapter end"])
    _ = timers.sleepAtChapter(snapshot, now: .zero)
    let off = timers.handle(.off, now: .zero)
    #expect(off == "sleep timer off" && timers.texts == [])
  }

  @Test func `without chapters the player stops after the track`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("sleep chapter")
    try bench.perform("play")
    bench.run(milliseconds: 50)
    try bench.perform("sleep chapter")
    #expect(bench.observer.sentences == ["no track is loaded", "no chapter follows: stops after this track"])
    bench.run(milliseconds: 1000)
    #expect(bench.played == ["a"] && bench.observer.snapshot.state == .stopped)
    try bench.perform("volume 35")
    try bench.perform("volume")
    #expect(bench.observer.sentences.last == "volume is 35%")
  }
}
