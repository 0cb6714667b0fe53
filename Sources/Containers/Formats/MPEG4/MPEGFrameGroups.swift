internal import AudioModel

/// MPEG audio frames in each sample of a track, by its duration: QuickTime and others put several into one.
struct MPEGFrameGroups {
  /// PCM frames of one MPEG audio frame.
  private let frameCount: Int
  private let framesPerUnit: Double

  /// A packet has at most as many PCM frames as the tables of other formats can tell.
  private static let maximumFrameCount = 0xffff

  init(_ format: AudioStreamBasicDescription, _ framesPerUnit: Double) {
    (frameCount, self.framesPerUnit) = (max(1, format.framesPerPacket), framesPerUnit)
  }

  /// PCM frames of every sample but the last, which may hold fewer; 0 if they differ.
  func framesPerPacket(_ durations: [(sampleCount: UInt32, duration: UInt32)], sampleCount: Int) -> Int {
    var (common, seen) = (nil as Int?, 0)
    for entry in durations where entry.sampleCount > 0 {
      seen += Int(entry.sampleCount)
      let isLast = entry.sampleCount == 1 && seen >= sampleCount
      let count = frames(ofDuration: entry.duration)
      if let common, isLast ? count > common : count != common { return 0 }
      common = common ?? count
    }
    return common ?? frameCount
  }

  /// PCM frames of the first samples, up to `packetCount`.
  func frameCounts(_ durations: [(sampleCount: UInt32, duration: UInt32)], packetCount: Int) -> [UInt32] {
    var counts: [UInt32] = []
    for entry in durations {
      let count = UInt32(clamping: frames(ofDuration: entry.duration))
      counts += repeatElement(count, count: min(Int(entry.sampleCount), packetCount - counts.count))
    }
    return counts
  }

  /// Whole MPEG audio frames, as times are rounded.
  func frames(ofDuration duration: UInt32) -> Int {
    let declared = min(Double(Self.maximumFrameCount), Double(duration) * framesPerUnit)
    let most = max(1, Self.maximumFrameCount / frameCount)
    return max(1, min(most, Int((declared / Double(frameCount)).rounded()))) * frameCount
  }
}

extension AudioFormatID {
  /// MPEG audio of layers I to III.
  var isMPEG: Bool { [.mpegLayer1, .mpegLayer2, .mpegLayer3].contains(self) }
}
