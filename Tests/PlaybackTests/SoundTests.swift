import AudioModel
import AudioOutput
import ByteIO
import Foundation
import SignalProcessing
import SoundServerSupport
import Testing
import Threads

@testable import Playback

/// Changes of the sound of a track that is playing, on a device that holds seconds of it.
@Suite final class `The sound of a track` {
  let output = DeepOutput(depth: 60_000)
  let engine: PlaybackEngine
  var notices: [PlaybackNotice] = []
  var following: QueueEntry?

  init() {
    var configuration = PlaybackEngine.Configuration()
    configuration.diskPatience = .seconds(60)
    configuration.bufferSeconds = 0.2
    configuration.answerLimit = .seconds(120)
    engine = PlaybackEngine(output: output, configuration: configuration) {}
  }

  deinit { engine.shutDown() }

  private let wave = "source-44100-stereo.wav"
  /// Frames that are heard yet before a change is: what the feeder leaves itself to read again.
  private let lead = 11_025
  /// Frames in which one sound fades into another.
  private let fade = 882

  private func settings(_ change: (inout SoundSettings) -> Void) -> SoundSettings {
    var settings = SoundSettings()
    change(&settings)
    return settings
  }

  private func shaped(_ name: String, _ settings: SoundSettings) throws -> ShapedReader {
    let location = MediaLocation.file(try PlaybackEngineTests.fixture(name))
    return ShapedReader(try TrackReader(location: location), of: location, settings: settings)
  }

  private func all(of reader: ShapedReader, piece: Int = 40_000) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: piece)
    while case let count = try block.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
      bytes += block.prefix(count)
    }
    return bytes
  }

  private func settle() {
    // Again: what comes back from the queue, and what an answer asks for.
    for _ in 0..<3 {
      engine.rest(within: .seconds(60))
      for notice in engine.takeNotices() {
        notices.append(notice)
        guard case .needsNext(let id) = notice else { continue }
        engine.send(.setNext(id == 0 ? following : nil, after: id))
      }
    }
  }

  /// Plays so many frames, in pieces, while the feeder keeps up; fewer at the end.
  private func hear(_ frames: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < frames * 4 {
      settle()
      let more = output.play(min(2000, frames - bytes.count / 4))
      if more.isEmpty { break }
      bytes += more
    }
    settle()
    return bytes
  }

  private func side(_ channel: Int, of bytes: [UInt8]) -> [Int16] {
    bytes.withUnsafeBytes { raw in
      (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: $0 * 4 + channel * 2, as: Int16.self) }
    }
  }

  /// Without what is heard while one sound fades into another.
  private func steady(_ samples: [Int16], _ places: [Int]) -> [Int16] {
    var samples = samples
    for place in places { for frame in place..<min(place + fade, samples.count) { samples[frame] = 0 } }
    return samples
  }

  private func expectSame<Value: Equatable>(
    _ left: [Value], _ right: [Value], _ place: SourceLocation = #_sourceLocation
  ) {
    let difference = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let isSame = difference == nil && left.count == right.count
    #expect(isSame, "\(left.count), \(right.count), \(String(describing: difference))", sourceLocation: place)
  }

  // MARK: Reading

  @Test func `is the same from any start of reading, and unchanged by neutral settings`() throws {
    let plain = try all(of: shaped(wave, SoundSettings()))
    expectSame(plain, try PlaybackEngineTests.samples(of: wave))
    for settings in [settings { $0.preamp = -5 }, settings { $0.equalizer = Equalizer("rock") ?? .flat }] {
      let reader = try shaped(wave, settings)
      let whole = try all(of: reader)
      #expect(whole.count == plain.count)
      for frame in [0, 1, 700, 30_000, 60_000] as [Int64] {
        #expect(try reader.seek(toFrame: frame) == frame)
        let late = try all(of: reader, piece: 3000)
        // Filters swing in to less than a step.
        let worst = zip(side(0, of: late), side(0, of: Array(whole.dropFirst(Int(frame) * 4)))).map {
          abs(Int($0) - Int($1))
        }.max()
        #expect(late.count == whole.count - Int(frame) * 4)
        #expect((worst ?? 9) <= (settings.equalizer == .flat ? 0 : 1))
      }
      #expect(try reader.seek(toFrame: .max) == Int64(plain.count / 4))
    }
  }

  @Test func `effects change the samples in the same way from any start of reading`() throws {
    let mono = try all(of: shaped(wave, settings { $0.effects = [Mono()] }))
    // Each side has dither of its own.
    #expect(zip(side(0, of: mono), side(1, of: mono)).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    let neutral = try all(of: shaped(wave, settings { $0.effects = [StereoWidth(1), Reverb(wet: 0)] }))
    expectSame(neutral, try PlaybackEngineTests.samples(of: wave))
    let reader = try shaped(wave, settings { $0.effects = [Crossfeed()] })
    let whole = try all(of: reader)
    #expect(try reader.seek(toFrame: 30_000) == 30_000)
    let late = try all(of: reader, piece: 3000)
    let differences = zip(side(0, of: late), side(0, of: Array(whole.dropFirst(30_000 * 4)))).map {
      abs(Int($0) - Int($1))
    }
    #expect(late.count == whole.count - 30_000 * 4 && (differences.max() ?? 9) <= 1)
    #expect(whole != neutral)
  }

  @Test func `stays as it is at rates that no output plays, which would need memory in proportion`() throws {
    let folder = try TemporaryFolder()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(PlaybackEngineTests.fixture(wave))"))
    for (rate, isShaped) in [(768_000, true), (768_001, false), (3_000_000, false)] {
      var changed = bytes
      changed.replaceSubrange(24..<28, with: withUnsafeBytes(of: UInt32(rate).littleEndian) { Data($0) })
      let path = "\(folder.path)/\(rate).wav"
      try changed.write(to: URL(fileURLWithPath: path))
      let location = MediaLocation.file(BytePath(path))
      let reader = ShapedReader(
        try TrackReader(location: location), of: location, settings: settings { $0.effects = [Reverb()] })
      #expect(reader.reader.pcmFormat.sampleRate == rate && (reader.effects != nil) == isShaped, "\(rate)")
    }
  }

  @Test func `counts loudness tags, also those at the end of a file`() throws {
    let folder = try TemporaryFolder()
    let name = "lame-44100-stereo-cbr128.mp3"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(PlaybackEngineTests.fixture(name))"))
    func number(_ value: Int) -> Data { withUnsafeBytes(of: UInt32(value).littleEndian) { Data($0) } }
    var items = Data()
    for (key, value) in [("REPLAYGAIN_TRACK_GAIN", "-7.20 dB"), ("REPLAYGAIN_TRACK_PEAK", "0.9")] {
      items += number(value.utf8.count) + number(0) + Data(key.utf8) + [0] + Data(value.utf8)
    }
    let ends = [0xA000_0000, 0x8000_0000].map {
      Data("APETAGEX".utf8) + number(2000) + number(items.count + 32) + number(2) + number($0) + Data(count: 8)
    }
    bytes += ends[0] + items + ends[1]
    let path = "\(folder.path)/tagged.mp3"
    try bytes.write(to: URL(fileURLWithPath: path))
    let location = MediaLocation.file(BytePath(path))
    for preference in [ReadingPreference.stream, .file] {
      let reader = ShapedReader(
        try TrackReader(location: location, via: preference), of: location, settings: settings { $0.gainMode = .track })
      #expect(reader.gain?.decibels == -7.2, "\(preference)")
    }
    for (name, decibels) in [("flac-tagged.flac", -6.5), ("opus-tagged.opus", 6)] {
      #expect(try shaped(name, settings { $0.gainMode = .album }).gain?.decibels == decibels, "\(name)")
    }
  }

  @Test func `a measured loudness applies to a file without tags, and is asked for once`() throws {
    let asked = Guarded<[BytePath]>([])
    var measured = TrackTags.Gain()
    (measured.track, measured.trackPeak, measured.album, measured.isMeasured) = (-6, 0.5, -4, true)
    func shaped(_ name: String, _ settings: SoundSettings) throws -> ShapedReader {
      let location = MediaLocation.file(try PlaybackEngineTests.fixture(name))
      return ShapedReader(
        try TrackReader(location: location), of: location, settings: settings,
        measuredGain: { [measured] path in
          asked.withLock { $0.append(path) }
          return measured
        })
    }
    let plain = try all(of: shaped(wave, settings { _ in }))
    #expect(asked.withLock { $0 } == [], "no loudness applies")
    let reader = try shaped(wave, settings { $0.gainMode = .track })
    #expect(reader.gain?.decibels == -6 && reader.gain?.isMeasured == true)
    let soft = try all(of: reader)
    // The level of all samples, which dither does not move.
    func energy(_ bytes: [UInt8]) -> Double {
      bytes.withUnsafeBytes { $0.bindMemory(to: Int16.self).reduce(0.0) { $0 + Double($1) * Double($1) } }
    }
    #expect(abs(10 * log10(energy(soft) / energy(plain)) + 6) < 0.01)
    reader.settings = settings { $0.gainMode = .album }
    #expect(reader.gain?.decibels == -4)
    #expect(asked.withLock { $0.count } == 1)
    let tagged = try shaped("flac-tagged.flac", settings { $0.gainMode = .album })
    #expect(tagged.gain?.decibels == -6.5 && tagged.gain?.isMeasured == false)
    #expect(asked.withLock { $0.count } == 1, "tags come first")
  }

  // MARK: Playing

  @Test func `a change is heard at once, and not one frame is lost or repeated`() throws {
    let whole = try PlaybackEngineTests.samples(of: wave)
    engine.send(.play(try PlaybackEngineTests.entry(wave), from: 0))
    var heard = hear(20_000)
    engine.send(.set(.balance(-1)))
    settle()
    heard += hear(20_001)
    engine.send(.set(.balance(0)))
    engine.send(.set(.equalizer(Equalizer("bass") ?? .flat)))
    settle()
    heard += hear(20_000)
    engine.send(.set(.equalizer(.flat)))
    settle()
    heard += hear(1_000_000)
    let (left, right) = (side(0, of: whole), side(1, of: whole))
    let heardRight = side(1, of: heard)
    let places = [20_000, 40_001, 60_001].map { $0 + lead }
    expectSame(Array(side(0, of: heard)[..<places[1]]), Array(left[..<places[1]]))
    expectSame(Array(heardRight[..<places[0]]), Array(right[..<places[0]]))
    let isMuted = heardRight[(places[0] + fade)..<places[1]].allSatisfy { $0 == 0 }
    #expect(isMuted)
    // On the way from one sound to the other nothing is further from either than they are from each other.
    for frame in 0..<fade {
      let (now, before) = (heardRight[places[0] + frame], right[places[0] + frame])
      let wanted = Double(before) * (1 - (Double(frame) + 0.5) / Double(fade))
      #expect(abs(Double(now) - wanted) <= 1.51)
    }
    let bass = try shaped(wave, settings { $0.equalizer = Equalizer("bass") ?? .flat })
    _ = try bass.seek(toFrame: Int64(places[1]))
    let (from, to) = ((places[1] + fade) * 4, places[2] * 4)
    expectSame(Array(heard[from..<to]), Array(try all(of: bass)[(fade * 4)..<80_000]))
    expectSame(Array(heard[(to + fade * 4)...]), Array(whole[(to + fade * 4)...]))
    let states = notices.compactMap { if case .state(let state, _, _) = $0 { state } else { nil } }
    #expect(states == [.waiting, .playing, .stopped])
    #expect(notices.count { if case .trackBegan = $0 { true } else { false } } == 1)
  }

  @Test func `a change while the next track is queued reaches back into the one that is heard`() throws {
    let whole = try PlaybackEngineTests.samples(of: wave)
    let frames = whole.count / 4
    following = try PlaybackEngineTests.entry(wave, id: 1)
    engine.send(.play(try PlaybackEngineTests.entry(wave), from: 0))
    var heard = hear(frames - 20_000)
    engine.send(.set(.balance(-1)))
    settle()
    heard += hear(20_000)
    engine.send(.set(.balance(0)))
    settle()
    heard += hear(1_000_000)
    expectSame(side(0, of: heard), side(0, of: whole) + side(0, of: whole))
    let right = side(1, of: whole) + side(1, of: whole)
    let places = [frames - 20_000 + lead, frames + lead]
    expectSame(
      steady(side(1, of: heard), places),
      steady(right.enumerated().map { places[0]..<places[1] ~= $0 ? 0 : $1 }, places))
    let began = notices.compactMap { if case .trackBegan(let entry, _) = $0 { entry.id } else { nil } }
    #expect(began == [0, 1])
  }

  @Test func `a change after the last frame was read, and while paused, is heard too`() throws {
    let whole = try PlaybackEngineTests.samples(of: wave)
    let frames = whole.count / 4
    engine.send(.play(try PlaybackEngineTests.entry(wave), from: 0))
    var heard = hear(frames - 30_000)
    engine.send(.set(.balance(1)))
    settle()
    heard += hear(10_000)
    engine.send(.pause)
    settle()
    #expect(output.play(100).isEmpty)
    engine.send(.set(.balance(0)))
    settle()
    engine.send(.resume)
    settle()
    heard += hear(1_000_000)
    expectSame(side(1, of: heard), side(1, of: whole))
    let left = side(0, of: whole)
    let places = [frames - 30_000 + lead, frames - 20_000 + lead]
    expectSame(
      steady(side(0, of: heard), places),
      steady(left.enumerated().map { places[0]..<places[1] ~= $0 ? 0 : $1 }, places))
    #expect(engine.snapshot.state == .stopped && engine.snapshot.reason == .finished)
  }

  @Test func `a change that comes too late for the next frames is heard later, and nothing is lost`() throws {
    let whole = try PlaybackEngineTests.samples(of: wave)
    engine.send(.play(try PlaybackEngineTests.entry(wave), from: 0))
    var heard = hear(20_000)
    // The device does not give back what it plays within 0.7 s.
    output.stream?.unreplaceableFrames = 30_000
    engine.send(.set(.balance(-1)))
    settle()
    heard += hear(1_000_000)
    let place = 20_000 + 4 * lead
    expectSame(side(0, of: heard), side(0, of: whole))
    expectSame(
      steady(side(1, of: heard), [place]),
      steady(side(1, of: whole).enumerated().map { $0 < place ? $1 : 0 }, [place]))
    #expect(notices.allSatisfy { if case .underrun = $0 { false } else { true } })
  }

  @Test func `a change during another begins from the current mix`() throws {
    let whole = try PlaybackEngineTests.samples(of: wave)
    engine.send(.play(try PlaybackEngineTests.entry(wave), from: 0))
    var heard = hear(20_000)
    engine.send(.set(.balance(-1)))
    settle()
    heard += hear(fade / 2)
    engine.send(.set(.balance(0)))
    settle()
    heard += hear(1_000_000)
    let (now, right) = (side(1, of: heard), side(1, of: whole))
    let first = 20_000 + lead
    for frame in 0..<fade * 2 {
      let (left, back) = (Double(frame) + 0.5, Double(frame - fade / 2) + 0.5)
      let out = max(0, 1 - left / Double(fade))
      let part = min(1, max(0, back / Double(fade)))
      #expect(abs(Double(now[first + frame]) - Double(right[first + frame]) * (out * (1 - part) + part)) <= 2.51)
    }
    expectSame(Array(now[(first + 2 * fade)...]), Array(right[(first + 2 * fade)...]))
  }

  @Test func `positions count the track's own frames at every speed`() throws {
    let whole = try PlaybackEngineTests.samples(of: wave)
    let frames = Double(whole.count / 4)
    engine.send(.set(.speed(2)))
    engine.send(.play(try PlaybackEngineTests.entry(wave), from: 0))
    var count = hear(10_000).count / 4
    #expect(abs(engine.snapshot.clock.position - 20_000.0 / 44100) < 0.001)
    #expect(engine.snapshot.speed == 2 && engine.snapshot.clock.speed == 2)
    engine.send(.set(.speed(0.5)))
    settle()
    // Twice as fast for a while yet.
    count += hear(lead + 10_000).count / 4
    #expect(abs(engine.snapshot.clock.position - Double(2 * (10_000 + lead) + 5000) / 44100) < 0.001)
    engine.send(.set(.speed(1)))
    settle()
    count += hear(lead).count / 4
    let start = Int((engine.snapshot.clock.position * 44100).rounded())
    // From here on bit by bit.
    let rest = hear(1_000_000)
    expectSame(rest, Array(whole[(start * 4)...]))
    #expect(abs(Double(count + rest.count / 4) - (Double(20_000 + 2 * lead) + frames - Double(start))) <= 2)
    #expect(notices.allSatisfy { if case .underrun = $0 { false } else { true } })
    // A seek lands where it should at any speed.
    engine.send(.set(.speed(1.25)))
    engine.send(.play(try PlaybackEngineTests.entry(wave), from: 1))
    _ = hear(8820)
    #expect(abs(engine.snapshot.clock.position - 1.25) < 0.001)
    engine.send(.seek(to: 0.5))
    settle()
    _ = hear(8820)
    #expect(abs(engine.snapshot.clock.position - 0.75) < 0.001)
  }

  @Test func `values out of range are clamped, and NaN is ignored`() throws {
    engine.send(.set(.speed(.nan)))
    engine.send(.set(.speed(99)))
    engine.send(.set(.balance(.infinity)))
    engine.send(.set(.gain(.track, preamp: -1e300)))
    engine.send(.set(.gain(.album, preamp: .nan)))
    settle()
    #expect(engine.snapshot.speed == 2)
    #expect(engine.snapshot.sound == settings { ($0.gainMode, $0.balance) = (.album, 1) })
    #expect(
      PlaybackClock(position: 1, referenceTime: .zero, isRunning: true, speed: 1.5).position(
        at: .zero + .seconds(2)) == 4)
  }
}
