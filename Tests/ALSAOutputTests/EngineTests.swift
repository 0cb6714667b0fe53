@testable import ALSAOutput
import AudioModel
import AudioOutput
import ByteIO
import Glibc
import SoundServerSupport
import Testing

@testable import Playback

/// The engine on ALSA's plug-in `file`: the file holds what is decoded, byte by byte.
final class EngineTests {
  let folder: TemporaryFolder
  let engine: PlaybackEngine
  private var following: [QueueEntry.ID: QueueEntry] = [:]
  private var notices: [PlaybackNotice] = []

  init() throws {
    folder = try TemporaryFolder()
    engine = PlaybackEngine(output: ALSAOutput(device: Device.file(folder("heard-%r-%b")))) {}
  }

  deinit { engine.shutDown() }

  /// A WAVE file of random samples. Returns them.
  private func makeFile(_ name: String, rate: Int, bits: Int, frameCount: Int) throws -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(frameCount))
    let samples = generator.bytes(frameCount * 2 * bits / 8)
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let frame = 2 * bits / 8
    let header =
      Array("RIFF".utf8) + little(36 + samples.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
      + little(2, 2) + little(rate, 4) + little(rate * frame, 4) + little(frame, 2) + little(bits, 2)
      + Array("data".utf8) + little(samples.count, 4)
    let file = try #require(fopen(folder(name), "we"))
    defer { fclose(file) }
    fwrite(header + samples, 1, header.count + samples.count, file)
    return samples
  }

  private func play(_ names: String...) {
    let entries = names.enumerated().map { QueueEntry(id: $0.offset, location: .file(BytePath(folder($0.element)))) }
    for (entry, next) in zip(entries, entries.dropFirst()) { following[entry.id] = next }
    engine.send(.play(entries[0], from: 0))
  }

  private func waits(_ condition: (EngineTests) -> Bool) -> Bool {
    let isMet = waitUntil {
      for notice in engine.takeNotices() {
        notices.append(notice)
        if case .needsNext(let id) = notice { engine.send(.setNext(following[id], after: id)) }
      }
      return condition(self)
    }
    if !isMet { print("\(notices)") }
    return isMet
  }

  private func end() -> Bool {
    waits { test in
      test.notices.contains { if case .state(.stopped, _, _) = $0 { true } else { false } }
    }
  }

  private func heard(_ rate: Int, _ bits: Int) -> [UInt8] {
    let bytes = contents(of: folder("heard-\(rate)-\(bits == 24 ? 32 : bits)"))
    guard bits == 24 else { return bytes }
    // What lies above the 24 bits is not part of the sample.
    return stride(from: 0, to: bytes.count, by: 4).flatMap { bytes[$0..<$0 + 3] }
  }

  /// In a test, a comparison of long arrays that fails would look for their differences.
  private func isHeard(_ bytes: [UInt8], _ rate: Int, _ bits: Int) -> Bool { heard(rate, bits) == bytes }

  @Test(arguments: [(44100, 16), (96000, 16), (44100, 24), (96000, 24)])
  func `two tracks of one format follow each other without a gap`(rate: Int, bits: Int) throws {
    let first = try makeFile("a.wav", rate: rate, bits: bits, frameCount: 2 * rate + 7)
    let second = try makeFile("b.wav", rate: rate, bits: bits, frameCount: rate + 11)
    play("a.wav", "b.wav")
    #expect(end())
    #expect(isHeard(first + second, rate, bits))
  }

  @Test func `tracks of different formats are heard completely, each in its own`() throws {
    let first = try makeFile("a.wav", rate: 44100, bits: 16, frameCount: 100_000)
    let second = try makeFile("b.wav", rate: 96000, bits: 24, frameCount: 200_000)
    let third = try makeFile("c.wav", rate: 48000, bits: 16, frameCount: 50_000)
    play("a.wav", "b.wav", "c.wav")
    #expect(end())
    #expect(isHeard(first, 44100, 16) && isHeard(second, 96000, 24) && isHeard(third, 48000, 16))
  }

  @Test(arguments: [16, 24]) func `a seek continues with exactly that frame`(bits: Int) throws {
    let frame = bits / 4
    let bytes = try makeFile("a.wav", rate: 44100, bits: bits, frameCount: 20 * 44100)
    play("a.wav")
    engine.send(.pause)
    #expect(waits { $0.engine.snapshot.state == .paused })
    engine.send(.seek(to: 15))
    engine.send(.resume)
    #expect(end())
    let heard = heard(44100, bits)
    let after = bytes[(15 * 44100 * frame)...]
    // Before the seek was heard what comes first.
    let isExact = heard.elementsEqual(bytes.prefix(heard.count - after.count) + after)
    #expect(isExact)
  }

  @Test func `pauses lose and repeat nothing`() throws {
    let bytes = try makeFile("a.wav", rate: 44100, bits: 16, frameCount: 60 * 44100)
    play("a.wav")
    for _ in 0..<20 {
      engine.send(.pause)
      #expect(waits { $0.engine.snapshot.state != .playing })
      engine.send(.resume)
    }
    #expect(end())
    #expect(isHeard(bytes, 44100, 16))
  }
}
