import AudioModel
import ByteIO
import Foundation
import SignalProcessing
import SoundServerSupport
import Testing

@testable import Playback

/// Tracks of cue sheets: parts of a file, exact to the sample.
@Suite("Tracks of a cue sheet")
struct SegmentTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A sheet beside a link to a fixture, with tracks that begin at these frames of 1/75 s.
  private func sheet(_ name: String, _ starts: [Int]) throws -> BytePath {
    try #require(access(folder(name), F_OK) == 0 || symlink(absolute(Fixture.path(name)), folder(name)) == 0)
    var text = "TITLE Album\nPERFORMER Someone\nFILE \"\(name)\" WAVE\n"
    for (index, start) in starts.enumerated() {
      let time = "\(start / 75 / 60):\(start / 75 % 60):\(start % 75)"
      text += "TRACK \(index + 1) AUDIO\nTITLE \"Part \(index + 1)\"\nINDEX 01 \(time)\n"
    }
    try write(text.utf8, to: folder("album.cue"))
    return BytePath(folder("album.cue"))
  }

  private func absolute(_ path: BytePath) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    return realpath(path.description, &buffer).map { String(cString: $0) } ?? path.description
  }

  static let names = [
    "flac-16-2-44100.flac", "e2-44100-cbr160.mp3", "vbr-60s-without-header.mp3", "alac-44100-stereo.m4a",
    "mp4-aac.m4a", "vorbis-oggenc-q5.ogg", "opus-96k-20.opus", "source-44100-stereo.wav", "flac-12-2-12345.flac",
    "e2-22050-cbr64.mp3", "aac-he-stereo.aac", "lame-8000-mono-cbr24.mp3",
  ]
  /// In the midst of packets, several in one packet, and none at all between two.
  private static let starts = [0, 1, 2, 3, 20, 21, 21, 37, 45, 46]

  @Test("read one after the other they are the file, without a sample lost or twice", arguments: names)
  func joins(name: String) throws {
    let whole = try TrackReader(location: Fixture.location(name)).rest()
    let sheet = try sheet(name, Self.starts)
    var (fresh, continued): ([UInt8], [UInt8]) = ([], [])
    var previous: TrackReader?
    // Two that begin at once are the same track.
    for number in [1, 2, 3, 4, 5, 6, 8, 9, 10] {
      let location = MediaLocation.track(sheet, number: number)
      fresh += try TrackReader(location: location).rest()
      let reader = try TrackReader(location: location, continuing: previous)
      #expect(reader.continues(previous) == (previous != nil), "track \(number)")
      continued += try reader.rest()
      previous = reader
    }
    #expect(identical(fresh, whole))
    #expect(identical(continued, whole))
  }

  @Test("a seek within a track lands on the sample, and its end is its end", arguments: names)
  func seeks(name: String) throws {
    let whole = try TrackReader(location: Fixture.location(name)).rest()
    let reader = try TrackReader(location: .track(try sheet(name, [10, 30]), number: 1))
    let (size, rate) = (reader.pcmFormat.bytesPerFrame, reader.pcmFormat.sampleRate)
    let range = rate * 10 / 75..<rate * 30 / 75
    #expect(
      reader.information.duration.map { abs($0 - 20.0 / 75) < 1e-9 } == true && !reader.information.durationIsEstimated)
    for frame in [0, 1, range.count / 2, range.count - 1, range.count, range.count + 5000] {
      let end = min(frame, range.count)
      #expect(try reader.seek(toFrame: Int64(frame)) == Int64(end))
      let expected = whole[(range.lowerBound + end) * size..<range.upperBound * size]
      #expect(identical(try reader.rest(), Array(expected)), "frame \(frame)")
    }
  }

  @Test("a part of a file or of a track is these samples of it", arguments: names)
  func parts(name: String) throws {
    let file = Fixture.location(name)
    for location in [file, .track(try sheet(name, [10, 40]), number: 1)] {
      let whole = try TrackReader(location: location).rest()
      for (start, end) in [(100, 300), (0, 250), (150, nil), (100, 9_000_000), (9_000_000, nil)] as [(Int, Int?)] {
        let part = TrackPart(start: MediaTime(milliseconds: start), end: end.map { MediaTime(milliseconds: $0) })
        let reader = try TrackReader(location: location, part: part)
        let (size, rate) = (reader.pcmFormat.bytesPerFrame, reader.pcmFormat.sampleRate)
        let places = [start, end ?? .max / rate].map { min(whole.count, $0 * rate / 1000 * size) }
        guard !places[0..<1].contains(whole.count) else {
          // As a track that begins behind the end of the file.
          #expect(throws: TrackError.self) { try reader.rest() }
          continue
        }
        #expect(identical(try reader.rest(), Array(whole[places[0]..<places[1]])), "\(location) \(start) \(end ?? -1)")
        #expect(try reader.seek(toFrame: 50) == 50)
        #expect(identical(try reader.rest(), Array(whole[places[0] + 50 * size..<places[1]])))
        #expect(reader.frameCount == Int64((places[1] - places[0]) / size))
      }
    }
    let part = TrackPart(start: MediaTime(milliseconds: 100), end: MediaTime(milliseconds: 300))
    let information = try TrackReader(location: file, part: part).information
    #expect(information.duration.map { abs($0 - 0.2) < 1e-9 } == true && !information.durationIsEstimated)
    #expect(information.tags.title == (try TrackReader(location: file)).information.tags.title)
  }

  @Test("after a seek back the track before ends where it did, and the next one begins again")
  func seekBack() throws {
    let sheet = try sheet("e2-44100-v2.mp3", [0, 100, 200])
    let whole = try TrackReader(location: Fixture.location("e2-44100-v2.mp3")).rest()
    let first = try TrackReader(location: .track(sheet, number: 1))
    _ = try first.rest()
    let second = try TrackReader(location: .track(sheet, number: 2), continuing: first)
    _ = try second.bytes(1000)
    #expect(try first.seek(toFrame: 44000) == 44000)
    #expect(identical(try first.rest(), Array(whole[4 * 44000..<4 * 58800])))
    // It is not read to its end, or another has read on.
    for previous in [second, try TrackReader(location: .track(sheet, number: 1))] {
      let third = try TrackReader(location: .track(sheet, number: 2), continuing: previous)
      #expect(!third.continues(previous))
      #expect(identical(try third.rest(), Array(whole[4 * 58800..<4 * 117600])))
    }
  }

  @Test("filters keep their state between tracks")
  func filters() throws {
    var settings = SoundSettings()
    settings.equalizer = Equalizer.presets.first { $0.name == "bass" }?.equalizer ?? settings.equalizer
    try #require(settings != SoundSettings())
    func all(_ reader: ShapedReader) throws -> [UInt8] {
      var (bytes, block) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
      while case let count = try block.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
        bytes += block.prefix(count)
      }
      return bytes
    }
    let file = Fixture.location("flac-16-2-44100.flac")
    let whole = try all(ShapedReader(TrackReader(location: file, sampleFormat: .f32), of: file, settings: settings))
    let sheet = try sheet("flac-16-2-44100.flac", [0, 20, 40])
    var (previous, joined): (ShapedReader?, [UInt8]) = (nil, [])
    for number in 1...3 {
      let location = MediaLocation.track(sheet, number: number)
      let reader = try TrackReader(location: location, sampleFormat: .f32, continuing: previous?.reader)
      let shaped = ShapedReader(reader, of: location, settings: settings, continuing: previous)
      joined += try all(shaped)
      previous = shaped
    }
    #expect(identical(joined, whole))
  }

  @Test("silence that the sheet asks for is heard, to the frame", arguments: names)
  func gaps(name: String) throws {
    let whole = try TrackReader(location: Fixture.location(name)).rest()
    let path = try sheet(name, [10, 30, 40])
    let text = String(decoding: contents(of: path.description), as: UTF8.self)
      .replacing("INDEX 01 0:0:30", with: "PREGAP 0:0:7\nINDEX 01 0:0:30\nPOSTGAP 0:0:5")
    try write(text.utf8, to: path.description)
    let reader = try TrackReader(location: .track(path, number: 2))
    let (size, rate) = (reader.pcmFormat.bytesPerFrame, reader.pcmFormat.sampleRate)
    let silence = { (count: Int) in [UInt8](repeating: 0, count: count * rate / 75 * size) }
    let all = silence(7) + whole[rate * 30 / 75 * size..<rate * 40 / 75 * size] + silence(5)
    #expect(reader.information.duration.map { abs($0 - 22.0 / 75) < 1e-9 } == true)
    #expect(identical(try reader.rest(), all))
    #expect(reader.frameCount == Int64(all.count / size))
    let (gap, end) = (7 * rate / 75, all.count / size)
    for frame in [0, 1, gap - 1, gap, gap + 1, end - 5 * rate / 75 - 1, end - 5 * rate / 75, end - 1, end, end + 9] {
      #expect(try reader.seek(toFrame: Int64(frame)) == Int64(min(frame, end)))
      #expect(identical(try reader.rest(), Array(all[min(all.count, frame * size)...])), "frame \(frame)")
    }
    // Before the next track it is silent, and that continues with the same decoder.
    let first = try TrackReader(location: .track(path, number: 1))
    var joined = try first.rest()
    let second = try TrackReader(location: .track(path, number: 2), continuing: first)
    joined += try second.rest()
    let third = try TrackReader(location: .track(path, number: 3), continuing: second)
    #expect(second.continues(first) && third.continues(second))
    joined += try third.rest()
    #expect(
      identical(
        joined,
        Array(whole[rate * 10 / 75 * size..<rate * 30 / 75 * size]) + all + whole[rate * 40 / 75 * size..<whole.count]))
  }

  @Test("the tags of the sheet replace those of the file")
  func information() throws {
    let information = try TrackReader.information(of: .track(try sheet("flac-tagged.flac", [0, 30]), number: 2))
    let file = try TrackReader.information(of: Fixture.location("flac-tagged.flac"))
    #expect(information.tags.title == "Part 2" && information.tags.album == "Album")
    #expect(
      information.tags.artist == "Someone" && information.tags.trackNumber == 2 && information.tags.trackCount == 2)
    #expect(information.tags.gain.album == file.tags.gain.track && file.tags.gain.track != nil)
    #expect(information.tags.gain.track == nil && information.tags.artwork == file.tags.artwork)
    #expect(information.tags.chapters == [])
    #expect(information.duration == file.duration.map { $0 - 0.4 })
  }

  @Test("tracks that are not there are errors in words")
  func absent() throws {
    let sheet = try sheet("short-4410.mp3", [0, 7, 8])
    func failure(_ number: Int) -> String? {
      do throws(TrackError) {
        _ = try TrackReader(location: .track(sheet, number: number)).readAll()
        return nil
      } catch { return error.description }
    }
    #expect(failure(1) == nil && failure(2) == nil)
    #expect(failure(3)?.contains("behind its end") == true)
    for number in [0, 4, -1, .min, .max] { #expect(failure(number)?.contains("has 3 tracks") == true) }
    unlink(folder("short-4410.mp3"))
    #expect(failure(1)?.contains("short-4410.mp3 of this cue sheet is not there") == true)
    unlink(folder("album.cue"))
    #expect(failure(1)?.contains("No such file") == true)
  }
}

extension TrackReader {
  /// To the end, with the errors it has.
  fileprivate func readAll() throws(TrackError) -> Int {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var byteCount = 0
    while true {
      let outcome = block.withUnsafeMutableBytes { block in Result { () throws(TrackError) in try read(into: block) } }
      let count = try outcome.get()
      if count == 0 { return byteCount }
      byteCount += count
    }
  }
}

extension PlaybackEngineTests {
  @Test(arguments: ["flac-16-2-44100.flac", "e2-44100-v2.mp3", "mp4-aac.m4a"])
  func `tracks of one file share one stream, each with its own place and length`(name: String) throws {
    let folder = try TemporaryFolder()
    #expect(
      symlink(FileManager.default.currentDirectoryPath + "/" + (try Self.fixture(name)).description, folder(name)) == 0)
    let path = folder("a.cue")
    try write(
      "FILE \(name) WAVE\nTRACK 1 AUDIO\nINDEX 01 0:0:0\nTRACK 2 AUDIO\nINDEX 01 0:0:70\nTRACK 3 AUDIO\nINDEX 01 0:1:3\n"
        .utf8, to: path)
    let entries = (0..<3).map { QueueEntry(id: $0, location: .track(BytePath(path), number: $0 + 1)) }
    following[1] = entries[2]
    play(entries[0], then: entries[1])
    let samples = try Self.samples(of: name)
    let begin = hear(frames: 70 * 588 + 1000)
    #expect(engine.snapshot.entry == entries[1])
    #expect(engine.snapshot.information.duration.map { abs($0 - 8.0 / 75) < 1e-9 } == true)
    #expect(abs(engine.snapshot.clock.position - 1000.0 / 44100) < 0.001)
    #expect(Self.difference(begin + hear(frames: .max / 2), samples) == nil)
    #expect(output.streamCount == 1 && engine.snapshot.reason == .finished)
    #expect(notices.filter { if case .trackBegan = $0 { true } else { false } } == entries.map { .trackBegan($0) })
    // From the midst of the file, and back to its beginning.
    let (second, third) = (4 * 70 * 588, 4 * 78 * 588)
    following = [:]
    play(entries[1])
    #expect(Self.difference(hear(frames: .max / 2), samples[second..<third]) == nil)
    play(entries[1], then: entries[2])
    hear(frames: 2000)
    engine.send(.seek(to: 0.01))
    settle()
    #expect(Self.difference(hear(frames: .max / 2), samples[(second + 4 * 441)...]) == nil)
  }
}
