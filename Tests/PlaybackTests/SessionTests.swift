import AudioModel
import AudioOutput
import AudioSession
import SoundServerSupport
import Testing
import Threads

@testable import Playback

/// The engine's audio session (docs/contracts.md, Session).
extension PlaybackEngineTests {
  @Test func `it is active from the start to the stop, but not while it is interrupted`() throws {
    settle()
    #expect(output.role == "music")
    play(try Self.entry("e2-44100-cbr160.mp3"))
    hear(frames: 1000)
    #expect(engine.snapshot.session.isActive)
    output.stream?.report(.pauseRequested)
    settle()
    #expect(!engine.snapshot.session.isActive)
    #expect(engine.snapshot.reason == .interruption)
    output.stream?.report(.resumeRequested)
    settle()
    #expect(engine.snapshot.session.isActive && engine.snapshot.state == .playing)
    for source in [InterruptionSource.simulation, .terminal, .systemSleep] {
      engine.send(.interruptionBegan(.default, from: source))
      settle()
      #expect(!engine.snapshot.session.isActive && engine.snapshot.state == .paused)
      engine.send(.interruptionEnded(from: source, shouldResume: true))
      settle()
      #expect(engine.snapshot.session.isActive && engine.snapshot.state == .playing)
    }
    engine.send(.stop)
    settle()
    #expect(!engine.snapshot.session.isActive)
    #expect(output.stream?.isClosed == true)
  }

  @Test func `an interruption whose end the server forgot stays a pause, until the listener plays`() throws {
    play(try Self.entry("e2-44100-cbr160.mp3"))
    hear(frames: 1000)
    output.stream?.report(.pauseRequested)
    output.stream?.report(.pauseReasonGone)
    settle()
    #expect(engine.snapshot.state == .paused)
    engine.send(.resume)
    settle()
    #expect(engine.snapshot.state == .playing)
  }

  @Test func `audio that was muted when an interruption began is heard after it, without a notice`() throws {
    play(try Self.entry("e2-44100-cbr160.mp3"))
    let heard = hear(frames: 30_000)
    output.stream?.report(.pauseRequested)
    output.stream?.retract(frames: 219)
    output.stream?.report(.playedUnheard(from: 30_000 - 219))
    settle()
    #expect(engine.snapshot.state == .paused && engine.snapshot.reason == .interruption)
    output.stream?.retract(frames: 0)
    output.stream?.report(.resumeRequested)
    settle()
    #expect(hear(frames: 500).prefix(219 * 4) == heard.suffix(219 * 4))
    #expect(engine.snapshot.state == .playing)
    #expect(!notices.contains { if case .seeked = $0 { true } else { false } })
  }

  @Test func `a pause that the server confirms late goes back to what was heard last, without a notice`() throws {
    play(try Self.entry("e2-44100-cbr160.mp3"))
    let heard = hear(frames: 30_000)
    engine.send(.pause)
    settle()
    output.stream?.retract(frames: 8820)
    output.stream?.report(.playedUnheard(from: 30_000 - 8820))
    settle()
    #expect(engine.snapshot.state == .paused)
    #expect(abs(engine.snapshot.clock.position - Double(30_000 - 8820) / 44100) < 0.0001)
    output.stream?.retract(frames: 0)
    engine.send(.resume)
    settle()
    let isSame = Array(hear(frames: 9000).prefix(8820 * 4)) == Array(heard.suffix(8820 * 4))
    #expect(isSame)
    #expect(!notices.contains { if case .seeked = $0 { true } else { false } })
  }

  @Test(arguments: [false, true])
  func `audio that was muted around a transition is heard again, also after it`(isKnown: Bool) throws {
    let (first, second) = (try Self.entry("gapless-1.mp3"), try Self.entry("gapless-2.mp3", id: 1))
    let samples = try (Self.samples(of: "gapless-1.mp3"), Self.samples(of: "gapless-2.mp3"))
    play(first, then: second)
    let transition = samples.0.count / 4
    hear(frames: transition - 100)
    output.stream?.turn(frames: 219)
    if isKnown {
      settle()
      #expect(engine.snapshot.entry?.id == 1)
    }
    output.stream?.report(.pauseRequested)
    output.stream?.retract(frames: 169)
    output.stream?.report(.playedUnheard(from: Int64(transition - 50)))
    settle()
    #expect(engine.snapshot.entry?.id == 0 && engine.snapshot.state == .paused)
    output.stream?.retract(frames: 0)
    _ = output.stream?.takeBytes()
    output.stream?.report(.resumeRequested)
    settle()
    let rest = Array(samples.0.suffix(50 * 4) + samples.1)
    #expect(Self.difference(hear(frames: .max / 2), rest) == nil)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `after a server dies at a transition, playback continues in the track before`() throws {
    let (first, second) = (try Self.entry("gapless-1.mp3"), try Self.entry("gapless-2.mp3", id: 1))
    let samples = try (Self.samples(of: "gapless-1.mp3"), Self.samples(of: "gapless-2.mp3"))
    play(first, then: second)
    let transition = samples.0.count / 4
    hear(frames: transition - 100)
    output.stream?.turn(frames: 219)
    settle()
    #expect(engine.snapshot.entry?.id == 1)
    output.stream?.retract(frames: 169)
    output.stream?.fail()
    settle()
    #expect(engine.snapshot.entry?.id == 0 && engine.snapshot.reason == .serverLost)
    #expect(engine.snapshot.position(at: .distantFuture) == Double(transition - 50) / 44_100)
    #expect(settles { output.streamCount >= 2 })
    let rest = Array(samples.0.suffix(50 * 4) + samples.1)
    #expect(Self.difference(hear(frames: .max / 2), rest) == nil)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `a device that goes before anything was heard is a lost one, not none`() throws {
    play(try Self.entry("gapless-1.mp3"))
    engine.send(.pause)
    settle()
    output.stream?.fail(.streamEnded)
    settle()
    #expect(engine.snapshot.state == .paused)
    #expect(settles { output.streamCount >= 2 })
    engine.send(.resume)
    settle()
    #expect(Self.difference(hear(frames: 500), try Self.samples(of: "gapless-1.mp3").prefix(2000)) == nil)
  }

  @Test func `a volume set elsewhere is known, and not set again`() throws {
    play(try Self.entry("gapless-1.mp3"))
    output.stream?.report(.volumeChanged(0.3))
    settle()
    #expect(engine.snapshot.volume == 0.3)
    #expect(notices.contains(.volumeChanged(0.3)))
    engine.send(.set(.muted(true)))
    settle()
    #expect(output.volumes == [0.3])
    engine.send(.set(.ducked(true)))
    settle()
    output.stream?.report(.volumeChanged(0.14))
    engine.send(.set(.ducked(false)))
    settle()
    #expect(output.volumes.last == 0.3)
  }

  @Test func `one that ducks others mixes with them, and says once if they stay as loud as they are`() throws {
    engine.send(.setSession(.category(.playback, options: .duckOthers)))
    play(try Self.entry("gapless-1.mp3"))
    #expect(output.role == "game, ducks others")
    func report(_ ducking: OtherAudio.Ducking, isPlaying: Bool) -> [PlaybackNotice] {
      var others = OtherAudio(isPlaying: isPlaying)
      others.ducking = ducking
      let count = notices.count
      output.stream?.report(.othersChanged(others))
      settle()
      #expect(engine.snapshot.others == others)
      return notices.dropFirst(count).filter { $0 != .informationRefined }
    }
    #expect(report(.on, isPlaying: false) == [])
    #expect(report(.unavailable, isPlaying: false) == [.duckingUnavailable])
    var others = OtherAudio(isPlaying: true)
    others.ducking = .unavailable
    #expect(report(.unavailable, isPlaying: true) == [.othersChanged(others)])
    #expect(report(.off, isPlaying: true) == [])
    engine.send(.setSession(.category(.playback)))
    settle()
    #expect(output.role == "music")
  }

  @Test(arguments: [false, true])
  func `changed while it plays, it asks the server for what it wants now, and loses no frame`(isPaused: Bool) throws {
    play(try Self.entry("gapless-1.mp3"))
    var heard = hear(frames: 5000)
    if isPaused { engine.send(.pause) }
    engine.send(.setSession(.category(.ambient)))
    settle()
    #expect(output.role == "game" && output.streamCount == 1)
    engine.send(.setSession(.ioBufferDuration(0.1)))
    engine.send(.setSession(.sampleRate(48000)))
    settle()
    #expect(output.preferredSampleRate == 48000 && output.stream?.buffering.seconds == 0.1)
    #expect(engine.snapshot.session.category == .ambient && engine.snapshot.session.preferredSampleRate == 48000)
    #expect(engine.snapshot.position(at: .distantFuture) == 5000 / 44_100.0)
    if isPaused {
      #expect(engine.snapshot.state == .paused && hear(frames: 100).isEmpty)
      engine.send(.resume)
    }
    // The same again changes nothing.
    let count = output.streamCount
    engine.send(.setSession(.sampleRate(48000)))
    heard += hear(frames: .max / 2)
    #expect(output.streamCount == count)
    #expect(Self.difference(heard, try Self.samples(of: "gapless-1.mp3")) == nil)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `it refuses by a notice what cannot be, and stays what it was`() throws {
    play(try Self.entry("gapless-1.mp3"))
    hear(frames: 1000)
    engine.send(.setSession(.category(.record)))
    engine.send(.setSession(.category(.soloAmbient, options: .duckOthers)))
    engine.send(.setSession(.active(false)))
    settle()
    let refusals = notices.compactMap { if case .sessionRefused(let error) = $0 { error } else { nil } }
    #expect(refusals == [.unsupportedCategory, .badParameter, .isBusy])
    #expect(engine.snapshot.session.category == .playback && engine.snapshot.session.isActive)
    engine.send(.pause)
    engine.send(.setSession(.active(false)))
    settle()
    #expect(!engine.snapshot.session.isActive)
    engine.send(.resume)
    settle()
    #expect(engine.snapshot.session.isActive && engine.snapshot.state == .playing)
    output.gate.locked {
      // Both are there when the feeder looks: soon after, another stream is opened.
      engine.send(.set(.volume(1)))
      output.stream?.fail()
      engine.send(.setSession(.active(true)))
    }
    settle()
    #expect(notices.contains(.sessionRefused(.mediaServicesFailed)))
  }

  @Test func `the route is known, and only a removed device pauses`() throws {
    play(try Self.entry("e2-44100-cbr160.mp3"))
    hear(frames: 1000)
    let speaker = AudioRoute(device: "card", description: "Card (Speaker)")
    var headset = AudioRoute(device: "card", description: "Card (Headset)", isHeadset: true)
    func changes() -> [PlaybackNotice] { notices.filter { if case .routeChanged = $0 { true } else { false } } }
    // The first is no change, and its volume is none.
    for route in [headset, speaker] { output.stream?.report(.routeChanged(route, isOldGone: false)) }
    headset.volume = 0.5
    for route in [headset, headset] { output.stream?.report(.routeChanged(route, isOldGone: false)) }
    settle()
    #expect(engine.snapshot.state == .playing)
    #expect(engine.snapshot.route == headset)
    #expect(changes() == [.routeChanged(speaker, .newDeviceAvailable), .routeChanged(headset, .newDeviceAvailable)])
    output.stream?.report(.routeChanged(speaker, isOldGone: true))
    settle()
    #expect(engine.snapshot.reason == .routeLost)
    #expect(changes().last == .routeChanged(speaker, .oldDeviceUnavailable))
    output.stream?.report(.routeChanged(headset, isOldGone: false))
    settle()
    #expect(engine.snapshot.state == .paused)
    // The simulated session does the same.
    engine.send(.resume)
    engine.send(.routeChanged(.newDeviceAvailable))
    settle()
    #expect(engine.snapshot.state == .playing)
    engine.send(.routeChanged(.oldDeviceUnavailable))
    settle()
    #expect(engine.snapshot.reason == .routeLost)
  }

  @Test func `ducked by the simulated session it is softer by 20 dB, at the server, and back`() throws {
    let volumes = { self.output.volumes }
    engine.send(.set(.volume(0.8)))
    engine.send(.set(.ducked(true)))
    engine.send(.set(.volume(1)))
    engine.send(.set(.ducked(false)))
    settle()
    #expect(volumes().map { ($0 * 1000).rounded() } == [800, 371, 464, 1000])
  }
}
