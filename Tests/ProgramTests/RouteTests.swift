import AudioModel
import Glibc
import SoundServerSupport
import TestTraits
import Testing
import Threads

/// Devices that go and come.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn, .excusedByStolenTime)
struct `Changing devices` {
  private let track: [Frame]
  private let stage: Stage

  init() throws {
    track = try Program.decode(fixture("e2-44100-cbr160.mp3"))
    stage = try Stage(tracks: [track], modules: [SoundServer.secondSink])
  }

  private func listener(of sink: String) throws -> Listener {
    Listener(try MonitorRecording(stage.server, source: "\(sink).monitor"), tracks: [track])
  }

  private var routes: [Event] { stage.events.filter { $0.name == "route" } }

  @Test func `a removed device pauses playback; only the user resumes it, on another device`() throws {
    let second = try listener(of: "null1")
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: 30_000))
    try stage.server.removeSink("null0")
    #expect(stage.waitFor("paused route"))
    #expect(stage.see("⏸ paused (device removed)"))
    #expect(routes.map { $0["device"] } == ["null1"])
    #expect(routes.last?["reason"] == "oldDeviceGone" && routes.last?["headset"] == "false")
    let place = try #require(stage.lastState?.frame())
    // The server has given the recorder another sink.
    #expect(stage.listener.recording.catchUp(), "\(stage.listener.recording.sampleCount)")
    let first = try #require(stage.listener.heard.first)
    // Only the user resumes it.
    _ = try stage.server.pactl("load-module", "module-null-sink", "sink_name=null0", "rate=44100", "norewinds=1")
    stage.signal(SIGUSR1)
    stage.signal(SIGUSR2)
    #expect(eventually { second.recording.sampleCount > 200_000 })
    #expect(stage.lastState?.summary == "paused route")
    terminal.press("Space")
    #expect(stage.waitFor("playing"))
    // The audio that the server moved before it was muted, and the rest without a gap. Less than a quarter of a second
    // is lost or repeated, including the part that the recorder did not get before its sink was removed.
    #expect(eventually { second.heard.last.map { $0.frames.count > 20_000 } ?? false })
    let rest = try #require(second.heard.first?.frames)
    #expect(second.heard.count == 1 && rest.contains(place), "\(second.heard) \(place)")
    let spare = stage.clockError + 2 * SoundServer.blockFrames
    #expect(-spare...spare ~= rest.lowerBound - first.frames.upperBound, "\(first) \(rest)")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `the last device takes the stream with it; once there is another one, the user can resume`() throws {
    try stage.server.removeSink("null1")
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: 30_000))
    // The player knows by then when playback began: on a busy machine it may hear of the start and the end at once, and
    // begins again.
    #expect(stage.see("", fromSecond: 1))
    try stage.server.removeSink("null0")
    let removal = MonotonicTime.now
    #expect(stage.waitFor("paused route"))
    let place = try #require(stage.lastState?.frame())
    #expect(eventually { !SoundServer.isPulseAudio || stage.listener.recording.isWhole })
    let before = try #require(stage.listener.heard.last?.frames.upperBound)
    let missing = stage.listener.recording.missingFrames(at: removal)
    // All that was rendered, to some blocks where the server's clock advances by blocks; the recorder, gone with its
    // sink, was not sent the end, on a busy machine some tenths of a second.
    let spare = 441 + 4 * SoundServer.blockFrames + stage.starvedFrames
    #expect(-spare...stage.lateAnswer + missing ~= place - before, "\(place) \(before) \(missing) \(stage.events)")
    // A late answer of the server may have corrected the place since.
    let resumed = try #require(stage.lastState?.frame())
    terminal.press("Space")
    // PipeWire has a dummy where there is no device, and is played on. PulseAudio may answer so late on a busy machine
    // that the player waits for the server, or for a stream, instead of a device.
    let state = SoundServer.isPulseAudio ? "waiting" : "playing"
    #expect(eventually { stage.lastState?.state == state }, "\(stage.events)")
    #expect(
      stage.see(SoundServer.isPulseAudio ? "… waiting (" : "▶ "),
      "\(stage.events) \(stage.terminal?.screen ?? "")")
    #expect(SoundServer.isPulseAudio || routes.last?["device"] == "auto_null")
    let count = stage.events.count
    _ = try stage.server.pactl("load-module", "module-null-sink", "sink_name=null2", "rate=44100", "norewinds=1")
    let third = try listener(of: "null2")
    #expect(stage.waitFor("playing"))
    #expect(eventually { routes.last?["device"] == "null2" })
    #expect(!stage.events.dropFirst(count).contains { $0.state == "paused" })
    #expect(eventually { third.heard.last.map { $0.frames.count > 20_000 } ?? false })
    // It may have begun before the recording did.
    #expect(
      third.heard.count == 1 && third.heard[0].frames.lowerBound >= resumed, "\(third.heard) \(resumed) \(stage.events)"
    )
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `a volume set in a mixer is shown, and keys continue from it`() throws {
    // Music that repeats, because a busy machine may take longer than the track.
    let terminal = try stage.show("--repeat", "one", fixture("vbr-60s-without-header.mp3"))
    #expect(stage.waitFor("playing"))
    let input = try stage.server.pactl("list", "short", "sink-inputs").prefix { $0 != "\t" }
    try stage.server.pactl("set-sink-input-volume", String(input), "30%")
    #expect(stage.see(" 30%"))
    terminal.press("-")
    #expect(stage.see(" 25%"))
    #expect(eventually { (try? stage.server.pactl("list", "sink-inputs"))?.contains(" 25%") == true })
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `moved by the user it continues to play`() throws {
    let second = try listener(of: "null1")
    try stage.play(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: 30_000))
    try #require(try stage.moveStream(to: "null1"))
    #expect(routes.last?["reason"] == "newDevice")
    #expect(stage.end() == 0)
    #expect(eventually { second.heard.last?.frames.upperBound == track.count }, "\(second.heard)")
    #expect(!stage.events.contains { $0.state == "paused" })
    // PulseAudio's new sink may render before the move is reported, and a move that takes long costs as much. PipeWire
    // may lose, repeat or spoil a block.
    let old = try #require(stage.listener.heard.last { $0.track == 0 })
    let new = try #require(second.heard.first { $0.track == 0 })
    let lost = new.frames.lowerBound - old.frames.upperBound
    let most = 441 + SoundServer.blockFrames + (stage.server.moveLosses.last ?? 0)
    #expect(-SoundServer.blockFrames...most ~= lost, "\(old) \(new) \(stage.server.moveLosses)")
  }

  @Test(.enabled(if: SoundServer.isPulseAudio, "PipeWire plays on, unheard, and says nothing"))
  func `a device that does not start has its reason, and plays when it does`() throws {
    try stage.server.pactl("suspend-sink", "null0", "1")
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.waitFor("waiting device"))
    #expect(stage.see("… waiting (audio device not responding)"))
    try stage.server.pactl("suspend-sink", "null0", "0")
    #expect(stage.waitFor("playing"))
    #expect(stage.hear(frames: 20_000))
    // A monitor that was suspended, too, may miss a block.
    #expect(stage.listener.heard.first.map { $0.frames.lowerBound < stage.clockError } == true)
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test(.enabled(if: SoundServer.isPulseAudio, "PipeWire plays on, unheard, and says nothing"))
  func `a suspended device is shown as the reason, time stops, and nothing is lost`() throws {
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: 30_000))
    try stage.server.pactl("suspend-sink", "null0", "1")
    #expect(stage.waitFor("waiting device"))
    #expect(stage.see("… waiting (audio device not responding)"))
    try stage.server.pactl("suspend-sink", "null0", "0")
    #expect(stage.waitFor("playing", after: 4))
    #expect(stage.waitFor("stopped finished"))
    stage.hearAll()
    // But for the block that the sink held, and forgot.
    #expect(stage.listener.heard.last?.frames.upperBound == track.count)
    #expect(track.count - stage.clockError...track.count ~= stage.listener.frameCount)
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }
}
