internal import ByteIO

extension HLSPlaylist {
  /// More than any coding of sound alone needs, in bits per second.
  private static let audioBandwidth = 600_000

  /// The streams to play, the one that is tried first ahead: those without pictures from the best on; then the sound of the
  /// others from the smallest on, apart from its pictures where it can be had so.
  var choices: [WebAddress] {
    let isAudio = { (variant: Variant) in
      variant.codecs.isEmpty
        ? 1..<Self.audioBandwidth ~= variant.bandwidth : variant.codecs.allSatisfy { Self.isAudio($0) }
    }
    let best = variants.filter(isAudio).sorted { $0.bandwidth > $1.bandwidth }
    let others = variants.filter { !isAudio($0) }.sorted { $0.bandwidth < $1.bandwidth }
    return (best + others).map(address)
  }

  /// Where a variant's sound is: in the language that its maker meant for all, else the first; a rendition without an
  /// address is in the variant itself.
  private func address(of variant: Variant) -> WebAddress {
    let renditions = renditions.filter { $0.group == variant.audioGroup }
    let chosen = renditions.first { $0.isDefault } ?? renditions.first { $0.isAutomatic } ?? renditions.first
    return chosen?.address ?? variant.address
  }

  private static func isAudio(_ codec: String) -> Bool {
    ["mp4a", "ac-3", "ec-3", "fLaC", "alac", "mp3"].contains { codec.lowercased().hasPrefix($0.lowercased()) }
  }

  /// The segment to begin with where more will come: three target durations before the end (RFC 8216 6.3.3), or further
  /// back if the playlist says so.
  var firstNumber: Int? {
    let all = segments.reduce(0) { $0 + $1.seconds }
    let told = startOffset.map { $0 < 0 ? -$0 : all - $0 } ?? 0
    var seconds = 0.0
    for segment in segments.reversed() {
      seconds += segment.seconds
      if seconds >= max(told, 3 * (targetSeconds ?? 0)) { return segment.number }
    }
    return segments.first?.number
  }
}
