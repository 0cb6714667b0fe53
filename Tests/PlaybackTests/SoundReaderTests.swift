import AudioModel
import AudioOutput
import SoundServerSupport
import Testing

@testable import Playback

/// A reader of all that is heard, beside what the device played.
extension PlaybackEngineTests {
  /// Reads after each few frames; returns what the device played, and what was read.
  private func hear(_ reader: SoundReader, frames: Int, step: Int = 3000) -> (
    played: [UInt8], read: [HeardFrames]
  ) {
    var (played, read): ([UInt8], [HeardFrames]) = ([], [])
    while played.count < frames * 4 {
      let more = hear(frames: step)
      read += reader.read().pieces
      if more.isEmpty { break }
      played += more
    }
    return (played, read + reader.read().pieces)
  }

  @Test func `a reader gets each heard frame once, across tracks and formats`() throws {
    let reader = engine.makeSoundReader()
    let names = ["gapless-1.mp3", "lame-48000-mono-v2.mp3", "lame-8000-mono-v5.mp3"]
    let entries = try names.enumerated().map { try Self.entry($1, id: $0) }
    for (entry, next) in zip(entries, entries.dropFirst()) { following[entry.id] = next }
    play(entries[0], then: entries[1])
    let (played, read) = hear(reader, frames: .max / 8)
    #expect(Self.difference(read.flatMap(\.bytes), played) == nil)
    let samples = try names.flatMap { try Self.samples(of: $0) }
    #expect(Self.difference(played, samples) == nil)
    let rates = Set(read.map { $0.format.sampleRate })
    #expect(rates == [44100, 48000, 8000])
  }

  @Test func `after a seek it gets the frames there, and says that some are missing`() throws {
    let reader = engine.makeSoundReader()
    play(try Self.entry("e2-44100-v2.mp3"))
    var (played, read) = hear(reader, frames: 20_000)
    let isWhole = read.dropFirst().allSatisfy { $0.follows }
    #expect(isWhole)
    engine.send(.seek(to: 5))
    settle()
    let later = hear(reader, frames: 20_000)
    played += later.played
    read += later.read
    #expect(Self.difference(read.flatMap(\.bytes), played) == nil)
    engine.send(.pause)
    settle()
    let paused = reader.read()
    #expect(paused.pieces.isEmpty && !paused.isUnbroken)
  }

  @Test func `begins where it can, for any number of seconds`() throws {
    let reader = engine.makeSoundReader()
    play(try Self.entry("e2-44100-v2.mp3"))
    _ = hear(reader, frames: 30_000)
    let all: [Double] = [.infinity, 1e300, 0.1, .nan, -.infinity]
    let counts = all.map { seconds -> Int in
      reader.begin(secondsAgo: seconds)
      return reader.read().pieces.reduce(0) { $0 + $1.frameCount }
    }
    #expect(counts[0] > 4410 && counts == [counts[0], counts[0], 4410, 0, 0])
  }

  @Test func `without a reader the queues keep nothing`() throws {
    play(try Self.entry("e2-44100-v2.mp3"))
    do {
      let reader = engine.makeSoundReader()
      _ = hear(frames: 30_000)
      reader.begin(secondsAgo: 0.1)
      let count = reader.read().pieces.reduce(0) { $0 + $1.frameCount }
      #expect(count == 4410)
    }
    _ = hear(frames: 10_000)
    let reader = engine.makeSoundReader()
    reader.begin(secondsAgo: 0.1)
    let isEmpty = reader.read().pieces.isEmpty
    #expect(isEmpty)
  }
}
