internal import ByteIO

extension HLSPlaylist {
  /// More than any audio codec needs, in bits per second.
  private static let audioBandwidth = 600_000

  /// The streams to try, in order: first those without video, the best one first; then the audio of the others, the
  /// smallest one first, without its video if the server offers it separately.
  var choices: [WebAddress] {
    let isAudio = { (variant: Variant) in
      variant.codecs.isEmpty
        ? 1..<Self.audioBandwidth ~= variant.bandwidth : variant.codecs.allSatisfy { Self.isAudio($0) }
    }
    let best = variants.filter(isAudio).sorted { $0.bandwidth > $1.bandwidth }
    let others = variants.filter { !isAudio($0) }.sorted { $0.bandwidth < $1.bandwidth }
    return (best + others).map(address)
  }

  /// The address of a variant's audio: the default rendition, else one that may be chosen automatically, else the
  /// first. A rendition without an address is in the variant itself.
  private func address(of variant: Variant) -> WebAddress {
    let renditions = renditions.filter { $0.group == variant.audioGroup }
    let chosen = renditions.first { $0.isDefault } ?? renditions.first { $0.isAutomatic } ?? renditions.first
    return chosen?.address ?? variant.address
  }

  private static func isAudio(_ codec: String) -> Bool {
    ["mp4a", "ac-3", "ec-3", "fLaC", "alac", "mp3"].contains { codec.lowercased().hasPrefix($0.lowercased()) }
  }

  /// The first segment of a live stream: three target durations before the end (RFC 8216 6.3.3), or earlier if the
  /// playlist asks for it.
  var firstNumber: Int? {
    let all = segments.reduce(0) { $0 + $1.seconds }
    let declared = startOffset.map { $0 < 0 ? -$0 : all - $0 } ?? 0
    var seconds = 0.0
    for segment in segments.reversed() {
      seconds += segment.seconds
      if seconds >= max(declared, 3 * (targetSeconds ?? 0)) { return segment.number }
    }
    return segments.first?.number
  }
}
