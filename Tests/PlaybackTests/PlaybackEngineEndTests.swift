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

  @Test func `an underrun told late does not hold up a queue that plays out before two others`() throws {
    let names = ["aac-24000-mono.aac", "short-4410.mp3", "lame-16000-mono-v5.mp3"]
    let entries = try names.enumerated().map { try PlaybackEngineTests.entry($1, id: $0) }
    let (output, mailbox, outbox) = (HandCrankedOutput(), Mailbox<FeederMessage>(), Outbox {})
    let feeder = Feeder(
      output: output, network: nil, configuration: .init(), mailbox: mailbox, outbox: outbox, monitor: SoundMonitor())
    func settle() {
      repeat {
        while feeder.turn(until: .zero) == true {}
        for case .needsNext(let id) in outbox.takeNotices() {
          mailbox.post(.command(.setNext(entries.first { $0.id == id + 1 }, after: id)))
        }
      } while !mailbox.isEmpty
    }
    var heard: [UInt8] = []
    func hear() -> Bool {
      let stream = output.stream
      let frameCount = stream?.turn(frames: 1000) ?? 0
      heard += stream?.takeBytes() ?? []
      settle()
      return frameCount > 0 || !mailbox.isEmpty
    }
    mailbox.post(.command(.play(entries[0], from: 0)))
    settle()
    // The first plays out, all of the second is queued, and the third waits for its turn.
    while outbox.snapshot.openedIDs != [0, 1, 2] { try #require(hear(), "\(outbox.snapshot)") }
    #expect(output.streamCount == 2 && outbox.snapshot.state == .playing)
    // As if the device's thread had stood still since before the first began to play out.
    mailbox.post(.queue(.underrun, number: 0))
    settle()
    while hear() || outbox.snapshot.state == .playing { try #require(heard.count < 1 << 24) }
    let wanted = try names.flatMap { try PlaybackEngineTests.samples(of: $0) }
    #expect(PlaybackEngineTests.difference(heard, wanted) == nil)
    #expect(outbox.snapshot.reason == .finished)
    mailbox.post(.quit)
    settle()
  }

  @Test(arguments: [false, true]) func `a track that is added as the last one ends is heard`(isOtherFormat: Bool) throws
  {
    let names = ["gapless-1.mp3", isOtherFormat ? "aac-24000-mono.aac" : "gapless-2.mp3"]
    let entries = try names.enumerated().map { try PlaybackEngineTests.entry($1, id: $0) }
    let (output, mailbox, outbox) = (HandCrankedOutput(), Mailbox<FeederMessage>(), Outbox {})
    let feeder = Feeder(
      output: output, network: nil, configuration: .init(), mailbox: mailbox, outbox: outbox, monitor: SoundMonitor())
    func settle() {
      repeat {
        while feeder.turn(until: .zero) == true {}
        for case .needsNext(let id) in outbox.takeNotices() { mailbox.post(.command(.setNext(nil, after: id))) }
      } while !mailbox.isEmpty
    }
    mailbox.post(.command(.play(entries[0], from: 0)))
    settle()
    var heard: [UInt8] = []
    let byteCount = try PlaybackEngineTests.samples(of: names[0]).count
    while heard.count < byteCount {
      _ = output.stream?.turn(frames: min(1000, (byteCount - heard.count) / 4))
      heard += output.stream?.takeBytes() ?? []
      settle()
    }
    // The command is handled before the news that the queue has ended.
    mailbox.post(.command(.setNext(entries[1], after: 0)))
    _ = output.stream?.turn(frames: 100)
    #expect(!mailbox.isEmpty)
    settle()
    for _ in 0..<1000 where outbox.snapshot.state != .stopped {
      _ = output.stream?.turn(frames: 1000)
      heard += output.stream?.takeBytes() ?? []
      settle()
    }
    let wanted = try names.flatMap { try PlaybackEngineTests.samples(of: $0) }
    #expect(PlaybackEngineTests.difference(heard, wanted) == nil)
    #expect(outbox.snapshot.reason == .finished, "\(feeder.violations)")
    mailbox.post(.quit)
    settle()
  }
}
