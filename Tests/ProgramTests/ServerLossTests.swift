import AudioModel
import Glibc
import SoundServerSupport
import TestTraits
import Testing
import Threads

/// The sound server dies and is restarted.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn, .excusedByStolenTime)
struct `Losing the sound server` {
  @Test(arguments: [false, true])
  func `it waits, and resumes at the same frame, or stays paused`(isPaused: Bool) throws {
    let track = try Program.decode(fixture("e2-44100-cbr160.mp3"))
    let stage = try Stage(tracks: [track])
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.waitFor("playing"))
    #expect(stage.hear(frames: 30_000))
    if isPaused {
      terminal.press("Space")
      #expect(stage.waitFor("paused user"))
      stage.hearAll()
    }
    stage.server.process.end(atOnce: true)
    #expect(isPaused || stage.waitFor("waiting server"))
    let isNamed = { stage.events.contains { $0.message?.contains("sound server is gone") == true } }
    #expect(isPaused ? eventually { isNamed() } : stage.see("… waiting (sound server lost)"), "\(stage.events)")
    #expect(eventually { stage.listener.recording.isWhole }, "\(stage.listener.recording.sampleCount)")
    let before = try #require(stage.listener.heard.last?.frames.upperBound)
    // The place to resume at: if paused, exactly the last audible frame; else the frame at the death of the server,
    // estimated by the time and its last report. On a busy machine the recorder has got less than what was played;
    // Torture counts every frame. It can be no later than the time since the start allows.
    let place = isPaused ? before : try #require(stage.lastState?.frame())
    if !isPaused {
      let events = stage.events.filter { $0.name == "state" }
      let start = try #require(events.last { $0.summary == "playing" })
      let times = try [start, #require(events.last)].map { try #require($0.time) }
      let latest = try #require(start.frame()) + Int((times[1] - times[0]) * 44_100)
      let spare = 4 * SoundServer.blockFrames
      #expect((before - 441 - spare - stage.starvedFrames)...(max(before, latest) + stage.clockError + spare) ~= place)
    }
    let (server, recording) = try stage.server.restartRecorded()
    defer { server.end(atOnce: true) }
    let listener = Listener(recording, tracks: [track])
    if isPaused {
      // Time enough to come back, and no sound.
      #expect(eventually { (try? stage.server.pactl("list", "short", "sink-inputs"))?.isEmpty == false })
      #expect(listener.heard == [])
      #expect(stage.lastState?.summary == "paused user")
      terminal.press("Space")
    }
    #expect(stage.waitFor("playing", after: 3))
    #expect(eventually { listener.heard.last.map { $0.frames.count > 20_000 } ?? false })
    #expect(listener.heard.count == 1, "\(listener.runs) \(listener.silences)")
    let start = try #require(listener.heard.first?.frames.lowerBound)
    // PipeWire reports its position before it has played the block of the pause.
    #expect(isPaused ? 0...SoundServer.blockFrames ~= place - start : start == place, "\(place) \(start)")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }

  @Test func `one that hangs is as good as dead: its reason, the place of its last word, and back again`() throws {
    let track = try Program.decode(fixture("e2-44100-cbr160.mp3"))
    let stage = try Stage(tracks: [track])
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: 100_000))
    stage.server.process.signal(SIGSTOP)
    #expect(stage.waitFor("waiting server"))
    #expect(stage.see("… waiting (sound server lost)"))
    #expect(stage.events.contains { $0.message?.contains("does not answer") == true })
    let place = try #require(stage.lastState?.frame())
    stage.server.process.signal(SIGCONT)
    #expect(stage.waitFor("playing", after: 4))
    #expect(
      eventually {
        stage.listener.heard.last.map { $0.frames.count > 10_000 && $0.frames.lowerBound == place } ?? false
      })
    // No frame is lost. Frames that were heard since the last message repeat, and so do frames that the server, once it
    // continues, plays before it notices that its client is gone.
    let heard = stage.listener.heard
    #expect(heard.first.map { place <= $0.frames.upperBound } == true, "\(heard) \(place) \(stage.events)")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `the last word of one that hangs may be read late, and nothing is lost`() throws {
    let track = try Program.decode(fixture("e2-44100-cbr160.mp3"))
    let stage = try Stage(tracks: [track])
    let player = try stage.play(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: 50_000))
    // The server requests more each second, which the player reads more than a second after the server has hung.
    player.signal(SIGSTOP)
    #expect(stage.hear(frames: 60_000))
    stage.server.process.signal(SIGSTOP)
    let hung = MonotonicTime.now
    usleep(1_500_000)
    player.signal(SIGCONT)
    #expect(stage.waitFor("waiting server"))
    let place = try #require(stage.lastState?.frame())
    // One that continues plays what it has, and would hide a loss; the recorder has all but what it had not read.
    stage.server.process.end(atOnce: true)
    #expect(eventually { stage.listener.recording.isWhole })
    let heard = try #require(stage.listener.heard.first?.frames)
    let missing = stage.listener.recording.missingFrames(at: hung)
    #expect(place <= heard.upperBound + missing + stage.clockError, "\(heard) \(missing) \(place) \(stage.events)")
    player.end()
  }

  @Test(.enabled(if: !SoundServer.isPulseAudio, "PulseAudio has no session manager"))
  func `a server that opens no stream is retried, the screen shows why, and the whole track plays`() throws {
    let names = ["e2-44100-cbr160.mp3", "e2-48000-cbr128.mp3"]
    let stage = try Stage(tracks: [])
    let terminal = try stage.show(fixture(names[0]), fixture(names[1]))
    #expect(stage.waitFor("playing"))
    // The current track continues; the other format needs its own stream, which nobody links.
    stage.server.sessionManager?.signal(SIGSTOP)
    terminal.press("n")
    #expect(stage.waitFor("waiting stream"))
    #expect(stage.see("… waiting (the sound server did not open a stream; retrying)"))
    #expect(stage.lastState?.frame() == 0)
    #expect(stage.events.count { $0.message?.contains("did not open a stream within") == true } == 1)
    stage.server.sessionManager?.signal(SIGCONT)
    #expect(stage.waitFor("playing", after: 5))
    #expect(eventually(milliseconds: 50) { (try? stage.inputCount()) == 1 })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
    #expect(stage.errors == "")
  }

  @Test func `one that is silent when the player starts is asked again, and then plays`() throws {
    let track = try Program.decode(fixture("e2-44100-cbr160.mp3"))
    let stage = try Stage(tracks: [track])
    // It accepts the connection all the same.
    stage.server.process.signal(SIGSTOP)
    let player = try stage.play(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.waitFor("waiting stream"))
    // The event comes before the sentence.
    #expect(
      eventually { stage.errors.hasPrefix("segue: sound: the sound server does not answer (") }, "\(stage.errors)")
    stage.server.process.signal(SIGCONT)
    #expect(stage.hear(frames: 20_000) && stage.listener.heard.first?.frames.lowerBound == 0)
    player.end()
  }

  @Test func `in line mode the loss is reported once, and the track plays to its end`() throws {
    let track = try Program.decode(fixture("e2-44100-cbr160.mp3"))
    let stage = try Stage(tracks: [track])
    try stage.play(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: 10_000))
    stage.server.process.end(atOnce: true)
    #expect(stage.waitFor("waiting server"))
    let (server, recording) = try stage.server.restartRecorded()
    defer { server.end(atOnce: true) }
    let listener = Listener(recording, tracks: [track])
    #expect(stage.end() == 0)
    #expect(eventually { listener.heard.last?.frames.upperBound == track.count }, "\(listener.heard)")
    #expect(stage.errors.split(separator: "\n").count == 1)
    #expect(stage.errors.hasPrefix("segue: sound: the sound server is gone"))
  }
}
