import AudioModel
import AudioOutput
import ByteIO
import Glibc
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
  private var heard: [UInt8] = []
  private var following: [QueueEntry.ID: QueueEntry] = [:]
  /// The samples of `long.wav`: more than is read ahead.
  private static let samples: [UInt8] = (0..<(20 * 44_100 * 4)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }

  static let containers = ["flac-16-2-44100.flac", "foreign.tta", "alac-44100-stereo.m4a", "vorbis-stereo.ogg"]

  init() throws {
    folder = try TemporaryFolder()
    let files = folder("files")
    #expect(mkdir(files, 0o700) == 0)
    for name in Self.containers + ["gapless-2.mp3"] { try write(try Fixture.bytes(name), to: "\(files)/\(name)") }
    try write(Self.waveHeader(dataByteCount: Self.samples.count) + Self.samples, to: files + "/long.wav")
    disk = try StallingDisk(of: files, in: folder)
    var configuration = PlaybackEngine.Configuration()
    (configuration.bufferCount, configuration.bufferSeconds) = (3, 0.2)
    engine = PlaybackEngine(output: output, configuration: configuration) {}
  }

  deinit {
    engine.shutDown()
    disk.answer()
  }

  /// Of 16 bits, stereo, 44.1 kHz.
  private static func waveHeader(dataByteCount: Int) -> [UInt8] {
    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    return Array("RIFF".utf8) + bytes(36 + dataByteCount, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4) + bytes(1, 2)
      + bytes(2, 2) + bytes(44_100, 4) + bytes(176_400, 4) + bytes(4, 2) + bytes(16, 2) + Array("data".utf8)
      + bytes(dataByteCount, 4)
  }

  private func play(_ name: String, id: Int = 0, from seconds: Double = 0) {
    engine.send(.play(QueueEntry(id: id, location: .file(BytePath(disk.mount + "/" + name))), from: seconds))
  }

  /// Waits until something holds, while the device plays all that it gets.
  private func settles(_ condition: () -> Bool) -> Bool {
    waitUntil {
      engine.settle(within: .seconds(60))
      for notice in engine.takeNotices() {
        notices.append(notice)
        if case .needsNext(let id) = notice { engine.send(.setNext(following[id], after: id)) }
      }
      let stream = output.stream
      _ = stream?.turn(frames: 512)
      heard += stream?.takeBytes() ?? []
      return condition()
    }
  }

  private var state: PlaybackState { engine.snapshot.state }
  private var isStalled: Bool { state == .waiting && engine.snapshot.reason == .diskStalled }

  @Test func `reads that hang are shown, commands are obeyed, and nothing is lost`() throws {
    play("long.wav")
    #expect(settles { heard.count > 40_000 })
    try disk.hang()
    #expect(settles { isStalled })
    let position = engine.snapshot.position(at: .distantFuture)
    #expect(abs(position - Double(heard.count / 4) / 44_100) < 0.001)
    engine.send(.pause)
    engine.send(.set(.volume(0.5)))
    #expect(settles { state == .paused && engine.snapshot.volume == 0.5 })
    engine.send(.resume)
    #expect(settles { isStalled })
    disk.answer()
    #expect(settles { state == .stopped })
    #expect(PlaybackEngineTests.difference(heard, Self.samples) == nil)
    #expect(!notices.contains { if case .trackFailed = $0 { true } else { false } })
  }

  @Test func `a seek waits for the disk, and another track can be played meanwhile`() throws {
    play("long.wav")
    #expect(settles { state == .playing })
    try disk.hang()
    engine.send(.seek(to: 15))
    #expect(settles { isStalled })
    #expect(engine.snapshot.position(at: .distantFuture) == 15)
    engine.send(.play(QueueEntry(id: 1, location: Fixture.location("gapless-1.mp3")), from: 0))
    #expect(settles { state == .playing && engine.snapshot.entry?.id == 1 })
    play("gapless-2.mp3", id: 2)
    #expect(settles { isStalled })
    disk.answer()
    #expect(settles { state == .playing && engine.snapshot.entry?.id == 2 })
  }

  @Test func `a file that cannot be opened yet hangs without the player`() throws {
    try disk.hang(everything: true)
    play("long.wav")
    #expect(settles { isStalled })
    engine.send(.stop)
    #expect(settles { state == .stopped })
    play("long.wav", id: 1)
    #expect(settles { isStalled })
    disk.answer()
    #expect(settles { state == .playing })
  }

  @Test func `a crossfade waits for the track that fades out, and loses nothing of it`() throws {
    // The next track is on another disk.
    following[0] = QueueEntry(id: 1, location: .file(BytePath(folder("files/long.wav"))))
    engine.send(.set(.crossfade(8)))
    func hear(hangs: Bool) throws -> ArraySlice<UInt8> {
      heard = []
      play("long.wav", from: 8)
      #expect(settles { heard.count > 5 * 176_400 })
      if hangs {
        try disk.hang()
        #expect(settles { isStalled })
        disk.answer()
      }
      #expect(settles { heard.count > 13 * 176_400 })
      engine.send(.stop)
      #expect(settles { state == .stopped })
      return heard.prefix(13 * 176_400)
    }
    let (interrupted, whole) = (try hear(hangs: true), try hear(hangs: false))
    #expect(PlaybackEngineTests.difference(Array(interrupted), Array(whole)) == nil)
  }

  @Test(arguments: containers)
  func `every container resumes where its disk hung`(name: String) throws {
    try disk.hang()
    play(name)
    #expect(settles { isStalled })
    disk.answer()
    #expect(settles { state == .playing })
    try disk.hang()
    #expect(settles { isStalled || state == .stopped })
    disk.answer()
    #expect(settles { state == .stopped })
    let whole = try TrackReader(location: Fixture.location(name)).rest()
    #expect(PlaybackEngineTests.difference(heard, whole) == nil)
  }
}
