internal import Encoding

/// The stages of an `AudioConverter`: a decoder, a converter of PCM, an encoder, and the output that was not taken yet.
final class ConversionPipeline {
  /// The format of the output, its magic cookie, and the size that no packet exceeds.
  let information: MediaInformation
  let outputFormat: AudioStreamBasicDescription
  /// True after the last frame of the input.
  private(set) var isFinished = false

  private let decoder: any AudioDecoder
  private let converter: PCMConverter
  private let target: PCMFormat
  private let framesPerInputPacket: Int
  private let makeEncoder: (() throws(EncodingError) -> any SoundEncoder)?
  private var encoder: (any SoundEncoder)?
  private let trim: AudioConverter.PrimeInfo

  /// Decoded frames that are still to be dropped.
  private var leadingFrames: Int
  /// The last decoded frames, which the end may drop.
  private var held: [UInt8] = []
  /// Decoded frames that went to the converter, and those that it made.
  private var (sourceFrames, targetFrames): (Int64, Int64) = (0, 0)
  /// Frames of all packets of the encoder.
  private var encodedFrames: Int64 = 0
  /// PCM that was not taken yet, from `start` on.
  private var samples: [UInt8] = []
  private var start = 0
  /// Packets that were not taken yet, the next one last.
  private var packets: [EncodedPacket] = []

  init(
    from input: AudioStreamBasicDescription, magicCookie: [UInt8]?, to output: AudioStreamBasicDescription,
    settings: AudioConverter.Settings
  ) throws(AudioConverterError) {
    guard 1...768_000 ~= input.sampleRate else {
      throw AudioConverterError(.inputSampleRateOutOfRange, "\(input.sampleRate) Hz")
    }
    guard 1...768_000 ~= output.sampleRate, Int(exactly: output.sampleRate) != nil else {
      throw AudioConverterError(.outputSampleRateOutOfRange, "\(output.sampleRate) Hz")
    }
    func decoder(_ sampleFormat: PCMFormat.SampleFormat?) throws(AudioConverterError) -> any AudioDecoder {
      do throws(DecoderError) {
        return try AudioDecoders.decoder(
          for: input, magicCookie: magicCookie, channelMask: settings.inputChannelMask, sampleFormat: sampleFormat)
      } catch {
        throw AudioConverterError(error)
      }
    }
    let natural = try decoder(nil)
    var mask = settings.outputChannelMask
    if mask == 0, natural.format.channelCount == output.channelsPerFrame { mask = natural.format.channelMask }
    let makeEncoder = try Self.encoder(of: output, from: natural.format, channelMask: mask, settings)
    let encoder: (any SoundEncoder)?
    do throws(EncodingError) { encoder = try makeEncoder?() } catch { throw AudioConverterError(error) }
    guard let target = encoder?.input ?? output.pcmFormat(channelMask: mask) else {
      throw AudioConverterError(.formatNotSupported, "no output as '\(output.formatID)' of this layout")
    }
    guard target.sampleRate == Int(output.sampleRate) else {
      throw AudioConverterError(.outputSampleRateOutOfRange, "'\(output.formatID)' at \(output.sampleRate) Hz")
    }
    guard target.channelCount == output.channelsPerFrame else {
      throw AudioConverterError(
        .formatNotSupported, "'\(output.formatID)' of \(output.channelsPerFrame) channels")
    }
    func converter(_ decoder: any AudioDecoder) throws(AudioConverterError) -> PCMConverter {
      do throws(PCMConverterError) {
        return try PCMConverter(from: decoder.format, to: target, quality: settings.quality)
      } catch {
        throw AudioConverterError(error)
      }
    }
    // PCM is not decoded to fewer bits, which would cut off the rest without dither.
    var chosen = input.formatID == .linearPCM ? natural : try decoder(target.sampleFormat)
    var conversion = try converter(chosen)
    if !conversion.isNeutral, input.formatID != .linearPCM {
      chosen = try decoder(.f32)
      conversion = try converter(chosen)
    }
    var information = encoder?.information ?? MediaInformation()
    if encoder == nil {
      information.dataFormat = output
      (information.maximumPacketSize, information.packetSizeUpperBound) = (target.bytesPerFrame, target.bytesPerFrame)
    }
    information.channelMask = target.channelMask
    outputFormat = information.dataFormat ?? output
    (self.information, self.target, self.encoder, self.makeEncoder) = (information, target, encoder, makeEncoder)
    (self.decoder, self.converter, framesPerInputPacket) = (chosen, conversion, input.framesPerPacket)
    trim = AudioConverter.PrimeInfo(
      leadingFrames: max(0, settings.trim.leadingFrames), trailingFrames: max(0, settings.trim.trailingFrames))
    leadingFrames = trim.leadingFrames
  }

  /// Opens an encoder; `nil` for PCM. Throws 'fmt?' for formats that nothing here encodes.
  private static func encoder(
    of output: AudioStreamBasicDescription, from source: PCMFormat, channelMask: UInt32,
    _ settings: AudioConverter.Settings
  ) throws(AudioConverterError) -> (() throws(EncodingError) -> any SoundEncoder)? {
    var source = source
    let format: StreamFormat
    switch output.formatID {
    case .linearPCM: return nil
    case .opus: format = .opus
    case .mpegLayer3: format = .mp3
    case .flac:
      format = .flac
      (source.sampleRate, source.channelCount) = (Int(output.sampleRate), output.channelsPerFrame)
      source.channelMask = channelMask
      // 1: 16 bits, 3: 24 bits, as `FLACStreamInfo` has them; 0: those of the input.
      switch output.formatFlags {
      case 0: break
      case 1: source.sampleFormat = .s16
      case 3: source.sampleFormat = .s24in32
      default: throw AudioConverterError(.formatNotSupported, "FLAC is written with 16 or 24 bits")
      }
      guard 1...8 ~= source.channelCount else {
        throw AudioConverterError(.formatNotSupported, "FLAC of \(source.channelCount) channels")
      }
    default: throw AudioConverterError(.formatNotSupported, "no encoder for '\(output.formatID)'")
    }
    let bitRate = settings.bitRate
    return { () throws(EncodingError) in try format.makeEncoder(for: source, bitRate: bitRate) }
  }

  // MARK: Properties

  /// True if a buffer of PCM has as many frames afterwards.
  var keepsFrames: Bool { encoder == nil && converter.input.sampleRate == target.sampleRate }

  var maximumOutputPacketSize: Int { information.packetSizeUpperBound ?? target.bytesPerFrame }

  var readyPacketCount: Int { encoder == nil ? (samples.count - start) / target.bytesPerFrame : packets.count }

  var primeInfo: AudioConverter.PrimeInfo {
    guard encoder != nil else { return AudioConverter.PrimeInfo() }
    let rest = isFinished && encodedFrames > 0 ? encodedFrames - Int64(information.primingFrames) - targetFrames : 0
    return AudioConverter.PrimeInfo(leadingFrames: information.primingFrames, trailingFrames: Int(max(0, rest)))
  }

  /// More packets are never requested at once, nor more frames.
  private static let largestRequest = 1 << 14

  /// About the number of packets of the input that make so many of the output.
  func inputPacketCount(forOutput count: Int) -> Int {
    let perPacket = encoder == nil ? 1 : max(1, outputFormat.framesPerPacket)
    let frames = min(count, Self.largestRequest) * perPacket
    let share = Double(converter.input.sampleRate) / Double(target.sampleRate)
    let needed = min(Double(Self.largestRequest), (Double(frames) * share).rounded(.up))
    return max(1, Int(needed) / max(1, framesPerInputPacket))
  }

  // MARK: Conversion

  /// Decodes a packet, or a run of PCM, and converts what it makes. Throws 'bada' for a damaged one, which is silent.
  func decode(_ packet: RawSpan, _ description: PacketDescription) throws(AudioConverterError) {
    guard !isFinished else { throw AudioConverterError(.operationNotSupported, "packets behind the end") }
    var description = description
    description.frameCount += description.droppedFrameCount
    if description.beginsLink { decoder.reset() }
    let size = decoder.format.bytesPerFrame
    var decoded = [UInt8](repeating: 0, count: description.frameCount * size)
    let result = decoded.withUnsafeMutableBytes { decoded in
      Result { () throws(DecoderError) in try decoder.decode(packet, description, into: decoded) }
    }
    if case .failure = result { decoded = [UInt8](repeating: 0, count: decoded.count) }
    try pass(decoded[(description.droppedFrameCount * size)...])
    if case .failure(let error) = result { throw AudioConverterError(error) }
  }

  /// PCM to PCM of one rate, past all that waits.
  func converted(_ frames: RawSpan, frameCount: Int) throws(AudioConverterError) -> [UInt8] {
    let description = PacketDescription(
      byteOffset: 0, byteCount: frames.byteCount, frameCount: frameCount, packetCount: frameCount)
    var decoded = [UInt8](repeating: 0, count: frameCount * decoder.format.bytesPerFrame)
    let result = decoded.withUnsafeMutableBytes { decoded in
      Result { () throws(DecoderError) in try decoder.decode(frames, description, into: decoded) }
    }
    do throws(DecoderError) { _ = try result.get() } catch { throw AudioConverterError(error) }
    var converted: [UInt8] = []
    try convert(decoded[...], into: &converted)
    return converted
  }

  /// Trims decoded frames, and converts those that are sure to be played.
  private func pass(_ frames: ArraySlice<UInt8>) throws(AudioConverterError) {
    let size = decoder.format.bytesPerFrame
    let dropped = min(leadingFrames, frames.count / size)
    leadingFrames -= dropped
    let frames = frames.dropFirst(dropped * size)
    guard trim.trailingFrames > 0 else { return try encode(frames) }
    held += frames
    let surplus = held.count / size - trim.trailingFrames
    guard surplus > 0 else { return }
    defer { held.removeFirst(surplus * size) }
    try encode(held[..<(surplus * size)])
  }

  private func encode(_ frames: ArraySlice<UInt8>) throws(AudioConverterError) {
    sourceFrames += Int64(frames.count / decoder.format.bytesPerFrame)
    var made: [UInt8] = []
    try convert(frames, into: &made)
    try deliver(made)
  }

  private func convert(_ frames: ArraySlice<UInt8>, into made: inout [UInt8]) throws(AudioConverterError) {
    let result = frames.withUnsafeBytes { frames in
      Result { () throws(PCMConverterError) in try converter.convert(frames, into: &made) }
    }
    do throws(PCMConverterError) { try result.get() } catch { throw AudioConverterError(error) }
  }

  private func deliver(_ made: [UInt8], isLast: Bool = false) throws(AudioConverterError) {
    targetFrames += Int64(made.count / target.bytesPerFrame)
    guard let encoder else { return samples += made }
    var added: [EncodedPacket] = []
    let result = made.withUnsafeBytes { made in
      Result { () throws(EncodingError) in try encoder.encode(made, isLast: isLast, into: &added) }
    }
    do throws(EncodingError) { try result.get() } catch { throw AudioConverterError(error) }
    encodedFrames += added.reduce(0) { $0 + Int64($1.frameCount) }
    packets.insert(contentsOf: added.reversed(), at: 0)
  }

  /// Completes the last frames.
  func finish() throws(AudioConverterError) {
    guard !isFinished else { return }
    defer { isFinished = true }
    held = []
    var last: [UInt8] = []
    let (from, to) = (Int64(converter.input.sampleRate), Int64(target.sampleRate))
    let missing = (sourceFrames * to + from / 2) / from - targetFrames
    if missing > 0 {
      // Silence, not the end of the input: at that the library leaves out the last frame or not.
      let silence = [UInt8](repeating: 0, count: 4096 * converter.input.bytesPerFrame)
      var attempts = 0
      while last.count / target.bytesPerFrame < missing, attempts < Self.maximumFlushCount {
        attempts += 1
        try convert(silence[...], into: &last)
      }
      last.removeLast(max(0, last.count - Int(missing) * target.bytesPerFrame))
    }
    if sourceFrames > 0 { try deliver(last, isLast: true) }
  }

  /// More blocks of silence than the longest filter holds back.
  private static let maximumFlushCount = 64

  func reset(leadingFrames: Int) throws(AudioConverterError) {
    decoder.reset()
    converter.reset()
    if let makeEncoder {
      do throws(EncodingError) { encoder = try makeEncoder() } catch { throw AudioConverterError(error) }
    }
    (held, samples, packets, start) = ([], [], [], 0)
    (sourceFrames, targetFrames, encodedFrames, isFinished) = (0, 0, 0, false)
    self.leadingFrames = max(0, leadingFrames)
  }

  // MARK: Output

  /// Moves up to `count` packets into a buffer, as many as fit.
  func take(_ count: Int, into buffer: UnsafeMutableRawBufferPointer) -> AudioConverter.Output {
    var output = encoder == nil ? takeFrames(count, into: buffer) : takePackets(count, into: buffer)
    output.isAtEnd = isFinished && readyPacketCount == 0
    return output
  }

  private func takeFrames(_ count: Int, into buffer: UnsafeMutableRawBufferPointer) -> AudioConverter.Output {
    let frameCount = min(count, readyPacketCount, buffer.count / target.bytesPerFrame)
    guard frameCount > 0 else { return AudioConverter.Output() }
    let end = start + frameCount * target.bytesPerFrame
    buffer.copyBytes(from: samples[start..<end])
    let run = PacketDescription(
      byteOffset: 0, byteCount: end - start, frameCount: frameCount, packetCount: frameCount)
    start = end
    if start == samples.count || start > 1 << 20 {
      samples.removeFirst(start)
      start = 0
    }
    return AudioConverter.Output(packets: [run], byteCount: run.byteCount)
  }

  private func takePackets(_ count: Int, into buffer: UnsafeMutableRawBufferPointer) -> AudioConverter.Output {
    var output = AudioConverter.Output()
    while output.packets.count < count, let packet = packets.last,
      packet.bytes.count <= buffer.count - output.byteCount
    {
      UnsafeMutableRawBufferPointer(rebasing: buffer[output.byteCount...]).copyBytes(from: packet.bytes)
      output.packets.append(
        PacketDescription(
          byteOffset: Int64(output.byteCount), byteCount: packet.bytes.count, frameCount: packet.frameCount))
      output.byteCount += packet.bytes.count
      packets.removeLast()
    }
    return output
  }
}

extension AudioConverterError {
  init(_ error: DecoderError) {
    self.init(error.code == .formatNotSupported ? .formatNotSupported : .badData, error.reason)
  }

  init(_ error: PCMConverterError) {
    if case .failed = error {
      self.init(.unspecified, error.description)
    } else {
      self.init(.formatNotSupported, error.description)
    }
  }

  init(_ error: EncodingError) {
    if case .refused = error {
      self.init(.unspecified, error.description)
    } else {
      self.init(.formatNotSupported, error.description)
    }
  }
}
