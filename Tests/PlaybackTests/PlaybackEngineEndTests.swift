import AudioModel
import AudioOutput
import ByteIO
import Foundation
import SoundServerSupport
import Synchronization
import Testing
import Threads

@testable import Playback

/// Ends that must come, whatever the input or the device does.
struct PlaybackEngineEndTests {
  /// An output that does not come back from opening a stream until it is let go.
  private final class HangingOutput: AudioOutput {
    let isReached = Mailbox<Void>()
    let release = Mailbox<Void>()

    func openStream(
      _ format: PCMFormat, buffering: AudioOutputBuffering, source: any AudioOutputSource
    ) -> any AudioOutputStream {
      isReached.post(())
      _ = release.take(until: nil)
      return HandCrankedStream(format: format, source: source)
    }

    func setVolume(_ volume: Double, isMuted: Bool) {}
    func setTrack(title: String?, artist: String?) {}
  }

  @Test func `the program can end although the feeder hangs`() throws {
    let output = HangingOutput()
    let engine = PlaybackEngine(output: output) {}
    engine.send(.play(try PlaybackEngineTests.entry("short-4410.mp3"), from: 0))
    _ = output.isReached.take(until: nil)
    try limited { engine.shutDown() }
    output.release.post(())
  }

  @Test func `a track of which nothing is to be heard has failed, or repeated it would come round without end`() throws
  {
    // LAME's padding takes the one frame that is left.
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: try PlaybackEngineTests.fixture("short-1.mp3").description)))
    let header = try #require(bytes.firstRange(of: "Info".utf8)?.lowerBound)
    bytes[header + 143] += 1
    let path = NSTemporaryDirectory() + "segue-empty-\(UUID().uuidString).mp3"
    try Data(bytes).write(to: URL(filePath: path))
    defer { unlink(path) }
    let entry = QueueEntry(id: 0, location: .file(BytePath(path)))
    #expect(try TrackReader(location: entry.location).information.packetTable?.validFrames == 0)
    let engine = PlaybackEngine(output: HandCrankedOutput()) {}
    engine.send(.play(entry, from: 0))
    engine.settle(within: .seconds(60))
    #expect(engine.takeNotices().contains { if case .trackFailed(entry, _) = $0 { true } else { false } })
    engine.shutDown()
  }

  // MARK: Late news of the device

  /// An engine whose turns the test makes, so that news of the device can come late. Plays files to the last sample.
  private final class TurnedEngine {
    private let names: [String]
    private let entries: [QueueEntry]
    let output = HandCrankedOutput()
    let mailbox = Mailbox<FeederMessage>()
    private let outbox = Outbox {}
    private let feeder: Feeder
    private var listed: Int
    private var heard: [UInt8] = []

    /// `listed`: the number of files that are in the queue at first.
    init(_ names: [String], listed: Int) throws {
      (self.names, self.listed) = (names, listed)
      entries = try names.enumerated().map { try PlaybackEngineTests.entry($1, id: $0) }
      var configuration = PlaybackEngine.Configuration()
      configuration.diskPatience = nil
      feeder = Feeder(
        output: output, network: nil, configuration: configuration, mailbox: mailbox, outbox: outbox,
        monitor: SoundMonitor())
      mailbox.post(.command(.play(entries[0], from: 0)))
      settle()
    }

    var snapshot: PlaybackSnapshot { outbox.snapshot }
    var heardByteCount: Int { heard.count }

    /// Adds the next file.
    func add() {
      mailbox.post(.command(.setNext(entries[listed], after: listed - 1)))
      listed += 1
    }

    func settle() {
      repeat {
        while feeder.turn(until: .zero) == true {}
        for case .needsNext(let id) in outbox.takeNotices() {
          mailbox.post(.command(.setNext(id + 1 < listed ? entries[id + 1] : nil, after: id)))
        }
      } while !mailbox.isEmpty
    }

    func hear(frames: Int) {
      let stream = output.stream
      stream?.turn(frames: frames)
      heard += stream?.takeBytes() ?? []
      settle()
    }

    /// All files are heard to their end, and nothing else.
    func expectEnd() throws {
      for _ in 0..<1000 where snapshot.state != .stopped { hear(frames: 1000) }
      let wanted = try names.flatMap { try PlaybackEngineTests.samples(of: $0) }
      #expect(PlaybackEngineTests.difference(heard, wanted) == nil)
      #expect(snapshot.reason == .finished, "\(feeder.violations)")
      mailbox.post(.quit)
      settle()
    }
  }

  @Test func `an underrun told late does not hold up a queue that plays out before two others`() throws {
    let engine = try TurnedEngine(["aac-24000-mono.aac", "short-4410.mp3", "lame-16000-mono-v5.mp3"], listed: 3)
    // The first plays out, all of the second is queued, and the third waits for its turn.
    for _ in 0..<1000 where engine.snapshot.openedIDs != [0, 1, 2] { engine.hear(frames: 1000) }
    #expect(engine.output.streamCount == 2 && engine.snapshot.state == .playing)
    // As if the device's thread had stood still since before the first began to play out.
    engine.mailbox.post(.queue(.underrun, number: 0))
    engine.settle()
    try engine.expectEnd()
  }

  @Test(arguments: ["gapless-2.mp3", "aac-24000-mono.aac"]) func `a track added as the last one ends is heard`(
    added: String
  ) throws {
    let engine = try TurnedEngine(["gapless-1.mp3", added], listed: 1)
    let byteCount = try PlaybackEngineTests.samples(of: "gapless-1.mp3").count
    while case let missing = (byteCount - engine.heardByteCount) / 4, missing > 0 {
      engine.hear(frames: min(1000, missing))
      try #require((byteCount - engine.heardByteCount) / 4 < missing)
    }
    // The command is handled before the news that the queue has ended.
    engine.add()
    engine.output.stream?.turn(frames: 100)
    engine.settle()
    try engine.expectEnd()
  }
}
