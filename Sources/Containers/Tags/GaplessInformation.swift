internal import AudioModel

/// `iTunSMPB`: hexadecimal numbers, the second of them frames of priming, the third the remainder, the fourth what is
/// to be heard.
struct GaplessInformation {
  let trim: AudioFilePacketTableInfo

  init?(_ text: String) {
    let numbers = text.split(separator: " ").prefix(4).compactMap { Int64($0, radix: 16) }
    guard numbers.count == 4, numbers.allSatisfy({ 0..<ParserStep.maximumByteOffset ~= $0 }), numbers[3] > 0 else {
      return nil
    }
    trim = AudioFilePacketTableInfo(
      validFrames: numbers[3], primingFrames: Int(numbers[1]), remainderFrames: Int(numbers[2]))
  }

  /// The trim of `total` frames in all packets; `nil` if that cannot be. With spectral band replication some
  /// encoders count frames of half the rate, and where the container does not tell of it, others of twice the rate.
  func fitted(to total: Int64) -> AudioFilePacketTableInfo? {
    var trim = trim
    if sum * 2 == total {
      trim.validFrames *= 2
      trim.primingFrames *= 2
    } else if sum == total * 2 {
      trim.validFrames /= 2
      trim.primingFrames /= 2
    }
    // More than there are packets for: the end is missing, the priming is not.
    trim.validFrames = min(trim.validFrames, total - Int64(trim.primingFrames))
    trim.remainderFrames = Int(total - trim.validFrames - Int64(trim.primingFrames))
    return trim.validFrames >= 0 ? trim : nil
  }

  /// True if its numbers account for all frames.
  func accounts(for total: Int64) -> Bool { sum == total || sum * 2 == total || sum == total * 2 }

  var sum: Int64 { trim.validFrames + Int64(trim.primingFrames) + Int64(trim.remainderFrames) }
}
