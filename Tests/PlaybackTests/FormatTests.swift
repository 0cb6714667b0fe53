import AudioModel
import ByteIO
import Containers
import Glibc
import Testing

@testable import Playback

/// Every container and codec from bytes to samples: one fixture of each kind.
@Suite("Every format")
struct FormatTests {
  /// All that can be read but what `TrackReaderTests` has.
  static let names: [String] = {
    let extensions = Set(AudioFileTypeID.readableTypes.flatMap(\.fileExtensions)).subtracting(["mp3", "mp2", "mp1"])
    guard let directory = opendir(Fixture.folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      // Files that are cut report missing frames; libavformat alone reads libav-NAME (LibavTests).
      guard !["source", "adpcm-cut", "libav-"].contains(where: name.hasPrefix),
        extensions.contains(BytePath(name).fileExtension)
      else { continue }
      names.append(name)
    }
    return names.sorted()
  }()

  /// Files of other projects that can be played, if they lie beside the repository.
  static let corpus: [String] = {
    let repository = String(#filePath.dropLast("/Tests/PlaybackTests/FormatTests.swift".count))
    let folder = getenv("SEGUE_CORPUS").map { String(cString: $0) } ?? repository + "/../shared/corpus"
    guard let table = try? Fixture.bytes(folder + "/expected.tsv") else { return [] }
    let rows = String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
    return rows.filter { $0[9] == "plays" }.map { folder + "/" + $0[0] }
  }()

  /// Frames of 1 s at most: what is compared is where they are, not how many.
  private static let window = 20000

  @Test("is played alike by both drivers", arguments: names) func driversAgree(name: String) throws {
    let file = try TrackReader(location: Fixture.location(name), via: .file)
    let automatic = try TrackReader(location: Fixture.location(name))
    let whole = try file.rest()
    #expect(!whole.isEmpty)
    #expect(identical(try automatic.rest(), whole))
    #expect(automatic.damage == nil)
    #expect(file.damage == nil)
    for reader in [file, automatic] { while !reader.isIndexed { _ = reader.advanceIndex() } }
    #expect(file.information.duration == automatic.information.duration)
    // If defining data lie behind the audio, the stream driver says so at once.
    do {
      let stream = try TrackReader(location: Fixture.location(name), via: .stream)
      #expect(file.information.isOptimized)
      #expect(automatic.method == .stream)
      #expect(identical(try stream.rest(), whole))
    } catch TrackError.container(let failure) {
      #expect(failure.code == .notOptimized)
      #expect(!file.information.isOptimized)
      #expect(automatic.method == .file)
    }
  }

  @Test("lasts as long as it says, to the frame", arguments: names) func durations(name: String) throws {
    let reader = try TrackReader(location: Fixture.location(name), via: .file)
    while !reader.isIndexed { _ = reader.advanceIndex() }
    let (duration, isEstimated) = (reader.information.duration, reader.information.durationIsEstimated)
    let frames = try reader.rest().count / reader.pcmFormat.bytesPerFrame
    #expect(!isEstimated)
    #expect((duration.map { ($0 * Double(reader.pcmFormat.sampleRate)).rounded() }) == Double(frames))
  }

  @Test("after a seek to any frame the samples are those of the whole", arguments: names + corpus)
  func seeks(name: String) throws {
    let reader = try TrackReader(location: Fixture.location(name))
    let whole = try reader.rest()
    let size = reader.pcmFormat.bytesPerFrame
    let frameCount = whole.count / size
    // Scattered, but the same in each run (Knuth's multiplicative hash).
    var frames = (1...20).map { $0 * 2_654_435_761 % max(1, frameCount) }
    frames += [0, 1, frameCount - 1, frameCount / 2]
    let isOpus = reader.information.dataFormat?.formatID == .opus
    for (number, frame) in frames.enumerated() where frame >= 0 {
      // By turns one that has read elsewhere before, and one that has not.
      let reader = number % 2 == 0 ? reader : try TrackReader(location: Fixture.location(name))
      #expect(try reader.seek(toFrame: Int64(frame)) == Int64(frame))
      let expected = Array(whole[(frame * size)...].prefix(Self.window * size))
      let found = try reader.bytes(Self.window * size)
      #expect(found.count == expected.count, "frame \(frame)")
      if isOpus {
        // Speech is never quite the same; it is near (RFC 7845 4.6).
        let most = ["opus-silk.opus", "opus-hybrid.opus", "mkv-opus-silk.webm"].contains(name) ? 600 : 1
        #expect(
          zip(found.asSamples, expected.asSamples).allSatisfy { abs(Int($0) - Int($1)) <= most }, "frame \(frame)")
      } else {
        let isSame = identical(found, expected)
        #expect(isSame, "frame \(frame)")
      }
    }
  }
}

extension [UInt8] {
  /// As 16-bit samples.
  fileprivate var asSamples: [Int16] { withUnsafeBytes { Array<Int16>($0.bindMemory(to: Int16.self)) } }
}
