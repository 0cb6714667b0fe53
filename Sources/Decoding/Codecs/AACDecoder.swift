public import AudioModel

/// AAC by libfaad: low complexity, main, long-term prediction, and HE-AAC of both versions. If libfaad refuses a
/// packet, libavcodec decodes the stream from that packet on.
///
/// The output has the format of the stream's description. If that has the doubled rate of HE-AAC, packets without
/// spectral band replication (SBR) are resampled to it; otherwise SBR is decoded at the core's rate.
///
/// **Seeking.** The library fills noise bands with random numbers that no call resets, and SBR depends on many earlier
/// packets: after a seek, the samples would never equal those of continuous decoding. Therefore a new handle takes over
/// every `resetInterval` packets. It begins some packets early to settle, and is faded in over one packet (which
/// changes nothing where both handles give the same samples).
public final class AACDecoder: AudioDecoder {
  /// Samples in the requested format, channels in WAVE's order.
  public let format: PCMFormat
  private let config: AudioSpecificConfig
  /// The output rate of SBR; `nil` until it appears.
  private var replicatedRate: Int?
  /// Frames of a raw data block, and of a packet, which has several in some ADTS streams.
  private let blockFrameCount: Int
  private let packetFrameCount: Int
  /// The library that decodes; `nil` until one has opened.
  private var library: AACLibrary?
  private var current: (any AACHandle)?
  private var successor: (any AACHandle)?
  /// Packets since the last reset.
  private var packetCount = 0
  /// The library's channel for each place in WAVE's order, for the positions that it represents.
  private var order: [Int]
  private var positions = InlineArray<8, UInt8>(repeating: 0)

  /// A decoder of `stream`, whose rate, channels and frames per packet it keeps. Without a cookie, `formatFlags` is the
  /// MPEG-4 object type, 0 for low complexity. `channelMask` counts where the cookie leaves the channels open.
  public init(
    _ stream: AudioStreamBasicDescription, magicCookie: [UInt8]? = nil, channelMask: UInt32 = 0,
    sampleFormat: PCMFormat.SampleFormat = .s16
  ) throws(DecoderError) {
    let isReplicated = stream.isReplicated
    guard
      let rate = Int(exactly: stream.sampleRate),
      let config = AudioSpecificConfig(stream, magicCookie: magicCookie),
      config.sampleRate * (isReplicated ? 2 : 1) == rate, 1...8 ~= stream.channelsPerFrame
    else {
      throw DecoderError(
        .formatNotSupported,
        "AAC of \(stream.sampleRate) Hz, \(stream.channelsPerFrame) channels with such a description")
    }
    self.config = config
    replicatedRate = isReplicated ? rate : nil
    blockFrameCount = config.frameCount * (isReplicated ? 2 : 1)
    packetFrameCount = max(blockFrameCount, stream.framesPerPacket)
    order = Array(0..<stream.channelsPerFrame)
    let masks: [UInt32] = [channelMask, 0, 0, 0x7, 0x107, 0x37, 0, 0]
    format = PCMFormat(
      sampleRate: rate, channelCount: stream.channelsPerFrame, sampleFormat: sampleFormat,
      channelMask: config.channelConfiguration < 8 ? masks[config.channelConfiguration] : 0)
    current = try open()
  }

  private func open() throws(DecoderError) -> any AACHandle {
    if let library { return try open(library) }
    let first = config.preferredLibrary
    do throws(DecoderError) {
      let handle = try open(first)
      library = first
      return handle
    } catch {
      return try openOther(than: first, after: error)
    }
  }

  private func open(_ library: AACLibrary) throws(DecoderError) -> any AACHandle {
    try config.open(
      library, replicatedRate: replicatedRate, channelCount: format.channelCount, sampleFormat: format.sampleFormat)
  }

  /// Switches to the other library, since the first one does not support this stream.
  private func openOther(than first: AACLibrary, after error: DecoderError) throws(DecoderError) -> any AACHandle {
    guard error.code == .formatNotSupported else { throw error }
    let handle: any AACHandle
    do throws(DecoderError) { handle = try open(first.other) } catch let second {
      throw DecoderError(second.code, "\(error.reason); \(second.reason)")
    }
    (library, successor) = (first.other, nil)
    return handle
  }

  // MARK: Changing handles

  /// The more, the longer a seek takes; the fewer, the more packets are decoded twice.
  public var resetInterval: Int { 64 }

  /// A handle's first packets and the one in which it is faded in.
  public var prerollPacketCount: Int { settlingPacketCount + 1 }

  /// Packets after which a new handle's samples are good: the overlap of two, or of four in enhanced low delay, and
  /// what SBR remembers.
  private var settlingPacketCount: Int { replicatedRate == nil && !config.isEnhancedLowDelay ? 1 : 3 }

  /// Starts again: the next packet gives silence, and affects the one after it.
  public func reset() {
    noteGap()
    packetCount = 0
  }

  /// The same, but the packets continue being counted.
  public func noteGap() {
    current = nil
    successor = nil
  }

  /// Decodes one packet. After one that cannot be decoded the next is silent too: it takes two to sound.
  public func decode(
    _ packet: RawSpan, _ description: PacketDescription, into output: UnsafeMutableRawBufferPointer
  ) throws(DecoderError) -> Int {
    let limit = max(0, min(description.frameCount, output.count / format.bytesPerFrame))
    let target = UnsafeMutableRawBufferPointer(rebasing: output[..<(limit * format.bytesPerFrame)])
    let age = packetCount % resetInterval
    let frameCount: Int
    do throws(DecoderError) {
      if age == 0, packetCount > 0 { successor = try open() }
      packetCount += 1
      frameCount = try decode(packet, with: &current, into: target, .written)
    } catch {
      noteGap()
      throw error
    }
    guard successor != nil else { return frameCount }
    let isSettled = age >= settlingPacketCount
    do throws(DecoderError) {
      _ = try decode(packet, with: &successor, into: target, isSettled ? .fadedIn : .ignored)
      if isSettled { current = successor.take() }
    } catch { successor = nil }
    return frameCount
  }

  // MARK: Blocks

  /// The use of a handle's samples.
  private enum Use { case written, ignored, fadedIn }

  /// Decodes the blocks of a packet, as many as `output` is to hold, and returns how many frames that makes.
  private func decode(
    _ packet: RawSpan, with handle: inout (any AACHandle)?, into output: UnsafeMutableRawBufferPointer, _ use: Use
  ) throws(DecoderError) -> Int {
    let limit = min(output.count / format.bytesPerFrame, packetFrameCount)
    var (frameCount, offset) = (0, 0)
    repeat {
      let rest = packet.extracting(offset..<packet.byteCount)
      let block = try rest.withUnsafeBytes { bytes throws(DecoderError) in try decode(bytes, with: &handle) }
      let frames = frameCount..<min(limit, frameCount + max(blockFrameCount, block.frameCount))
      switch format.sampleFormat {
      case _ where use == .ignored: break
      case .s16: write(block, frames, of: output.assumingMemoryBound(to: Int16.self), fades: use == .fadedIn)
      case .s24in32, .s32: write(block, frames, of: output.assumingMemoryBound(to: Int32.self), fades: use == .fadedIn)
      case .f32: write(block, frames, of: output.assumingMemoryBound(to: Float.self), fades: use == .fadedIn)
      }
      frameCount = frames.upperBound
      offset += block.byteCount
    } while frameCount < limit && offset < packet.byteCount
    return frameCount
  }

  /// Decodes a block and checks that it agrees with the stream's description.
  private func decode(
    _ bytes: UnsafeRawBufferPointer, with handle: inout (any AACHandle)?
  ) throws(DecoderError) -> AACBlock {
    if handle == nil { handle = try open() }
    guard let first = handle else { throw DecoderError(.outOfMemory, "no decoder for AAC") }
    var block: AACBlock
    do throws(DecoderError) { block = try first.decode(bytes) } catch {
      guard library == .faad else { throw error }
      let other = try openOther(than: .faad, after: error)
      handle = other
      block = try other.decode(bytes)
    }
    if block.isReplicated, replicatedRate == nil {
      // SBR that was not announced would double the rate.
      replicatedRate = format.sampleRate
      handle = try open()
      block = try handle?.decode(bytes) ?? block
    }
    guard
      block.samples == nil || block.frameCount % blockFrameCount == 0,
      block.channelCount == format.channelCount || block.channelCount == 2 && format.channelCount == 1
    else {
      throw DecoderError(
        .formatNotSupported,
        "AAC packets hold \(block.frameCount) frames of \(block.channelCount) channels, not \(format)")
    }
    return block
  }

  // MARK: Output

  /// Writes a block's samples to `frames` of `output`, or fades from the present samples to them.
  private func write<Sample: BlendableSample>(
    _ block: AACBlock, _ frames: Range<Int>, of output: UnsafeMutableBufferPointer<Sample>, fades: Bool
  ) {
    let channelCount = format.channelCount
    let target = UnsafeMutableBufferPointer(
      rebasing: output[(frames.lowerBound * channelCount)..<(frames.upperBound * channelCount)])
    guard let samples = block.samples?.assumingMemoryBound(to: Sample.self) else { return target.update(repeating: 0) }
    if channelCount == 1, block.channelCount == 2 {
      for frame in 0..<frames.count { samples[frame] = samples[2 * frame].blended(with: samples[2 * frame + 1], 0.5) }
    } else if channelCount > 2 {
      updateOrder(block)
    }
    if channelCount <= 2, !fades {
      _ = target.update(fromContentsOf: UnsafeBufferPointer(start: samples, count: target.count))
      return
    }
    for index in target.indices {
      let (frame, channel) = index.quotientAndRemainder(dividingBy: channelCount)
      let sample = samples[frame * channelCount + order[channel]]
      target[index] = fades ? target[index].blended(with: sample, Double(frame) / Double(frames.count)) : sample
    }
  }

  /// Finds out which channel of the library's goes where.
  private func updateOrder(_ block: AACBlock) {
    guard (0..<8).contains(where: { positions[$0] != block.positions[$0] }) else { return }
    positions = block.positions
    // C L R, at the side L R, at the back L R C, low frequencies: their bits in WAVE's mask.
    let bits = [31, 2, 0, 1, 9, 10, 4, 5, 8, 3]
    let places = order.indices.map { channel in (bits[min(Int(positions[channel]), 9)], channel) }
    order = places.sorted(by: <).map(\.1)
  }
}

extension AudioStreamBasicDescription {
  /// True if its packets come out twice as long, by SBR.
  fileprivate var isReplicated: Bool {
    [.aacHE, .aacHEv2].contains(formatID) && framesPerPacket != 1024 && framesPerPacket != 960
  }
}

extension AudioSpecificConfig {
  /// The value in the cookie, else the one in the description.
  init?(_ stream: AudioStreamBasicDescription, magicCookie: [UInt8]?) {
    if let magicCookie, !magicCookie.isEmpty {
      self.init(magicCookie)
    } else {
      guard let rate = Int(exactly: stream.sampleRate) else { return nil }
      self.init(
        objectType: Int(stream.formatFlags), sampleRate: stream.isReplicated ? rate / 2 : rate,
        channelCount: stream.channelsPerFrame,
        isShort: stream.framesPerPacket > 0 && stream.framesPerPacket % 960 == 0)
    }
  }
}

/// A sample between two others.
private protocol BlendableSample: ExpressibleByIntegerLiteral {
  func blended(with other: Self, _ weight: Double) -> Self
}

extension Float: BlendableSample {
  fileprivate func blended(with other: Float, _ weight: Double) -> Float { self + (other - self) * Float(weight) }
}

extension BlendableSample where Self: FixedWidthInteger {
  fileprivate func blended(with other: Self, _ weight: Double) -> Self {
    self &+ Self(truncatingIfNeeded: Int64((Double(other) - Double(self)) * weight))
  }
}
extension Int16: BlendableSample {}
extension Int32: BlendableSample {}

extension UnsafeMutableRawBufferPointer {
  fileprivate func assumingMemoryBound<Sample>(to type: Sample.Type) -> UnsafeMutableBufferPointer<Sample> {
    UnsafeMutableBufferPointer(
      start: baseAddress?.assumingMemoryBound(to: type), count: count / MemoryLayout<Sample>.stride)
  }
}
