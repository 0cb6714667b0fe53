internal import AudioModel

extension AudioSpecificConfig {
  /// Every layout that it can be decoded to, richest first; `nil` for AAC that cannot be decoded.
  var formats: [AudioStreamBasicDescription]? {
    guard [1, 2, 3, 4, 17, 19, 23, 39].contains(objectType), channelCount > 0, !hasLowDelayReplication else {
      return nil
    }
    func format(_ id: AudioFormatID, rate: Int, channels: Int) -> AudioStreamBasicDescription {
      AudioStreamBasicDescription(
        sampleRate: Double(rate), formatID: id, formatFlags: UInt32(objectType),
        framesPerPacket: frameCount * rate / sampleRate, channelsPerFrame: channels)
    }
    var formats = [format(.aac, rate: sampleRate, channels: channelCount)]
    // Twice the rate, or the same if the replication is down-sampled.
    if let extendedSampleRate, extendedSampleRate == 2 * sampleRate || extendedSampleRate == sampleRate {
      formats.insert(format(.aacHE, rate: extendedSampleRate, channels: channelCount), at: 0)
      if hasParametricStereo, channelCount == 1 {
        formats.insert(format(.aacHEv2, rate: extendedSampleRate, channels: 2), at: 0)
      }
    }
    return formats
  }

  /// The reason why there are no `formats`.
  var refusal: String {
    switch objectType {
    case 42: "xHE-AAC (USAC) cannot be decoded: FFmpeg's libavcodec has it since 7.1 only"
    case 39 where hasLowDelayReplication: "AAC-ELD with spectral band replication cannot be decoded"
    default: "no support for MPEG-4 audio object type \(objectType)"
    }
  }
}
