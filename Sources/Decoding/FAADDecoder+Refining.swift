public import AudioModel

extension AudioDecoders {
  /// What a stream of AAC is, told by its first packet, where its description keeps silent: HE-AAC that ADTS and many
  /// MPEG-4 files give as AAC of half the rate (implicit signalling, ISO/IEC 14496-3 1.6.5), mono that is parametric
  /// stereo, and how many channels a program config element lists. Any other format is given back as it is.
  ///
  /// Where this changes `framesPerPacket`, all counts of frames of the container must be multiplied by the same. Takes
  /// the time of one packet, and the memory of one decoder meanwhile.
  public static func refined(
    _ format: AudioStreamBasicDescription, magicCookie: [UInt8]? = nil, firstPacket: RawSpan
  ) -> AudioStreamBasicDescription {
    guard
      [.aac, .aacHE].contains(format.formatID),
      let config = AudioSpecificConfig(format, magicCookie: magicCookie),
      var handle = try? FAADHandle(config.bytes(), sampleFormat: .s16),
      let block = firstPacket.withUnsafeBytes({ try? handle.decode($0) })
    else { return format }
    var refined = format
    if block.isReplicated, format.sampleRate == Double(config.sampleRate) {
      refined.formatID = .aacHE
      refined.sampleRate *= 2
      refined.framesPerPacket *= 2
    }
    if block.isParametric { refined.formatID = .aacHEv2 }
    // The library gives one channel twice.
    if block.channelCount != 2 || block.isParametric || format.channelsPerFrame != 1 {
      refined.channelsPerFrame = block.channelCount
    }
    return refined
  }
}
