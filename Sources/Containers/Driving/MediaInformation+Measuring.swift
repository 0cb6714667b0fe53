internal import AudioModel

extension MediaInformation {
  /// Corrects and completes the headers by the packets that were seen (docs/contracts.md, Duration 1):
  /// exact index, Xing or VBRI, `TLEN` where it is plausible, bytes by bit rate.
  ///
  /// `end` is where the audio ends, or the stream, if that is known.
  func measured(by index: PacketIndex, end: Int64?) -> MediaInformation {
    guard let format = dataFormat, format.sampleRate > 0 else { return self }
    var measured = self
    measured.promisedFrameCount = declaredFrameCount.flatMap { index.isComplete && $0 <= index.frameCount ? nil : $0 }
    // Ogg's frames are those of its last page.
    measured.isEndDeclared = (declaredFrameCount ?? 0) > 0 && fileType != .ogg
    if index.isComplete {
      measured.count(index, sampleRate: format.sampleRate)
    } else {
      measured.estimate(index, end: end, format: format)
    }
    measured.averageBytesPerPacket = measured.averagePacketSize(by: index)
    return measured
  }

  /// Frames of all packets, as the headers say.
  private var declaredFrameCount: Int64? {
    if let frameCount { return frameCount }
    guard let packetCount, let framesPerPacket = dataFormat?.framesPerPacket, framesPerPacket > 0 else { return nil }
    let (product, isTooMuch) = packetCount.multipliedReportingOverflow(by: Int64(framesPerPacket))
    return isTooMuch ? nil : product
  }

  /// Bytes of all packets by their number, else what the bit rate comes to, else those of the packets seen so far.
  private func averagePacketSize(by index: PacketIndex) -> Double? {
    if let audioDataByteCount, let packetCount, packetCount > 0 {
      return Double(audioDataByteCount) / Double(packetCount)
    }
    guard let bitRate, let format = dataFormat, format.sampleRate > 0, format.framesPerPacket > 0 else {
      return index.packetCount > 0 ? Double(index.byteCount) / Double(index.packetCount) : nil
    }
    return Double(bitRate) * Double(format.framesPerPacket) / format.sampleRate / 8
  }

  /// All packets are known: everything is exact.
  private mutating func count(_ index: PacketIndex, sampleRate: Double) {
    packetTable =
      packetTable?.fitted(
        frameCount: index.frameCount, isWhole: index.byteCount == audioDataByteCount || audioDataByteCount == nil)
      ?? trim(of: index.frameCount)
    packetCount = index.packetCount
    frameCount = index.frameCount
    audioDataByteCount = index.byteCount
    maximumPacketSize = index.maximumPacketSize
    bitRate = bitRate(by: index, sampleRate: sampleRate)
    duration = Double(packetTable?.validFrames ?? index.frameCount) / sampleRate
    durationIsEstimated = false
  }

  /// The trim if only the priming is known.
  private func trim(of frameCount: Int64) -> AudioFilePacketTableInfo? {
    guard packetTable == nil, primingFrames > 0 else { return nil }
    let priming = min(Int64(primingFrames), frameCount)
    return AudioFilePacketTableInfo(
      validFrames: frameCount - priming, primingFrames: Int(priming), remainderFrames: 0)
  }

  private mutating func estimate(_ index: PacketIndex, end: Int64?, format: AudioStreamBasicDescription) {
    if packetCount == nil || bitRate == nil { bitRate = bitRate(by: index, sampleRate: format.sampleRate) }
    let available = end.flatMap { end in dataOffset.map { max(0, end - $0) } }
    if let all = promisedFrameCount {
      packetTable = packetTable ?? trim(of: all)
      let frames = packetTable?.validFrames ?? all
      let share = share(of: available)
      duration = Double(frames) / format.sampleRate * (share ?? 1)
      durationIsEstimated = share != nil
      return
    }
    if duration != nil {
      // The header's value, rounded: bytes of other tracks between the packets make an average useless.
      durationIsEstimated = true
      return
    }
    guard let available, let bitRate, bitRate > 0 else { return }
    let byBytes = Double(available) * 8 / Double(bitRate)
    let claimed = tags.claimedMilliseconds.map { Double($0) / 1000 }
    duration = claimed.map { abs($0 - byBytes) <= byBytes / 20 ? $0 : byBytes } ?? byBytes
    durationIsEstimated = true
  }

  /// The header's bit rate if the packets agree with it, apart from padding; else their average.
  private func bitRate(by index: PacketIndex, sampleRate: Double) -> Int? {
    guard index.frameCount > 0 else { return bitRate }
    let average = Int((8 * Double(index.byteCount) * sampleRate / Double(index.frameCount)).rounded())
    guard let bitRate, abs(bitRate - average) <= average / 50 else { return average }
    return bitRate
  }

  /// The share of the declared bytes that is there, if it clearly differs; `nil` if all is well.
  private func share(of available: Int64?) -> Double? {
    guard let available, let declared = audioDataByteCount else { return nil }
    // Tags of some size may follow the audio.
    let isCut = available < declared
    let isLonger = available > declared + declared / 100 + 0x10000
    return isCut || isLonger ? Double(available) / Double(declared) : nil
  }
}

extension AudioFilePacketTableInfo {
  /// The same trim for the frames that there really are.
  ///
  /// If packets are missing at the end (`isWhole` is false and there are fewer), the remainder is missing with them.
  fileprivate func fitted(frameCount: Int64, isWhole: Bool) -> AudioFilePacketTableInfo? {
    let declared = validFrames + Int64(primingFrames) + Int64(remainderFrames)
    let isCut = frameCount < declared && !isWhole
    let remainder = isCut ? max(0, Int64(remainderFrames) - (declared - frameCount)) : Int64(remainderFrames)
    let valid = frameCount - Int64(primingFrames) - remainder
    guard valid >= 0 else { return nil }
    return AudioFilePacketTableInfo(
      validFrames: valid, primingFrames: primingFrames, remainderFrames: Int(remainder))
  }
}
