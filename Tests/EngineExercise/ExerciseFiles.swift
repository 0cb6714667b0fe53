import AudioModel
import AudioOutput
import ByteIO
import Foundation
import Playback

/// The files that are played: small ones of several formats, whole, short, damaged and missing.
///
/// Safety: one thread.
public final class ExerciseFiles: @unchecked Sendable {
  /// One of them.
  struct File {
    var location: MediaLocation
    /// The format that is heard; empty if nothing is.
    var format: PCMFormat
    var samples: [UInt8]
  }

  let files: [File]
  /// The folder of the files.
  public let folder: String

  /// Writes them into a folder. `fixtures`: where the fixture files lie.
  public init(folder: String, fixtures: String) throws {
    self.folder = folder
    var paths: [String] = []
    func add(_ name: String, _ rate: Int, _ channels: Int, _ frames: Int, claims: Int? = nil) throws {
      let format = PCMFormat(sampleRate: rate, channelCount: channels, sampleFormat: .s16)
      var generator = SeededGenerator(seed: UInt64(paths.count + 1))
      let count = (claims ?? frames) * format.bytesPerFrame
      var data = Data(WAVEHeader.bytes(for: format, dataByteCount: Int64(count)))
      // Never silent, never loud.
      for _ in 0..<frames * channels {
        let sample = Int16.random(in: 100...9000, using: &generator) * (generator.next() & 1 == 0 ? 1 : -1)
        withUnsafeBytes(of: sample.littleEndian) { data += $0 }
      }
      try data.write(to: URL(fileURLWithPath: "\(folder)/\(name).wav"))
      paths.append("\(folder)/\(name).wav")
    }
    try add("a", 8000, 1, 16_000)
    try add("b", 8000, 1, 9001)
    try add("c", 6000, 1, 15_000)
    try add("d", 8000, 2, 12_345)
    try add("e", 6000, 2, 4000)
    try add("long", 4000, 1, 40_000)
    try add("one", 8000, 1, 1)
    try add("hundred", 6000, 1, 100)
    try add("claims", 8000, 1, 6000, claims: 20_000)
    try add("empty", 8000, 1, 0)
    try add("few", 4000, 2, 700)
    try Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: URL(fileURLWithPath: "\(folder)/bad.mp3"))
    paths.append("\(folder)/bad.mp3")
    paths.append("\(folder)/missing.flac")
    paths += ["lame-8000-mono-cbr24.mp3", "flac-8-1-8000.flac", "alac-short-1000.m4a"].map { "\(fixtures)/\($0)" }
    files = paths.map { path in
      let location = MediaLocation.file(BytePath(path))
      guard let reader = try? TrackReader(location: location) else {
        let format = PCMFormat(sampleRate: 8000, channelCount: 1, sampleFormat: .s16)
        return File(location: location, format: format, samples: [])
      }
      return File(location: location, format: reader.pcmFormat, samples: Self.samples(of: reader))
    }
  }

  private static func samples(of reader: TrackReader) -> [UInt8] {
    var samples: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while let count = try? block.withUnsafeMutableBytes({ try reader.read(into: $0) }), count > 0 {
      samples += block.prefix(count)
    }
    return samples
  }
}
