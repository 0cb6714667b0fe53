internal import ByteIO

extension HLSPlaylist {
  /// More than any coding of sound alone needs, in bits per second.
  private static let audioBandwidth = 600_000

  /// The stream to play: of those without pictures the best; else the sound of the smallest, apart from its pictures
  /// where it can be had so. `nil` where there is no choice.
  var choice: WebAddress? {
    let audio = variants.filter { variant in
      variant.codecs.isEmpty
        ? 1..<Self.audioBandwidth ~= variant.bandwidth : variant.codecs.allSatisfy { Self.isAudio($0) }
    }
    if let best = audio.max(by: { $0.bandwidth < $1.bandwidth }) { return best.address }
    guard let smallest = variants.min(by: { $0.bandwidth < $1.bandwidth }) else { return nil }
    let renditions = renditions.filter { $0.group == smallest.audioGroup && $0.address != nil }
    return (renditions.first { $0.isDefault } ?? renditions.first)?.address ?? smallest.address
  }

  private static func isAudio(_ codec: String) -> Bool {
    ["mp4a", "ac-3", "ec-3", "fLaC", "alac", "mp3"].contains { codec.lowercased().hasPrefix($0.lowercased()) }
  }

  /// The segment to begin with: the first, or, where more will come, three target durations before the end (RFC 8216
  /// 6.3.3).
  var firstNumber: Int? {
    guard !hasEnd else { return segments.first?.number }
    var seconds = 0.0
    for segment in segments.reversed() {
      seconds += segment.seconds
      if seconds >= 3 * (targetSeconds ?? 0) { return segment.number }
    }
    return segments.first?.number
  }
}
