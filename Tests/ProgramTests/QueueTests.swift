import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// The order of tracks, and its announcements.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `The order of playing` {
  @Test func `repeat one and repeat all join without a gap`() throws {
    for (mode, order) in [("one", [0, 0, 0, 0, 0]), ("all", [0, 1, 0, 1, 0])] {
      let stage = try Stage("short-4410.mp3", "short-1000.mp3")
      let player = try stage.play("--repeat", mode, fixture("short-4410.mp3"), fixture("short-1000.mp3"))
      // A busy machine may make a gap before, which loses nothing.
      let isGapless = eventually { stage.listener.hasJoined(order) }
      #expect(isGapless, "\(stage.listener.runs) \(stage.listener.silences)")
      player.signal(SIGTERM)
      #expect(player.wait() == 4)
      let heard = stage.listener.heard.prefix(5)
      #expect(heard.map(\.track) == order, "\(heard)")
      #expect(heard.allSatisfy { $0.frames == 0..<($0.track == 0 ? 4410 : 1000) }, "\(heard)")
    }
  }

  @Test func `the next track may change while the server already has it, without a gap`() throws {
    let stage = try Stage("e2-44100-cbr160.mp3", "gapless-1.mp3")
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"), fixture("gapless-1.mp3"))
    // Of 10.3 s, with 4 s of sound ahead in the server, almost all of which are left for the keys of a busy machine.
    #expect(eventually { stage.listener.heard.first.map { $0.frames.count > 310_000 } ?? false })
    let count = stage.events.count
    terminal.press("r", "r")
    #expect(stage.see("repeat one"))
    // On a busy machine the keys may come when the next track is about to be heard, or is.
    #expect(stage.listener.recording.catchUp())
    guard stage.listener.heard.map(\.frames.count).reduce(0, +) < 430_000 else { return }
    #expect(eventually { stage.listener.heard.count > 1 })
    let heard = stage.listener.heard
    #expect(heard.map(\.track) == [0, 0] && heard.first?.frames == 0..<454_230, "\(heard)")
    #expect(stage.listener.silences.last == 0)
    #expect(eventually { stage.events.filter { $0.name == "track" }.count == 2 })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    // A busy machine may make a gap before, but the change makes none.
    #expect(!stage.events.dropFirst(count).contains { $0.name == "underrun" })
  }

  @Test func `stop after this track is announced, in the middle of the queue, and play continues with the next`() throws
  {
    let stage = try Stage(tracks: [])
    // 104.5 s, so that the keys come before its end.
    try write(madeMP3(sound: 1, frames: 4000), to: stage.folder("first.mp3"))
    let terminal = try stage.show(
      "--output", "null", stage.folder("first.mp3"), fixture("gapless-1.mp3"), columns: 100)
    #expect(stage.see("▶ "))
    terminal.press("X", ":")
    terminal.press("-l", "seek 1:44")
    terminal.press("Enter")
    #expect(stage.see("■ stopped (stop after this track)"))
    terminal.press("5")
    #expect(stage.see { $0.contains(" stopped (stop after this track)\n") && !$0.contains("end of the queue") })
    terminal.press("x")
    #expect(stage.see { $0.contains("▶ ") || $0.contains("stopped (end of the queue)") })
    #expect(stage.see("stopped (end of the queue)"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.events.filter { $0.name == "track" }.count == 2)
  }

  @Test func `marked tracks are removed and come back as one change, and the queue is sorted by unknown tags`() throws {
    let stage = try Stage(tracks: [])
    let sound = contents(of: fixture("short-1000.mp3"))
    try #require(mkdir(stage.folder("music"), 0o700) == 0)
    for number in 1...40 {
      let title = [UInt8(3)] + Array("Title \(41 - number)".utf8)
      try write(id3(["TIT2": title]) + sound, to: stage.folder("music/\(number).mp3"))
    }
    let terminal = try stage.show("--output", "null", stage.folder("music"))
    #expect(stage.see("Title 40"))
    terminal.press("v", "g", "M", "V", "j", "j", "V", "j", "M")
    #expect(stage.see("5 marked"))
    terminal.press("d")
    #expect(stage.see { $0.contains(" 1  Title 35 ") && $0.contains(" 2  Title 34 ") })
    terminal.press("u")
    #expect(stage.see { $0.contains(" 1  Title 40 ") && $0.contains(" 5  Title 36 ") })
    terminal.press("g", "O")
    #expect(stage.see(":sort"))
    terminal.press("-l", " title")
    terminal.press("Enter")
    #expect(stage.see(" 40  Title 40 "), "the selection stays with its track")
    terminal.press("g")
    #expect(stage.see { $0.contains(" 1  Title 1 ") && $0.contains(" 9  Title 9 ") })
    terminal.press("u")
    #expect(stage.see(" 40  Title 1 "))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `shuffled, each is played once`() throws {
    let names = ["short-1.mp3", "short-100.mp3", "short-1000.mp3", "short-4410.mp3", "gapless-1.mp3", "gapless-2.mp3"]
    let folder = try TemporaryFolder()
    let player = try ChildProcess(
      [Program.path, "--no-ui", "--shuffle", "--output", "wav:\(folder("out.wav"))", "--events", folder("events")]
        + names.map { fixture($0) })
    #expect(eventually { player.isOver })
    #expect(player.wait() == 0)
    let played = Event.all(in: folder("events")).filter { $0.name == "track" }.compactMap(\.track)
    #expect(played.sorted() == names.map { fixture($0) }.sorted())
    #expect(contents(of: folder("out.wav")).count > 4 * 205_514)
  }

  @Test func `every change of state is announced once, in valid JSON`() throws {
    let stage = try Stage(tracks: [])
    // Six seconds, so that the keys come before its end.
    try write(madeMP3(sound: 1, frames: 230), to: stage.folder("first.mp3"))
    let terminal = try stage.show(stage.folder("first.mp3"), fixture("garbage-only.mp3"), fixture("gapless-2.mp3"))
    #expect(stage.waitFor("playing"))
    for (key, summary) in [("c", "paused user"), ("p", "playing"), ("v", "stopped user"), ("x", "playing")] {
      // Pressed twice, it happens once.
      let count = stage.events.count
      terminal.press(key)
      #expect(stage.waitFor(summary, after: count))
      if key == "v" { terminal.press(key) }
    }
    #expect(stage.waitFor("stopped finished"))
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    var states = stage.events.filter { $0.name == "state" }.map(\.summary)
    // A disk that is late is announced, too.
    while let wait = states.firstIndex(of: "waiting disk") {
      states.removeSubrange(wait...wait + (states[..<wait].last == states[(wait + 1)...].first ? 1 : 0))
    }
    // A busy machine may interrupt the sound, which is announced, too.
    for event in stage.events where event.name == "underrun" {
      guard let wait = states.firstIndex(of: "waiting buffering") else { break }
      states.removeSubrange(wait..<min(wait + 2, states.count))
    }
    #expect(
      states == [
        "waiting starting", "playing", "paused user", "playing", "stopped user", "waiting starting", "playing",
        "stopped finished",
      ], "\(stage.events)")
    #expect(stage.events.filter { $0.name == "error" }.count == 1)
    #expect(stage.events.filter { $0.name == "track" }.count == 3)
    let times = stage.events.compactMap { $0["time"].flatMap(Double.init) }
    #expect(times == times.sorted() && times.count == stage.events.count)
    expectValidJSON(stage.folder("events"))
  }
}
