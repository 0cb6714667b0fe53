import AudioModel
import AudioOutput
import ByteIO
import SoundServerSupport
import Testing
import Threads

@testable import Playback

/// The engine on files of a disk that hangs: it obeys at once, says why it waits, and plays on when the disk answers.
@Suite("A disk that hangs", .enabled(if: StallingDisk.isAvailable, "root and /dev/fuse are needed"))
final class StallingDiskTests {
  private let folder: TemporaryFolder
  private let disk: StallingDisk
  private let output = HandCrankedOutput(tellsUnderruns: true)
  private let engine: PlaybackEngine
  private var notices: [PlaybackNotice] = []
  private static let name = "e2-44100-cbr320.mp3"

  init() throws {
    folder = try TemporaryFolder()
    disk = try StallingDisk(of: Fixture.absoluteFolder, in: folder)
    var configuration = PlaybackEngine.Configuration()
    (configuration.bufferCount, configuration.bufferSeconds) = (3, 0.2)
    engine = PlaybackEngine(output: output, configuration: configuration) {}
  }

  deinit {
    engine.shutDown()
    disk.answer()
  }

  private func entry(_ name: String, id: Int = 0) -> QueueEntry {
    QueueEntry(id: id, location: .file(BytePath(disk.mount + "/" + name)))
  }

  /// Waits until something holds, while the device plays all that it gets.
  private func settles(hearing heard: inout [UInt8], _ condition: () -> Bool) -> Bool {
    waitUntil {
      engine.settle(within: .seconds(60))
      for notice in engine.takeNotices() {
        notices.append(notice)
        if case .needsNext(let id) = notice { engine.send(.setNext(nil, after: id)) }
      }
      output.stream?.turn(frames: 512)
      heard += output.stream?.takeBytes() ?? []
      return condition()
    }
  }

  private func settles(_ condition: () -> Bool) -> Bool {
    var heard: [UInt8] = []
    return settles(hearing: &heard, condition)
  }

  private var isStalled: Bool {
    (engine.snapshot.state, engine.snapshot.reason) == (.waiting, .diskStalled)
  }

  @Test func `reads that hang are shown, commands are obeyed, and nothing is lost`() throws {
    var heard: [UInt8] = []
    engine.send(.play(entry(Self.name), from: 0))
    #expect(settles(hearing: &heard) { heard.count > 40_000 })
    try disk.hang()
    #expect(settles(hearing: &heard) { isStalled })
    let position = engine.snapshot.position(at: .distantFuture)
    #expect(abs(position - Double(heard.count / 4) / 44_100) < 0.001)
    engine.send(.pause)
    engine.send(.setVolume(0.5))
    #expect(settles(hearing: &heard) { engine.snapshot.state == .paused && engine.snapshot.volume == 0.5 })
    engine.send(.resume)
    #expect(settles(hearing: &heard) { isStalled })
    disk.answer()
    #expect(settles(hearing: &heard) { engine.snapshot.state == .stopped })
    let whole = try TrackReader(location: Fixture.location(Self.name)).rest()
    #expect(PlaybackEngineTests.difference(heard, whole) == nil)
    #expect(!notices.contains { if case .trackFailed = $0 { true } else { false } })
  }

  @Test func `a seek waits for the disk, and another track can be played meanwhile`() throws {
    engine.send(.play(entry(Self.name), from: 0))
    #expect(settles { engine.snapshot.state == .playing })
    try disk.hang()
    engine.send(.seek(to: 8))
    #expect(settles { isStalled })
    #expect(engine.snapshot.position(at: .distantFuture) == 8)
    engine.send(.play(QueueEntry(id: 1, location: Fixture.location("gapless-1.mp3")), from: 0))
    #expect(settles { engine.snapshot.state == .playing && engine.snapshot.entry?.id == 1 })
    engine.send(.play(entry("gapless-2.mp3", id: 2), from: 0))
    #expect(settles { isStalled })
    disk.answer()
    #expect(settles { engine.snapshot.state == .playing && engine.snapshot.entry?.id == 2 })
  }

  @Test func `opening a file hangs without the player, and its end does not wait for the disk`() throws {
    try disk.hang(everything: true)
    engine.send(.play(entry(Self.name), from: 0))
    #expect(settles { isStalled })
    engine.send(.stop)
    #expect(settles { engine.snapshot.state == .stopped })
    engine.send(.play(entry(Self.name, id: 1), from: 0))
    #expect(settles { isStalled })
    engine.shutDown()
  }

  @Test(arguments: ["flac-16-2-44100.flac", "foreign.tta", "alac-44100-stereo.m4a", "vorbis-stereo.ogg"])
  func `every container resumes where its disk hung`(name: String) throws {
    var heard: [UInt8] = []
    try disk.hang()
    engine.send(.play(entry(name), from: 0))
    #expect(settles(hearing: &heard) { isStalled })
    disk.answer()
    #expect(settles(hearing: &heard) { engine.snapshot.state == .playing || engine.snapshot.state == .stopped })
    try disk.hang()
    _ = settles(hearing: &heard) { isStalled || engine.snapshot.state == .stopped }
    disk.answer()
    #expect(settles(hearing: &heard) { engine.snapshot.state == .stopped })
    #expect(PlaybackEngineTests.difference(heard, try TrackReader(location: Fixture.location(name)).rest()) == nil)
  }
}
