import Glibc
import SoundServerSupport
import TestTraits
import Testing

/// Pauses of every kind, by keys and signals, in a shell with job control: nothing is lost or repeated.
@Suite(.enabled(if: hasFixtures, "no fixtures: make fixtures"), .onThreadsOfTheirOwn) struct `Pausing` {
  private enum Pause: CaseIterable {
    case key, interruption, suspension

    var summary: String {
      switch self {
      case .key: "paused user"
      case .interruption: "paused interruption"
      case .suspension: "paused suspended"
      }
    }

    func begin(_ stage: Stage, _ terminal: Tmux) {
      switch self {
      case .key: terminal.press("Space")
      case .interruption: stage.signal(SIGUSR1)
      case .suspension: terminal.press("C-z")
      }
    }

    func end(_ stage: Stage, _ terminal: Tmux) {
      switch self {
      case .key: terminal.press("Space")
      case .interruption: stage.signal(SIGUSR2)
      case .suspension:
        #expect(stage.see("Stopped"))
        // The next one is not to be taken for this one.
        terminal.press("clear; fg", "Enter")
      }
    }
  }

  @Test(arguments: 0..<3) func `pauses of all kinds lose and repeat no sample`(round: Int) throws {
    // A minute: a busy machine, on which keys come late, does not reach its end.
    let stage = try Stage("vbr-60s-without-header.mp3")
    let terminal = try stage.show(fixture("vbr-60s-without-header.mp3"))
    #expect(stage.waitFor("playing"))
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<8 {
      #expect(stage.hear(frames: .random(in: 0...30_000)))
      let pause = Pause.allCases.randomElement(using: &generator) ?? .key
      var count = stage.events.count
      pause.begin(stage, terminal)
      #expect(stage.waitFor(pause.summary, after: count))
      count = stage.events.count
      pause.end(stage, terminal)
      #expect(stage.waitFor("playing", after: count))
    }
    let count = stage.events.count
    terminal.press("Space")
    #expect(stage.waitFor("paused user", after: count))
    stage.hearAll()
    let heard = stage.listener.heard
    #expect(
      heard.count == 1 && heard.first?.track == 0 && heard.first?.frames.lowerBound == 0, "\(stage.listener.runs)")
    // It fell silent where it said so and nowhere else; a pause within one block of the sink leaves no silence. A pause
    // that comes before the server has reported the start is told with the place of that start, and one to which the
    // server answers late with the place by the clock: the exact place is then that at which it goes on.
    let places = stage.events.filter { $0.state != nil }.compactMap { event in event.frame().map { (event, $0) } }
    let pauses = places.indices.filter { places[$0].0.state == "paused" }.flatMap { index in
      let isEarly = index > 0 && places[index - 1].1 == places[index].1
      let next = places[index...].dropFirst().prefix(1).map(\.1)
        .filter { isEarly || abs($0 - places[index].1) <= stage.lateAnswer }
      return [places[index].1] + next
    }
    let silences = stage.listener.runs.dropLast().map(\.frames.upperBound)
    let inexact = Set(silences).subtracting(pauses)
    // On a busy machine the server may answer to some pauses after the music goes on: their places are by the clock.
    let areNear = inexact.allSatisfy { silence in pauses.contains { abs($0 - silence) <= stage.lateAnswer } }
    #expect(
      !silences.isEmpty && (inexact.count <= 3 || stage.isMachineLate) && areNear,
      "\(stage.listener.runs) \(stage.events)")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `the last action of the user wins over interruptions`() throws {
    let stage = try Stage("e2-44100-cbr160.mp3")
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.waitFor("playing"))
    // An end without a begin: nothing.
    stage.signal(SIGUSR2)
    terminal.press("Space")
    #expect(stage.waitFor("paused user"))
    // Interrupted while paused: still paused when that is over.
    stage.signal(SIGUSR1)
    stage.signal(SIGUSR2)
    // Both before the key, which comes another way: signals are read before or with the first of two questions.
    for _ in 0..<2 { _ = try output(ofClient: [Program.path, "ctl"], stage.server.environment) }
    terminal.press("Space")
    #expect(stage.waitFor("playing"))
    // Paused while interrupted: the end does not undo it.
    stage.signal(SIGUSR1)
    #expect(stage.waitFor("paused interruption"))
    #expect(stage.see("paused (interrupted)"))
    terminal.send(":pause\r")
    #expect(stage.waitFor("paused user"))
    stage.signal(SIGUSR2)
    terminal.press("Space")
    #expect(stage.waitFor("playing"))
    // Resumed while interrupted: plays, and the end means nothing any more.
    stage.signal(SIGUSR1)
    #expect(stage.waitFor("paused interruption"))
    terminal.press("Space")
    #expect(stage.waitFor("playing"))
    stage.signal(SIGUSR2)
    terminal.press("c")
    #expect(stage.waitFor("paused user"))
    stage.hearAll()
    // On a busy machine the player may have waited between them, and gone on as before.
    var (states, hasWaited) = ([String](), false)
    for summary in stage.events.map(\.summary) where summary != "underrun" {
      let isWait = ["waiting device", "waiting buffering", "waiting disk"].contains(summary)
      if !isWait, !hasWaited || summary != states.last { states.append(summary) }
      hasWaited = isWait
    }
    #expect(
      states == [
        "waiting starting", "track", "playing", "paused user", "playing", "paused interruption", "paused user",
        "playing", "paused interruption", "playing", "paused user",
      ])
    let last = try #require(stage.events.last?.frame())
    let heard = stage.listener.heard
    #expect(heard.count == 1 && heard[0].track == 0 && heard[0].frames.lowerBound == 0)
    #expect(heard.allSatisfy { abs($0.frames.upperBound - last) <= stage.clockError }, "\(heard) \(last)")
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }

  @Test func `a call pauses playback, which resumes at the same sample`() throws {
    let call = try Program.samples(ofWAVE: fixture("source-gapless-1.wav"))
    let music = try Program.decode(fixture("e2-44100-cbr160.mp3"))
    let stage = try Stage(tracks: [music, call], modules: ["module-role-cork"])
    try stage.play(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: 30_000))
    let phone = try ChildProcess(
      ["paplay", "--property=media.role=phone", fixture("source-gapless-1.wav")], environment: stage.server.environment)
    // Both states may have passed when a busy machine lets this look.
    let pauseCount = try #require(stage.passed("paused interruption"))
    #expect(eventually { phone.isOver })
    let playCount = try #require(stage.passed("playing", after: pauseCount))
    let events = stage.events
    let (pause, place) = (try #require(events[pauseCount - 1].frame()), try #require(events[playCount - 1].frame()))
    // The place of the pause is told by the clock if the server answers late.
    #expect(abs(pause - place) <= stage.lateAnswer)
    #expect(stage.end() == 0)
    stage.hearAll()
    let runs = stage.listener.heard
    let resumed = try #require(runs.last?.frames.lowerBound)
    #expect(
      runs.dropFirst() == [.init(track: 1, frames: 0..<call.count), .init(track: 0, frames: resumed..<music.count)],
      "\(runs), \(events)")
    #expect(abs(resumed - place) <= stage.lateAnswer, "\(runs), \(place)")
    // The server mutes the stream when it asks for a pause: some milliseconds until the pause are not audible.
    #expect(runs.first?.frames.lowerBound == 0)
    #expect(runs.first.map { resumed - stage.clockError...resumed ~= $0.frames.upperBound } == true, "\(runs)")
  }

  @Test func `music that is started during a call waits for its end, and begins at its first sample`() throws {
    let music = try Program.decode(fixture("gapless-1.mp3"))
    let stage = try Stage(tracks: [music], modules: ["module-role-cork"])
    let phone = try stage.server.call()
    #expect(try eventually { try stage.server.pactl("list", "sink-inputs").contains("phone") })
    try stage.play(fixture("gapless-1.mp3"))
    #expect(stage.waitFor("paused interruption"))
    #expect(stage.lastState?.frame() == 0)
    phone.end()
    #expect(stage.end() == 0)
    stage.hearAll()
    #expect(stage.listener.heard == [.init(track: 0, frames: 0..<music.count)])
    let states = stage.events.filter { $0.name == "state" }.map(\.summary)
    #expect(states.first == "waiting starting" && states.suffix(2) == ["playing", "stopped finished"])
  }

  @Test func `playback can be started during a call; a pause from before a call lasts`() throws {
    let stage = try Stage("e2-44100-cbr160.mp3", modules: ["module-role-cork"])
    let terminal = try stage.show(fixture("e2-44100-cbr160.mp3"))
    #expect(stage.hear(frames: 10_000))
    let first = try stage.server.call(by: "Linphone\u{1b}[31m")
    #expect(stage.waitFor("paused interruption"))
    // Its name is a stranger's text.
    #expect(stage.see("⏸ paused (interrupted by Linphone\u{fffd}[31m)"))
    terminal.press("Space")
    #expect(stage.waitFor("playing"))
    #expect(stage.hear(frames: 20_000))
    terminal.press("Space")
    #expect(stage.waitFor("paused user"))
    first.end()
    let second = try stage.server.call()
    #expect(try eventually { try stage.server.pactl("list", "sink-inputs").contains("phone") })
    second.end()
    #expect(try eventually { try !stage.server.pactl("list", "sink-inputs").contains("phone") })
    stage.hearAll()
    #expect(stage.lastState?.summary == "paused user")
    let count = stage.events.count
    terminal.press("Space")
    #expect(stage.waitFor("playing", after: count))
    #expect(stage.waitFor("stopped finished"))
    stage.hearAll()
    #expect(stage.listener.heard.last?.frames.upperBound == 454_230)
    terminal.press("q")
    #expect(stage.endOnScreen() == 0)
  }
}
