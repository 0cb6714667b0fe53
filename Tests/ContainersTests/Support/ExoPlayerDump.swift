/// The output of ExoPlayer's extractor for a file of the corpus (`LICENSES.md` there says how it is written).
struct ExoPlayerDump: Sendable, CustomStringConvertible {
  struct Sample: Hashable {
    /// From the first one's, in microseconds.
    var time: Int64
    var byteCount: Int
    var hash: String
  }

  /// All of the corpus, but that of decoded samples.
  static let all: [ExoPlayerDump] = [
    "bear-id3.mp3.id3-enabled", "bear-vbr-vbri-header.mp3", "bear-vbr-xing-header.mp3", "test-cbr-info-header.mp3",
    "bear.opus", "bear_vorbis.ogg", "sample.adts", "sample.wav", "sample_ac3.mp4", "sample_alac.mp4",
    "sample_nb.amr", "sample_wb.amr", "sample_opus_fragmented.mp4",
  ].flatMap { [ExoPlayerDump(name: $0, knowsLength: true), ExoPlayerDump(name: $0, knowsLength: false)] }

  var name: String
  /// Of the file, in bytes.
  var knowsLength: Bool
  var description: String { name + (knowsLength ? ".0.dump" : ".unknown_length.dump") }

  /// The file itself.
  var file: [UInt8] {
    let file = name.hasSuffix(".id3-enabled") ? String(name.dropLast(12)) : name
    return Corpus.contents(of: Corpus.folder + "/androidx-media/" + file)
  }

  private var lines: [Substring] {
    let bytes = Corpus.contents(of: Corpus.folder + "/androidx-media/dumps/" + description)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.drop { $0 == " " } }
  }

  /// Lengths and hashes of what a decoder is given before the first sample.
  var initialization: [String] {
    lines.prefix { $0 != "sample 0:" }.filter { $0.hasPrefix("data = length") }.map(String.init)
  }

  var samples: [Sample] {
    let lines = lines.drop { $0 != "sample 0:" }.prefix { !$0.hasPrefix("track ") }
    func numbers(_ prefix: String) -> [Substring] {
      lines.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) }
    }
    let times = numbers("time = ").compactMap { Int64($0) }
    return zip(times, numbers("data = length ")).compactMap { time, data in
      guard let comma = data.firstIndex(of: ","), let byteCount = Int(data[..<comma]) else { return nil }
      return Sample(time: time - times[0], byteCount: byteCount, hash: String(data[comma...].dropFirst(7)))
    }
  }

  /// As a dump has it.
  static func text(ofHash hash: Int32) -> String { String(UInt32(bitPattern: hash), radix: 16, uppercase: true) }
}
