internal import AudioModel
internal import CLibav

/// libavcodec's layout of samples, and the same as linear PCM.
struct LibavLayout: Equatable {
  let sampleRate: Int32
  let channelCount: Int32
  let channelMask: UInt32
  /// One of `AV_SAMPLE_FMT_...`.
  let format: Int32
  /// Bits of a sample that are used, from the top.
  let bitCount: Int

  /// The layout of a frame; `nil` if it is malformed.
  init?(_ frame: LibavFrame, bitsPerRawSample: Int32) {
    guard 1...32 ~= frame.channelCount, 1...3_000_000 ~= frame.sampleRate else { return nil }
    (sampleRate, channelCount, format) = (frame.sampleRate, frame.channelCount, frame.format)
    // WAVE knows the first 18 of libavutil's speakers.
    channelMask = frame.speakers < 1 << 18 ? UInt32(frame.speakers) : 0
    switch format {
    case AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P: (bytesPerSample, isFloat) = (1, false)
    case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P: (bytesPerSample, isFloat) = (2, false)
    case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P: (bytesPerSample, isFloat) = (4, false)
    case AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP: (bytesPerSample, isFloat) = (4, true)
    case AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_DBLP: (bytesPerSample, isFloat) = (8, true)
    default: return nil
    }
    isPlanar = format >= AV_SAMPLE_FMT_U8P
    let isDeclared = !isFloat && 1...(Int32(bytesPerSample) * 8) ~= bitsPerRawSample
    bitCount = isDeclared ? Int(bitsPerRawSample) : bytesPerSample * 8
  }

  private let bytesPerSample: Int
  private let isPlanar: Bool
  private let isFloat: Bool
  var bytesPerFrame: Int { bytesPerSample * Int(channelCount) }

  /// A byte of no sound.
  var silence: UInt8 { bytesPerSample == 1 ? 0x80 : 0 }

  /// True if frames of both can follow each other.
  func isLike(_ other: LibavLayout) -> Bool {
    sampleRate == other.sampleRate && channelCount == other.channelCount && format == other.format
  }

  /// The same for samples of 32-bit floats; `nil` for others.
  var floats: PCMFormat? {
    guard isFloat, bytesPerSample == 4 else { return nil }
    return PCMFormat(
      sampleRate: Int(sampleRate), channelCount: Int(channelCount), sampleFormat: .f32, channelMask: channelMask)
  }

  /// The layout that `append` writes.
  var description: AudioStreamBasicDescription {
    typealias Flags = AudioStreamBasicDescription
    var flags = bytesPerSample == 1 ? 0 : isFloat ? Flags.isFloat : Flags.isSignedInteger
    if bitCount == bytesPerSample * 8 { flags |= Flags.isPacked } else { flags |= Flags.isAlignedHigh }
    if Int(bigEndian: 1) == 1 { flags |= Flags.isBigEndian }
    return AudioStreamBasicDescription(
      sampleRate: Double(sampleRate), formatID: .linearPCM, formatFlags: flags, bytesPerPacket: bytesPerFrame,
      framesPerPacket: 1, bytesPerFrame: bytesPerFrame, channelsPerFrame: Int(channelCount),
      bitsPerChannel: bitCount)
  }

  /// Appends a frame's samples, interleaved; returns how many of each channel.
  func append(_ frame: LibavFrame, to bytes: inout [UInt8]) -> Int {
    guard frame.frameCount > 0, let planes = frame.planes else { return 0 }
    let (count, start) = (Int(frame.frameCount), bytes.count)
    guard isPlanar else {
      guard let samples = planes[0] else { return 0 }
      bytes.append(contentsOf: UnsafeBufferPointer(start: samples, count: count * bytesPerFrame))
      return count
    }
    bytes.append(contentsOf: repeatElement(0, count: count * bytesPerFrame))
    bytes.withUnsafeMutableBytes { all in
      let output = UnsafeMutableRawBufferPointer(rebasing: all[start...])
      for channel in 0..<Int(channelCount) {
        guard let plane = planes[channel].map({ UnsafeRawPointer($0) }) else { continue }
        switch bytesPerSample {
        case 1: interleave(plane, UInt8.self, channel, count, into: output)
        case 2: interleave(plane, UInt16.self, channel, count, into: output)
        case 4: interleave(plane, UInt32.self, channel, count, into: output)
        default: interleave(plane, UInt64.self, channel, count, into: output)
        }
      }
    }
    return count
  }

  private func interleave<Sample: BitwiseCopyable>(
    _ plane: UnsafeRawPointer, _: Sample.Type, _ channel: Int, _ count: Int, into output: UnsafeMutableRawBufferPointer
  ) {
    let (samples, channels) = (plane.assumingMemoryBound(to: Sample.self), Int(channelCount))
    for index in 0..<count {
      output.storeBytes(
        of: samples[index], toByteOffset: (index * channels + channel) * MemoryLayout<Sample>.size, as: Sample.self)
    }
  }
}
