import AudioModel
import AudioOutput
import AudioSession
import ByteIO
import Foundation
import SignalProcessing
import SoundServerSupport
import Testing
import Threads

@testable import Playback

/// The engine on real files, with a device whose time the test moves. The audible bytes are compared with those of
/// `TrackReader`.
final class PlaybackEngineTests {
  let output = HandCrankedOutput()
  let engine: PlaybackEngine
  /// The entry that follows each entry.
  var following: [QueueEntry.ID: QueueEntry] = [:]
  /// All that was announced.
  var notices: [PlaybackNotice] = []

  init() {
    var configuration = PlaybackEngine.Configuration()
    configuration.diskPatience = .seconds(60)
    configuration.bufferSeconds = 0.2
    configuration.answerLimit = .seconds(120)
    engine = PlaybackEngine(output: output, configuration: configuration) {}
  }

  deinit { engine.shutDown() }

  // MARK: Tools

  static func fixture(_ name: String) throws -> BytePath {
    let folder = ProcessInfo.processInfo.environment["SEGUE_FIXTURES"] ?? ".build/fixtures"
    let path = folder + "/" + name
    try #require(FileManager.default.fileExists(atPath: path), "no \(path): make fixtures")
    return BytePath(path)
  }

  static func entry(_ name: String, id: Int = 0) throws -> QueueEntry {
    QueueEntry(id: id, location: .file(try fixture(name)))
  }

  /// All that is played of a file.
  static func samples(of name: String) throws -> [UInt8] {
    let reader = try TrackReader(location: .file(try fixture(name)))
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try block.withUnsafeMutableBytes { try reader.read(into: $0) }
      if count == 0 { return bytes }
      bytes += block.prefix(count)
    }
  }

  /// Lets the feeder do all it can do now, and answers what it asks.
  func settle() {
    var isAnswered = false
    repeat {
      isAnswered = false
      // Again: what comes back from the queue.
      for _ in 0..<2 { engine.rest(within: .seconds(60)) }
      for notice in engine.takeNotices() {
        notices.append(notice)
        guard case .needsNext(let id) = notice else { continue }
        engine.send(.setNext(following[id], after: id))
        isAnswered = true
      }
    } while isAnswered
  }

  /// Lets the feeder continue until something holds; false if it never does.
  func settles(_ condition: () -> Bool) -> Bool {
    waitUntil {
      settle()
      return condition()
    }
  }

  /// The first difference between two recordings, in words; comparing them in `#expect` would print every sample.
  static func difference(_ heard: [UInt8], _ wanted: some Collection<UInt8>) -> String? {
    if heard.elementsEqual(wanted) { return nil }
    let place = zip(heard, wanted).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    return "\(heard.count) bytes for \(wanted.count), first difference at \(place.map(String.init) ?? "the end")"
  }

  /// Consumes so many frames while the feeder keeps up; fewer at the end.
  @discardableResult
  func hear(frames: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var missing = frames
    var idle = 0
    while missing > 0, idle < 3 {
      settle()
      // With its end, it may be another's turn already.
      let stream = output.stream
      let count = stream?.turn(frames: min(missing, 4096)) ?? 0
      bytes += stream?.takeBytes() ?? []
      missing -= count
      idle = count == 0 ? idle + 1 : 0
    }
    settle()
    return bytes
  }

  func play(_ entry: QueueEntry, then next: QueueEntry? = nil) {
    following[entry.id] = next
    engine.send(.play(entry, from: 0))
    settle()
  }

  // MARK: Playing

  @Test func `a track is heard whole, to its last sample, and then it is stopped`() throws {
    let samples = try Self.samples(of: "e2-44100-v2.mp3")
    play(try Self.entry("e2-44100-v2.mp3"))
    #expect(engine.snapshot.state == .waiting)
    #expect(Self.difference(hear(frames: .max / 2), samples) == nil)
    #expect(engine.snapshot.state == .stopped)
    #expect(engine.snapshot.reason == .finished)
    #expect(abs(engine.snapshot.position(at: .zero) - 10.3) < 1e-9)
  }

  @Test func `a join has no sample too many and none too few`() throws {
    let (first, second) = (try Self.entry("gapless-1.mp3"), try Self.entry("gapless-2.mp3", id: 1))
    play(first, then: second)
    let lead = try Self.samples(of: "gapless-1.mp3")
    let upToLastFrame = hear(frames: lead.count / 4 - 1)
    #expect(!notices.contains(.trackBegan(second)))
    let rest = hear(frames: .max / 2)
    #expect(Self.difference(upToLastFrame + rest, lead + (try Self.samples(of: "gapless-2.mp3"))) == nil)
    #expect(notices.contains(.trackBegan(second)))
    #expect(output.streamCount == 1)
  }

  @Test func `effects have their tail after the last track, and only there`() throws {
    let frames = try ["gapless-1.mp3", "gapless-2.mp3"].reduce(0) { try $0 + Self.samples(of: $1).count / 4 }
    let reverb = Reverb(size: 0, wet: 0.5)
    engine.send(.set(.effects([reverb])))
    play(try Self.entry("gapless-1.mp3"), then: try Self.entry("gapless-2.mp3", id: 1))
    let heard = hear(frames: .max / 2)
    let tail = Int(reverb.decaySeconds * 44_100)
    #expect(heard.count / 4 == frames + tail)
    #expect(heard.suffix(4 * tail).prefix(4000).contains { $0 != 0 })
    #expect(engine.snapshot.reason == .finished)
    let duration = try #require(engine.snapshot.information.duration)
    #expect(engine.snapshot.position(at: .distantFuture) <= duration)
    // With an entry that comes late the list continues behind the tail; without effects there is none.
    engine.send(.set(.effects([Mono()])))
    following = [:]
    play(try Self.entry("gapless-1.mp3", id: 2))
    #expect(hear(frames: .max / 2).count == (try Self.samples(of: "gapless-1.mp3").count))
    #expect(notices.contains { if case .state(.stopped, .finished, _) = $0 { true } else { false } })
  }

  @Test func `active effects are reported with their latency, tail and cost`() throws {
    play(try Self.entry("e2-44100-cbr160.mp3"))
    hear(frames: 60_000)
    #expect(engine.snapshot.effects == nil)
    engine.send(.set(.effects([Reverb(size: 0, wet: 0.5), Mono()])))
    hear(frames: 200_000)
    let work = try #require(engine.snapshot.effects)
    #expect(work.latency == 0 && abs(work.tail - 0.3) < 0.001 && work.processorPercent >= 1)
  }

  @Test func `an entry's type hint reaches the parser`() throws {
    let path = try Self.fixture("gapless-1.mp3")
    for (hint, expected) in [(AudioFileTypeID.adts, AudioFileTypeID.adts), (nil, .mp3)] {
      let reader = try PacketReader(location: .file(path), typeHint: hint)
      #expect(reader.input.typeHint == expected && reader.information.fileType == .mp3)
    }
    engine.send(.play(QueueEntry(id: 0, location: .file(path), typeHint: .adts), from: 0))
    settle()
    #expect(engine.snapshot.entry?.typeHint == .adts && engine.snapshot.state != .stopped)
  }

  @Test func `a track of another format follows on a stream of its own, after the last sample of the one before`()
    throws
  {
    let (first, second) = (try Self.entry("gapless-1.mp3"), try Self.entry("lame-48000-mono-v2.mp3", id: 1))
    play(first, then: second)
    let samples = try Self.samples(of: "gapless-1.mp3")
    #expect(Self.difference(hear(frames: samples.count / 4), samples) == nil)
    #expect(Self.difference(hear(frames: .max / 2), try Self.samples(of: "lame-48000-mono-v2.mp3")) == nil)
    #expect(output.stream?.format.sampleRate == 48_000)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `a track that cannot be opened is reported, and the next one plays`() throws {
    let (bad, good) = (try Self.entry("garbage-only.mp3"), try Self.entry("gapless-1.mp3", id: 1))
    play(bad, then: good)
    #expect(notices.contains { if case .trackFailed(bad, _) = $0 { true } else { false } })
    #expect(Self.difference(hear(frames: .max / 2), try Self.samples(of: "gapless-1.mp3")) == nil)
  }

  @Test func `a queue of unreadable tracks ends in stopped, failed`() throws {
    play(try Self.entry("garbage-only.mp3"))
    #expect(engine.snapshot.state == .stopped)
    #expect(engine.snapshot.reason == .failed)
  }

  // MARK: Another next track

  /// Plays the first so far that it has been read to its end, and with it what follows, if anything does.
  private func playToTheTail(then next: QueueEntry?) throws -> (heard: [UInt8], first: [UInt8], QueueEntry) {
    let first = try Self.entry("gapless-1.mp3")
    play(first, then: next)
    let samples = try Self.samples(of: "gapless-1.mp3")
    let heard = hear(frames: samples.count / 4 - 4000)
    return (heard, samples, first)
  }

  @Test(arguments: [nil, "gapless-2.mp3", "short-1.mp3", "lame-48000-mono-v2.mp3", "garbage-only.mp3"])
  func `the next track is changed at the last moment, and no sample is lost`(name: String?) throws {
    let read = try name.map { try Self.entry($0, id: 1) }
    // Several are read ahead where they are short.
    if name == "short-1.mp3" { following[1] = try Self.entry("short-100.mp3", id: 3) }
    if name == "garbage-only.mp3" { following[1] = try Self.entry("gapless-2.mp3", id: 3) }
    let (heard, samples, first) = try playToTheTail(then: read)
    let other = try Self.entry("short-4410.mp3", id: 2)
    engine.send(.setNext(other, after: first.id))
    settle()
    let rest = hear(frames: .max / 2)
    #expect(Self.difference(heard + rest, samples + (try Self.samples(of: "short-4410.mp3"))) == nil)
    // One that was prepared for another format has gone unheard.
    #expect(output.streamCount == (name == "lame-48000-mono-v2.mp3" ? 2 : 1))
    #expect(notices.filter { if case .trackBegan = $0 { true } else { false } }.count == 2)
    #expect(engine.snapshot.entry == other)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `the next track is removed at the last moment`() throws {
    let (heard, samples, first) = try playToTheTail(then: try Self.entry("gapless-2.mp3", id: 1))
    engine.send(.setNext(nil, after: first.id))
    settle()
    #expect(Self.difference(heard + hear(frames: .max / 2), samples) == nil)
    #expect(engine.snapshot.entry == first)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `of the next track another part is chosen at the last moment`() throws {
    var next = try Self.entry("gapless-2.mp3", id: 1)
    let (heard, samples, first) = try playToTheTail(then: next)
    next.part = TrackPart(start: MediaTime(milliseconds: 250), end: MediaTime(milliseconds: 750))
    engine.send(.setNext(next, after: first.id))
    settle()
    let rest = hear(frames: .max / 2)
    let part = try Self.samples(of: "gapless-2.mp3")[11025 * 4..<33075 * 4]
    #expect(Self.difference(heard + rest, samples + part) == nil)
  }

  @Test func `sending the same next track again changes nothing`() throws {
    let next = try Self.entry("gapless-2.mp3", id: 1)
    let (heard, samples, first) = try playToTheTail(then: next)
    engine.send(.setNext(next, after: first.id))
    settle()
    let rest = hear(frames: .max / 2)
    #expect(Self.difference(heard + rest, samples + (try Self.samples(of: "gapless-2.mp3"))) == nil)
  }

  @Test func `a track that comes round again joins itself, until something else is to follow`() throws {
    let entry = try Self.entry("short-4410.mp3")
    play(entry, then: entry)
    var heard = hear(frames: 3000)
    let other = try Self.entry("gapless-2.mp3", id: 1)
    engine.send(.setNext(other, after: entry.id))
    following = [:]
    settle()
    heard += hear(frames: .max / 2)
    let samples = try Self.samples(of: "short-4410.mp3")
    #expect(Self.difference(heard, samples + (try Self.samples(of: "gapless-2.mp3"))) == nil)
  }

  @Test func `in the tail of the last track another is added, also while paused`() throws {
    let (heard, samples, first) = try playToTheTail(then: nil)
    engine.send(.pause)
    engine.send(.setNext(try Self.entry("short-4410.mp3", id: 2), after: first.id))
    settle()
    #expect(engine.snapshot.state == .paused)
    engine.send(.resume)
    settle()
    let rest = hear(frames: .max / 2)
    #expect(Self.difference(heard + rest, samples + (try Self.samples(of: "short-4410.mp3"))) == nil)
  }

  // MARK: Pausing

  @Test func `the position after a pause is exact to the sample, and nothing is lost`() throws {
    let samples = try Self.samples(of: "e2-44100-cbr160.mp3")
    play(try Self.entry("e2-44100-cbr160.mp3"))
    var heard: [UInt8] = []
    for frames in [1, 999, 44_100, 7, 100_000] {
      heard += hear(frames: frames)
      engine.send(.pause)
      settle()
      #expect(engine.snapshot.state == .paused)
      #expect(engine.snapshot.position(at: .distantFuture) == Double(heard.count / 4) / 44_100)
      #expect(hear(frames: 100).isEmpty)
      engine.send(.resume)
    }
    heard += hear(frames: .max / 2)
    #expect(Self.difference(heard, samples) == nil)
  }

  @Test func `an interruption while the listener has paused does not resume`() throws {
    play(try Self.entry("e2-44100-cbr160.mp3"))
    hear(frames: 1000)
    for command: PlaybackCommand in [
      .pause, .interruptionBegan(.default, from: .simulation),
      .interruptionEnded(from: .simulation, shouldResume: true),
    ] { engine.send(command) }
    settle()
    #expect(engine.snapshot.state == .paused)
    #expect(hear(frames: 1000).isEmpty)
  }

  // MARK: Seeking

  static let places: [Double] = [0, 0.0001, 1.5, 5, 3.3333, 10.2999]

  @Test(arguments: ["e2-44100-cbr160.mp3", "e2-44100-v2.mp3", "cbr-without-header.mp3"], [false, true])
  func `after a seek only the new place is heard, from exactly there`(name: String, isPaused: Bool) throws {
    let samples = try Self.samples(of: name)
    play(try Self.entry(name))
    for place in Self.places {
      hear(frames: 3000)
      if isPaused { engine.send(.pause) }
      engine.send(.seek(to: place))
      settle()
      if isPaused {
        #expect(engine.snapshot.state == .paused)
        #expect(hear(frames: 100).isEmpty)
        engine.send(.resume)
      }
      let frame = Int((place * 44_100).rounded())
      #expect(abs(engine.snapshot.position(at: .zero) - place) < 1 / 44_100)
      #expect(Self.difference(hear(frames: 500), samples[(frame * 4)...].prefix(2000)) == nil)
    }
  }

  @Test func `the last of several simultaneous seeks wins`() throws {
    let samples = try Self.samples(of: "e2-44100-cbr160.mp3")
    play(try Self.entry("e2-44100-cbr160.mp3"))
    hear(frames: 1000)
    for place in [9, 3, 7.0] { engine.send(.seek(to: place)) }
    settle()
    #expect(Self.difference(hear(frames: 500), samples[(7 * 44_100 * 4)...].prefix(2000)) == nil)
  }

  @Test func `a pause directly after a seek is a pause`() throws {
    let samples = try Self.samples(of: "e2-44100-cbr160.mp3")
    play(try Self.entry("e2-44100-cbr160.mp3"))
    hear(frames: 1000)
    output.gate.locked {
      // Both are there when the feeder looks.
      for command: PlaybackCommand in [.set(.volume(1)), .seek(to: 7), .pause] { engine.send(command) }
    }
    settle()
    #expect(engine.snapshot.state == .paused)
    #expect(hear(frames: 500).isEmpty)
    engine.send(.resume)
    #expect(Self.difference(hear(frames: 500), samples[(7 * 44_100 * 4)...].prefix(2000)) == nil)
  }

  @Test func `seeks relative to the place add up, also those that come at once`() throws {
    play(try Self.entry("e2-44100-cbr160.mp3"))
    hear(frames: 44_100)
    for _ in 1...3 { engine.send(.seekBy(2)) }
    settle()
    #expect(abs(engine.snapshot.position(at: .zero) - 7) < 1 / 44_100)
  }

  @Test func `a seek to the end continues with the next track, or ends`() throws {
    let (first, second) = (try Self.entry("e2-44100-cbr160.mp3"), try Self.entry("gapless-2.mp3", id: 1))
    play(first, then: second)
    hear(frames: 1000)
    engine.send(.seek(to: .infinity))
    settle()
    #expect(Self.difference(hear(frames: .max / 2), try Self.samples(of: "gapless-2.mp3")) == nil)
    #expect(engine.snapshot.reason == .finished)
  }

  @Test func `a seek back while the next track is read already stays in the one that is heard`() throws {
    let (first, second) = (try Self.entry("gapless-1.mp3"), try Self.entry("gapless-2.mp3", id: 1))
    let samples = try Self.samples(of: "gapless-1.mp3")
    play(first, then: second)
    hear(frames: samples.count / 4 - 1000)
    engine.send(.seek(to: 0.5))
    settle()
    #expect(Self.difference(hear(frames: samples.count / 4 - 22_050), samples[(22_050 * 4)...]) == nil)
    #expect(Self.difference(hear(frames: .max / 2), try Self.samples(of: "gapless-2.mp3")) == nil)
  }

  // MARK: Stopping, losing

  @Test func `stop goes to 0, and play starts from there`() throws {
    let entry = try Self.entry("gapless-1.mp3")
    play(entry)
    hear(frames: 5000)
    engine.send(.stop)
    settle()
    #expect(engine.snapshot.state == .stopped)
    #expect(engine.snapshot.position(at: .distantFuture) == 0)
    #expect(output.stream?.isClosed == true)
    play(entry)
    #expect(Self.difference(hear(frames: 500), try Self.samples(of: "gapless-1.mp3").prefix(2000)) == nil)
  }

  @Test(arguments: [false, true])
  func `after a lost server, playback resumes at the same sample`(isPaused: Bool) throws {
    let samples = try Self.samples(of: "e2-44100-cbr160.mp3")
    play(try Self.entry("e2-44100-cbr160.mp3"))
    let before = hear(frames: 50_001)
    if isPaused { engine.send(.pause) }
    settle()
    output.stream?.fail()
    settle()
    #expect(engine.snapshot.state == (isPaused ? .paused : .waiting))
    #expect(engine.snapshot.position(at: .distantFuture) == 50_001.0 / 44_100)
    #expect(settles { output.streamCount >= 2 })
    #expect(output.streamCount == 2)
    if isPaused {
      #expect(hear(frames: 100).isEmpty)
      engine.send(.resume)
    }
    #expect(Self.difference(before + hear(frames: .max / 2), samples) == nil)
  }

  @Test func `after a loss nothing is left out that was only believed to be heard`() throws {
    let samples = try Self.samples(of: "e2-44100-cbr160.mp3")
    play(try Self.entry("e2-44100-cbr160.mp3"))
    hear(frames: 50_001)
    output.stream?.retract(frames: 3000)
    settle()
    #expect(engine.snapshot.position(at: .zero) == 50_001.0 / 44_100)
    output.stream?.fail()
    settle()
    #expect(engine.snapshot.position(at: .zero) == 47_001.0 / 44_100)
    #expect(settles { output.streamCount >= 2 })
    #expect(Self.difference(hear(frames: 500), samples[(47_001 * 4)...].prefix(2000)) == nil)
  }

  @Test func `a server that dies before it was known to play is waited for, too`() throws {
    play(try Self.entry("gapless-1.mp3"))
    output.stream?.fail()
    settle()
    #expect(engine.snapshot.state == .waiting)
    #expect(engine.snapshot.reason == .serverLost)
    #expect(settles { output.streamCount >= 2 })
    output.stream?.fail(.noServer)
    settle()
    #expect(engine.snapshot.reason == .serverLost)
  }

  @Test func `a server without a device is said to be that, once, and nobody seeks`() throws {
    let samples = try Self.samples(of: "gapless-1.mp3")
    play(try Self.entry("gapless-1.mp3"))
    let before = hear(frames: 500)
    output.stream?.fail(.streamEnded)
    engine.send(.resume)
    for count in 2...4 {
      // Until there is another device, the lost one is the reason.
      #expect(settles { output.streamCount >= count && output.stream?.isRunning == true })
      output.stream?.fail(.noDevice)
      settle()
      #expect(engine.snapshot.state == .waiting && engine.snapshot.reason == .noDevice)
    }
    #expect(settles { output.streamCount >= 5 })
    #expect(Self.difference(before + hear(frames: 500), samples.prefix(4000)) == nil)
    #expect(notices.count { if case .state(.waiting, .noDevice, _) = $0 { true } else { false } } == 1)
    #expect(!notices.contains { if case .seeked = $0 { true } else { false } })
  }

  @Test func `a server that opens no stream is asked again, even before any sound, with one message`() throws {
    let samples = try Self.samples(of: "gapless-1.mp3")
    play(try Self.entry("gapless-1.mp3"))
    for count in 2...3 {
      output.stream?.fail(.streamNotOpened)
      settle()
      #expect(engine.snapshot.state == .waiting)
      #expect(engine.snapshot.reason == .streamNotOpened)
      #expect(settles { output.streamCount >= count })
    }
    #expect(
      notices.count { $0 == .outputFailed(AudioOutputError(.streamNotOpened, detail: "the server was shot")) } == 1)
    #expect(Self.difference(hear(frames: 500), samples.prefix(2000)) == nil)
    #expect(engine.snapshot.state == .playing)
  }

  @Test func `without any output it is stopped and says why`() throws {
    play(try Self.entry("gapless-1.mp3"))
    output.stream?.fail(.noServer)
    settle()
    #expect(engine.snapshot.state == .stopped)
    #expect(notices.contains(.outputFailed(AudioOutputError(.noServer, detail: "the server was shot"))))
  }
}
