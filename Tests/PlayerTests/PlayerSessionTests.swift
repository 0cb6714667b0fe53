import AudioModel
import AudioOutput
import ByteIO
import Commands
import Glibc
import Playback
import SoundServerSupport
import Testing

@testable import Player

/// Commands and their effects on the queue, the engine and the user's messages.
struct PlayerSessionTests {
  @Test func `tracks follow each other without a command, and the end ends the session`() throws {
    let bench = try Bench("a", "b", "c")
    try bench.perform("restart")
    bench.run(milliseconds: 100)
    #expect(bench.current == "a" && bench.observer.snapshot.state == .playing)
    bench.run(milliseconds: 600)
    #expect(bench.current == "b")
    bench.run(milliseconds: 10_000)
    #expect(bench.played == ["a", "b", "c"])
    #expect(bench.session.ending == .done)
    let plays = bench.engine.sent.filter { if case .play = $0 { true } else { false } }
    #expect(plays.count == 1)
  }

  @Test func `with a screen the end of the queue does not end the session`() throws {
    let bench = try Bench("a")
    bench.session.endsWithQueue = false
    try bench.perform("play")
    bench.run(milliseconds: 10_000)
    #expect(bench.observer.snapshot.state == .stopped && bench.session.ending == nil)
  }

  @Test func `a failed track is reported and skipped`() throws {
    let bench = try Bench("a", "missing", "b")
    try bench.perform("play")
    bench.run(milliseconds: 10_000)
    #expect(bench.played == ["a", "b"])
    #expect(bench.observer.reports.count == 1 && bench.observer.reports[0].contains("missing.wav"))
    #expect(bench.session.ending == .someFailed)
  }

  @Test(arguments: ["restart", "play"])
  func `a failed track that is played again can be repeated`(line: String) throws {
    let bench = try Bench("missing")
    bench.session.endsWithQueue = false
    try bench.perform("repeat toggle-one")
    try bench.perform("play")
    bench.run(milliseconds: 1000)
    #expect(bench.played.isEmpty && bench.current == "missing")
    try Bench.writeTrack(bench.folder("missing.wav"))
    try bench.perform(line)
    bench.run(milliseconds: 1800)
    #expect(bench.played.count > 1)
  }

  @Test func `a queue without a playable track ends with another status`() throws {
    let bench = try Bench("missing")
    try bench.perform("play")
    bench.run(milliseconds: 10_000)
    #expect(bench.session.ending == .nothingPlayable)
  }

  @Test func `repeat one plays the track again, and toggling it ends that`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("repeat toggle-one")
    try bench.perform("play")
    bench.run(milliseconds: 1800)
    #expect(Set(bench.played) == ["a"] && bench.played.count > 2)
    try bench.perform("repeat toggle-one")
    #expect(bench.session.queue.repeatMode == .off)
    bench.run(milliseconds: 10_000)
    #expect(bench.played.last == "b")
  }

  @Test func `shuffle plays each track once`() throws {
    let bench = try Bench("a", "b", "c", "d")
    try bench.perform("shuffle on")
    try bench.perform("play")
    bench.run(milliseconds: 20_000)
    #expect(bench.played.sorted() == ["a", "b", "c", "d"])
  }

  @Test func `stop-after stops at the end of the track and continues with the next one`() throws {
    let bench = try Bench("a", "b")
    bench.session.endsWithQueue = false
    try bench.perform("stop-after")
    try bench.perform("play")
    bench.run(milliseconds: 10_000)
    #expect(bench.played == ["a"])
    #expect(bench.observer.snapshot.reason == .stopAfterTrack)
    #expect(
      bench.observer.notices.contains { if case .state(.stopped, .stopAfterTrack, _) = $0 { true } else { false } })
    #expect(!bench.session.queue.stopsAfterCurrent && bench.current == "b")
    try bench.perform("play")
    bench.run(milliseconds: 10_000)
    #expect(bench.played == ["a", "b"] && bench.observer.snapshot.reason == .finished)
  }

  @Test func `consume removes tracks as they were played, to the last one, without a gap`() throws {
    let bench = try Bench("a", "b", "c")
    bench.session.endsWithQueue = false
    try bench.perform("consume on")
    try bench.perform("play")
    bench.run(milliseconds: 700)
    #expect(bench.current == "b" && bench.names == ["b", "c"])
    try bench.perform("next")
    bench.run(milliseconds: 100)
    #expect(bench.names == ["c"])
    bench.run(milliseconds: 10_000)
    #expect(bench.played == ["a", "b", "c"] && bench.names == [] && bench.observer.snapshot.reason == .finished)
    for names in [["c"], ["b", "c"], ["a", "b", "c"]] {
      try bench.perform("undo")
      #expect(bench.names == names)
    }
  }

  @Test func `the sleep timer pauses once, after the time that was asked for`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("sleep")
    try bench.perform("repeat all")
    try bench.perform("play")
    try bench.perform("sleep 2")
    bench.run(milliseconds: 119_000)
    #expect(bench.observer.snapshot.state == .playing && bench.session.deadline != nil)
    try bench.perform("sleep")
    bench.run(milliseconds: 1_500)
    #expect(bench.observer.snapshot.state == .paused && bench.session.deadline == nil)
    #expect(
      bench.observer.sentences == [
        "sleep timer off; sleep 30 pauses in 30 minutes", "sleep timer: pauses in 2 minutes",
        "sleep timer: pauses in 1 minute", "paused by the sleep timer",
      ])
    #expect(
      bench.observer.timers.map { $0.map { String($0.prefix(8)) } } == [[], [], ["sleep at"], ["sleep at"], []])
    try bench.perform("sleep 1")
    try bench.perform("sleep off")
    try bench.perform("play")
    bench.run(milliseconds: 90_000)
    #expect(bench.observer.snapshot.state == .playing)
    // Nothing to pause, nothing to say.
    try bench.perform("pause")
    try bench.perform("sleep 1")
    bench.run(milliseconds: 70_000)
    #expect(bench.observer.sentences.last == "sleep timer: pauses in 1 minute")
    #expect(bench.observer.timers.last == [])
  }

  @Test func `music that an interruption holds when the sleep timer ends stays paused after it`() throws {
    let bench = try Bench("a")
    for line in ["repeat all", "play", "sleep 1"] { try bench.perform(line) }
    bench.run(milliseconds: 200)
    try bench.perform("session interrupt")
    bench.run(milliseconds: 61_000)
    #expect(bench.observer.sentences.last == "paused by the sleep timer" && bench.observer.timers.last == [])
    try bench.perform("session end")
    bench.run(milliseconds: 1000)
    #expect(bench.observer.snapshot.state == .paused)
  }

  @Test func `a new list plays, in random order, although playback was to stop after the track before`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("play")
    bench.run(milliseconds: 100)
    for line in ["shuffle on", "stop-after track"] { try bench.perform(line) }
    try Bench.writeTrack(bench.folder("c.wav"))
    bench.session.sessionQueue.add([.file(BytePath(bench.folder("c.wav")))], .whole)
    bench.run(milliseconds: 100)
    #expect(bench.played == ["a", "c"])
  }

  @Test func `a track that was removed while it plays can be played from its start`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("play")
    bench.run(milliseconds: 300)
    bench.session.perform(.edit(.remove([try #require(bench.session.queue.current).id])))
    try bench.perform("restart")
    bench.run(milliseconds: 100)
    #expect(bench.played == ["a", "a"] && bench.observer.snapshot.state == .playing)
    bench.run(milliseconds: 1000)
    #expect(bench.played == ["a", "a", "b"])
  }

  @Test func `a changed queue changes the track that is read ahead`() throws {
    let bench = try Bench("a", "b", "c")
    try bench.perform("play")
    bench.run(milliseconds: 100)
    let second = try #require(bench.session.queue.entries.dropFirst().first)
    bench.session.perform(.edit(.remove([second.id])))
    bench.run(milliseconds: 10_000)
    #expect(bench.played == ["a", "c"])
  }

  @Test func `edits are undone and redone, and the absence of an edit is said`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("clear")
    #expect(bench.names == [])
    try bench.perform("undo")
    #expect(bench.names == ["a", "b"])
    try bench.perform("redo")
    #expect(bench.names == [])
    try bench.perform("redo")
    #expect(
      bench.observer.sentences == [
        "2 tracks removed", "undone: 2 tracks removed", "redone: 2 tracks removed", "nothing to redo in the queue",
      ])
    #expect(bench.observer.queues.count == 4)
    try bench.perform("undo")
    bench.session.perform(.edit(.move([bench.session.queue.entries[0].id], by: 1)))
    try bench.perform("undo")
    #expect(bench.observer.sentences.last == "undone: order of the queue changed")
  }

  @Test(arguments: ["play", "pause", "stop"]) func `a list plays in place of the queue, and one undo leads back`(
    state: String
  ) throws {
    let bench = try Bench("a", "b", "c", "d")
    let old = bench.names
    for name in old { try Bench.writeTrack(bench.folder("\(name).wav"), seconds: 30) }
    let new = ["d", "c", "a"].map { MediaLocation.file(BytePath(bench.folder("\($0).wav"))) }
    for line in ["play", "next", "seek 12", state] {
      try bench.perform(line)
      bench.run(milliseconds: 50)
    }
    bench.session.sessionQueue.add(new, .list(from: 1), from: 1)
    bench.run(milliseconds: 50)
    #expect(bench.names == ["d", "c", "a"] && bench.current == "c" && bench.played.last == "c")
    #expect(bench.observer.sentences == ["3 tracks in place of the queue; undo brings it back"])
    // Another track of the same list.
    bench.session.sessionQueue.add(new, .list(from: 2), from: 2)
    bench.run(milliseconds: 50)
    #expect(bench.current == "a" && bench.played.last == "a")

    try bench.perform("undo")
    bench.run(milliseconds: 50)
    #expect(bench.names == old && bench.current == "b")
    #expect(bench.observer.sentences.last == "undone: 4 tracks replaced by 3")
    #expect(bench.played.last == "b" && (state == "stop" ? bench.position < 1 : 12..<13 ~= bench.position))
    try bench.perform("redo")
    bench.run(milliseconds: 50)
    #expect(bench.names == ["d", "c", "a"] && bench.current == "a" && bench.played.last == "a")
    try bench.perform("undo")
    bench.run(milliseconds: 50)
    #expect(bench.names == old && bench.current == "b")
  }

  @Test func `a list plays from a place in its track, also if the queue is that list already`() throws {
    let bench = try Bench("a", "b")
    for name in bench.names { try Bench.writeTrack(bench.folder("\(name).wav"), seconds: 30) }
    let list = bench.session.queue.entries.map(\.location)
    for (locations, seconds) in [(Array(list.reversed()), 12.0), (Array(list.reversed()), 20), (list, 5)] {
      bench.session.sessionQueue.add(locations, .list(from: 0, at: seconds), at: seconds)
      bench.run(milliseconds: 50)
      #expect(bench.current == (locations == list ? "a" : "b") && seconds..<seconds + 1 ~= bench.position)
    }
  }

  @Test func `undone while paused, the list before is paused where it was`() throws {
    let bench = try Bench("a", "b")
    for name in bench.names { try Bench.writeTrack(bench.folder("\(name).wav"), seconds: 30) }
    let old = bench.session.queue.entries.map(\.location)
    for line in ["play", "seek 12"] {
      try bench.perform(line)
      bench.run(milliseconds: 50)
    }
    bench.session.sessionQueue.add(old.reversed(), .list(from: 0))
    bench.run(milliseconds: 50)
    for line in ["pause", "undo"] {
      try bench.perform(line)
      bench.run(milliseconds: 50)
    }
    #expect(bench.current == "a" && bench.observer.snapshot.state == .paused && 12..<13 ~= bench.position)
  }

  @Test(arguments: ["play", "pause", "stop"]) func `a choice that cannot be played leads back to what played`(
    state: String
  ) throws {
    let bench = try Bench("a", "b", "c")
    let old = bench.names
    for name in old { try Bench.writeTrack(bench.folder("\(name).wav"), seconds: 30) }
    for line in ["play", "next", "seek 12", state] {
      try bench.perform(line)
      bench.run(milliseconds: 50)
    }
    let missing = MediaLocation.file(BytePath(bench.folder("missing.wav")))
    // Twice: the second one before the first one has failed.
    for choice in [[missing], [missing, missing]] { bench.session.sessionQueue.add(choice, .played) }
    bench.run(milliseconds: 200)
    #expect(bench.names == old && bench.current == "b" && bench.session.ending == nil)
    #expect(bench.observer.reports.last?.contains("missing.wav") == true)
    #expect(Set(bench.played) == ["a", "b"])
    let states: [String: PlaybackState] = ["play": .playing, "pause": .paused, "stop": .stopped]
    #expect(bench.observer.snapshot.state == states[state])
    if state != "stop" { #expect(12..<13 ~= bench.position) }
  }

  @Test func `of a choice with a track that cannot be played the next one plays`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("play")
    bench.run(milliseconds: 50)
    let new = ["missing", "b"].map { MediaLocation.file(BytePath(bench.folder("\($0).wav"))) }
    bench.session.sessionQueue.add(new, .played)
    bench.run(milliseconds: 5000)
    #expect(bench.names == ["missing", "b"] && bench.played == ["a", "b"] && bench.session.ending == .someFailed)
  }

  @Test func `next and previous move, and the end of the list is said`() throws {
    let bench = try Bench("a", "b")
    for line in ["play", "next", "previous"] {
      try bench.perform(line)
      bench.run(milliseconds: 50)
    }
    #expect(bench.played == ["a", "b", "a"])
    try bench.perform("previous")
    #expect(bench.observer.sentences == ["no track before this one"])
  }

  @Test func `a number after play is a row of the queue`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("play 2")
    bench.run(milliseconds: 50)
    #expect(bench.played == ["b"] && bench.names == ["a", "b"])
    #expect(bench.observer.sentences.isEmpty)
  }

  @Test func `pause and toggle go to the engine, and start a stopped player`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("toggle")
    bench.run(milliseconds: 50)
    #expect(bench.observer.snapshot.state == .playing)
    try bench.perform("pause")
    bench.run()
    #expect(bench.observer.snapshot.state == .paused)
    try bench.perform("play")
    bench.run(milliseconds: 50)
    #expect(bench.observer.snapshot.state == .playing)
    #expect(bench.engine.sent.suffix(2) == [.pause, .resume])
  }

  @Test func `a share of the track is a place in it`() throws {
    let bench = try Bench("a")
    try bench.perform("seek 50%")
    #expect(bench.observer.sentences == ["Cannot seek: no track is loaded"])
    try bench.perform("play")
    bench.run(milliseconds: 50)
    try bench.perform("pause")
    try bench.perform("seek 50%")
    bench.run()
    #expect(bench.engine.sent.last == .seek(to: 0.25))
    #expect(bench.observer.snapshot.clock.position == 0.25)
    for line in ["live", "chapter next"] { try bench.perform(line) }
    #expect(bench.observer.sentences.suffix(2) == ["Not a radio station", "This track has no chapters"])
  }

  @Test func `a time behind the end does not end the track`() throws {
    let bench = try Bench("a")
    try bench.perform("play")
    bench.run(milliseconds: 50)
    try bench.perform("seek 99:00")
    #expect(bench.observer.sentences == ["Cannot seek there: the track is 0:00 long"])
    try bench.perform("seek 1")
    #expect(bench.engine.sent.last == .seek(to: 1), "clients know whole seconds")
  }

  @Test func `a time behind the former end of a file that has grown is in the track`() throws {
    let bench = try Bench("a")
    let format = PCMFormat(sampleRate: 8000, channelCount: 1, sampleFormat: .s16)
    let samples = [UInt8](repeating: 0, count: 160_000)
    func grow(to byteCount: Int) throws {
      let file = try #require(fopen(bench.folder("a.wav"), "r+"))
      let bytes = WAVEHeader.bytes(for: format, dataByteCount: nil) + samples[..<byteCount]
      #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
      fclose(file)
    }
    try grow(to: 16_000)
    try bench.perform("play")
    bench.run(milliseconds: 50)
    try bench.perform("pause")
    try bench.perform("seek 8")
    #expect(bench.observer.sentences == ["Cannot seek there: the track is 0:01 long"])
    try grow(to: samples.count)
    try bench.perform("seek 8")
    bench.run()
    #expect(bench.observer.sentences.count == 1 && bench.observer.snapshot.clock.position == 8)
  }

  @Test func `a stopped player refuses to seek, and one that has just been asked to play does not`() throws {
    let bench = try Bench("a")
    try bench.perform("play")
    bench.run(milliseconds: 50)
    try bench.perform("stop")
    bench.run()
    for line in ["seek 0:07", "seek +5", "seek 50%"] { try bench.perform(line) }
    #expect(bench.observer.sentences == Array(repeating: "Cannot seek: the player is stopped", count: 3))
    #expect(bench.engine.sent.last == .stop)
    try bench.perform("play")
    bench.session.perform(.playback(.seek(to: 0.25)))
    #expect(bench.engine.sent.last == .seek(to: 0.25), "as clients of MPD play from a place")
  }

  @Test func `the volume stays within its limits`() throws {
    let bench = try Bench("a")
    for (line, volume) in [("volume 80", 0.8), ("volume +50", 1), ("volume -100", 0)] {
      try bench.perform(line)
      #expect(bench.session.volume == volume && bench.engine.sent.last == .set(.volume(volume)))
    }
    try bench.perform("mute")
    #expect(bench.session.isMuted && bench.engine.sent.last == .set(.muted(true)))
  }

  @Test func `found media go to their place in the queue`() throws {
    let bench = try Bench("a", "b")
    try bench.perform("play")
    bench.run(milliseconds: 50)
    let (a, b) = (bench.session.queue.entries[0].location, bench.session.queue.entries[1].location)
    bench.session.sessionQueue.add([b, a], .turn(.next))
    #expect(bench.names == ["a", "b", "a", "b"])
    #expect(bench.observer.sentences == ["2 tracks added"])
    let c = MediaLocation.file(BytePath(bench.folder("c.wav")))
    try Bench.writeTrack(bench.folder("c.wav"))
    // The same again changes nothing.
    for _ in 0..<3 { bench.session.sessionQueue.add([c, b], .played) }
    bench.run(milliseconds: 50)
    #expect(bench.names == ["c", "b"] && bench.played.last == "c")
    bench.session.sessionQueue.add([a], .whole)
    bench.run(milliseconds: 50)
    #expect(bench.names == ["a"] && bench.played.last == "a")
    #expect(bench.observer.sentences.last == "1 track in place of the queue; undo brings it back")
    bench.session.sessionQueue.add([b, c], .turn(.end), match: "album B")
    bench.session.sessionQueue.add([b], .played, match: "track B")
    #expect(
      bench.observer.sentences.suffix(2) == [
        "2 tracks added: album B", "playing track B, in place of the queue; undo brings it back",
      ])
  }

  @Test func `a book that is opened as a whole goes on where it was left, and says so`() throws {
    let bench = try Bench("a", "b", "c")
    let book = bench.session.queue.entries.map(\.location)
    try bench.perform("clear")
    bench.session.sessionQueue.add(book, .played, bookmark: 1)
    bench.run(milliseconds: 50)
    #expect(bench.current == "b" && bench.observer.sentences.last == "playing part 2 of 3, where you left it")
    bench.session.sessionQueue.add(book, .played, bookmark: 2)
    bench.run(milliseconds: 50)
    #expect(bench.current == "b", "it plays already")
    bench.session.sessionQueue.add(book, .turn(.end), bookmark: 2)
    #expect(bench.current == "b", "other music is there")
    for line in ["stop", "clear"] { try bench.perform(line) }
    bench.run()
    // As clients of MPD do it.
    bench.session.sessionQueue.add(book, .turn(.end), bookmark: 2)
    #expect(bench.observer.sentences.last == "3 tracks added: part 3 of 3, where you left it")
    try bench.perform("play")
    bench.run(milliseconds: 50)
    #expect(bench.current == "c")
    for line in ["stop", "shuffle on"] { try bench.perform(line) }
    bench.run()
    #expect(!bench.session.playBook(from: 1) && !bench.session.playBook(from: nil))
    try bench.perform("shuffle off")
    #expect(bench.session.playBook(from: 1) && !bench.session.playBook(from: 9) && bench.current == "b")
  }

  @Test func `a screen that is added before the first turn shows what was said before it`() throws {
    let bench = try Bench()
    try bench.perform("next")
    let (screen, late) = (RecordingObserver(), RecordingObserver())
    bench.session.add(screen)
    #expect(screen.sentences == ["no more tracks"] && bench.observer.sentences == screen.sentences)
    bench.run()
    bench.session.add(late)
    #expect(late.sentences.isEmpty)
  }

  @Test func `quitting ends the session once`() throws {
    let bench = try Bench("a")
    try bench.perform("quit")
    bench.session.end(.signalled)
    #expect(bench.session.ending == .done)
  }

  @Test func `a suspended session is silent, and resumes afterwards`() throws {
    let bench = try Bench("a", "b", "c")
    try bench.perform("play")
    bench.run(milliseconds: 100)
    bench.session.suspend()
    #expect(bench.observer.snapshot.state == .paused && bench.observer.snapshot.reason == .suspended)
    bench.session.resume()
    bench.run(milliseconds: 100)
    #expect(bench.observer.snapshot.state == .playing)
  }
}
