internal import AudioModel

/// The codec of a track's packets, by its codec ID, its private data and, if needed, its first packet (RFC 9559 27.4,
/// "Matroska Codec Specifications").
struct MatroskaCodec {
  /// Every layout that the packets can be decoded to, richest first. MPEG audio and AC-3 need the first packet.
  private(set) var formatList: [AudioStreamBasicDescription] = []
  private(set) var magicCookie: [UInt8]?
  private(set) var channelMask: UInt32 = 0
  /// Size limit of packets; larger ones are left out.
  private(set) var packetSizeUpperBound = 0x10000
  private(set) var overlapPacketCount = 0
  private(set) var overlapFrameCount = 0
  /// Priming frames of the decoder, if the codec itself states them.
  private(set) var primingFrames = 0
  private var counting = Counting.constant

  /// The way to count a packet's frames.
  private enum Counting {
    /// All packets have the same number.
    case constant
    case opus
    /// By the sizes of its block and of the previous one, if there was one.
    case vorbis(VorbisModes, previousBlockSize: Int?)
    case flac(FLACStreamInfo)
    case appleLossless
    /// The first packet's header describes all packets.
    case mpeg
    case ac3
  }

  var format: AudioStreamBasicDescription { formatList[0] }

  /// The codec of a track at `offset`. Throws 'fmt?' for unsupported codecs, 'prm?' for encrypted
  /// audio, 'dta?' for malformed data.
  init(_ track: MatroskaTrack, at offset: Int64) throws(ContainerError) {
    if let refusal = track.refusal {
      throw ContainerError(track.isEncrypted ? .permissions : .unsupportedDataFormat, at: offset, refusal)
    }
    try read(track, at: offset)
    guard let format = formatList.first, format.bytesPerPacket <= 0x10000 else {
      throw ContainerError(.invalidFile, at: offset, "a description of \(track.codecID.printable)")
    }
    try format.check(at: offset)
  }

  private mutating func read(_ track: MatroskaTrack, at offset: Int64) throws(ContainerError) {
    let id = track.codecID
    switch id {
    case "A_OPUS": readOpus(track)
    case "A_VORBIS": try readVorbis(track, at: offset)
    case "A_FLAC": try readFLAC(track, at: offset)
    case "A_ALAC": try readALAC(track, at: offset)
    case "A_MPEG/L1": readMPEG(.mpegLayer1, track)
    case "A_MPEG/L2": readMPEG(.mpegLayer2, track)
    case "A_MPEG/L3": readMPEG(.mpegLayer3, track)
    case "A_EAC3": readAC3(.enhancedAC3, track)
    case "A_PCM/INT/LIT": readLinear(track, track.bitDepth > 8 ? AudioStreamBasicDescription.isSignedInteger : 0)
    case "A_PCM/INT/BIG":
      readLinear(track, AudioStreamBasicDescription.isSignedInteger | AudioStreamBasicDescription.isBigEndian)
    case "A_PCM/FLOAT/IEEE": readLinear(track, AudioStreamBasicDescription.isFloat)
    case "A_MS/ACM": try readWAVE(track, at: offset)
    case _ where id == "A_AC3" || id.hasPrefix("A_AC3/"): readAC3(.ac3, track)
    case _ where id == "A_AAC" || id.hasPrefix("A_AAC/"): try readAAC(track, at: offset)
    default:
      throw ContainerError(.unsupportedDataFormat, at: offset, "no support for \(id.printable) in Matroska")
    }
  }

  private mutating func set(_ format: AudioStreamBasicDescription) { formatList = [format] }

  // MARK: Xiph

  private mutating func readOpus(_ track: MatroskaTrack) {
    var head = track.codecPrivate
    if !head.starts(with: "OpusHead".utf8) || head.count < 19 {
      let channelCount = UInt8(clamping: track.channelCount)
      head = Array("OpusHead".utf8) + [1, channelCount, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]
    }
    set(AudioStreamBasicDescription(sampleRate: 48000, formatID: .opus, channelsPerFrame: Int(head[9])))
    primingFrames = Int(head[10]) | Int(head[11]) << 8
    overlapFrameCount = OpusPacket.prerollFrameCount
    (magicCookie, counting) = (head, .opus)
  }

  /// Its private data are the three header packets, laced in the form that decoders take.
  private mutating func readVorbis(_ track: MatroskaTrack, at offset: Int64) throws(ContainerError) {
    let data = track.codecPrivate.span.bytes
    guard let ranges = data.lacedHeaders, ranges[0].count >= 30,
      let modes = VorbisModes(
        identification: data.extracting(ranges[0]), setup: data.extracting(ranges[2]))
    else { throw ContainerError(.invalidFile, at: offset, "the three headers of Vorbis as CodecPrivate") }
    // Vorbis I 4.2.2:  1 "vorbis"  7 version 0  11 channels u8  12 rate u32
    let start = ranges[0].lowerBound
    set(
      AudioStreamBasicDescription(
        sampleRate: Double(data.littleEndian32(at: start + 12)), formatID: .vorbis,
        channelsPerFrame: Int(data[start + 11])))
    overlapFrameCount = modes.longBlockSize / 2
    (magicCookie, counting) = (track.codecPrivate, .vorbis(modes, previousBlockSize: nil))
  }

  private mutating func readFLAC(_ track: MatroskaTrack, at offset: Int64) throws(ContainerError) {
    // "fLaC", then metadata blocks, STREAMINFO first.
    var (metadata, rest) = (FLACMetadata(), track.codecPrivate.span.bytes)
    if rest.has("fLaC") { rest = rest.extracting(droppingFirst: 4) }
    while rest.byteCount >= FLACMetadata.BlockHeader.byteCount {
      let header = FLACMetadata.BlockHeader(rest)
      rest = rest.extracting(droppingFirst: FLACMetadata.BlockHeader.byteCount)
      metadata.begin(header)
      metadata.read(rest.extracting(first: min(header.size, rest.byteCount)), at: offset)
      rest = rest.extracting(droppingFirst: min(header.size, rest.byteCount))
    }
    guard let stream = metadata.stream else {
      throw ContainerError(.invalidFile, at: offset, "FLAC's STREAMINFO as CodecPrivate")
    }
    set(stream.format)
    channelMask = metadata.channelMask
    packetSizeUpperBound = stream.information.packetSizeUpperBound ?? packetSizeUpperBound
    (magicCookie, counting) = (stream.cookie, .flac(stream))
  }

  // MARK: MPEG

  private mutating func readAAC(_ track: MatroskaTrack, at offset: Int64) throws(ContainerError) {
    let data = track.codecPrivate.isEmpty ? Self.specificConfig(track) : track.codecPrivate
    guard let configuration = AudioSpecificConfig(data) else {
      throw ContainerError(.invalidFile, at: offset, "an AudioSpecificConfig, ISO/IEC 14496-3 1.6.2.1")
    }
    guard let formats = configuration.formats else {
      throw ContainerError(
        .unsupportedDataFormat, at: offset, "no support for MPEG-4 audio object type \(configuration.objectType)")
    }
    (formatList, magicCookie, overlapPacketCount) = (formats, data, 1)
  }

  /// For old files, whose codec ID is the only description: `A_AAC/MPEG4/LC/SBR`.
  private static func specificConfig(_ track: MatroskaTrack) -> [UInt8] {
    // 5 bits of object type, 4 of rate, 4 of channels, 3 zeros; for replication 0x2b7 in 11 bits, type 5, 1, 4 of rate.
    func index(_ rate: Double) -> UInt64 {
      let rates = AudioSpecificConfig.sampleRates
      return UInt64(rates.firstIndex { Double($0) <= rate * 1.02 } ?? rates.count - 1)
    }
    let names = track.codecID.split(separator: "/").dropFirst(2)
    let objectType: UInt64 = ["MAIN": 1, "LC": 2, "SSR": 3, "LTP": 4][names.first ?? "LC"] ?? 2
    let channels: UInt64 = track.channelCount == 8 ? 7 : UInt64(min(max(0, track.channelCount), 7))
    var bits = objectType << 11 | index(track.sampleRate) << 7 | channels << 3
    guard names.last == "SBR" else { return [UInt8(bits >> 8), UInt8(bits & 0xff)] }
    bits = bits << 24 | 0x2b7 << 13 | 5 << 8 | 1 << 7 | index(track.outputSampleRate ?? 2 * track.sampleRate) << 3
    return (0..<5).map { UInt8(truncatingIfNeeded: bits >> UInt64(32 - 8 * $0)) }
  }

  private mutating func readMPEG(_ id: AudioFormatID, _ track: MatroskaTrack) {
    let isLowRate = track.sampleRate < 32000
    let frameCount = id == .mpegLayer1 ? 384 : id == .mpegLayer3 && isLowRate ? 576 : 1152
    set(
      AudioStreamBasicDescription(
        sampleRate: track.sampleRate, formatID: id, framesPerPacket: frameCount, channelsPerFrame: track.channelCount))
    (overlapPacketCount, counting) = (id == .mpegLayer3 ? 2 : 1, .mpeg)
  }

  private mutating func readAC3(_ id: AudioFormatID, _ track: MatroskaTrack) {
    set(
      AudioStreamBasicDescription(
        sampleRate: track.sampleRate, formatID: id, framesPerPacket: 1536, channelsPerFrame: track.channelCount))
    (overlapPacketCount, counting) = (1, .ac3)
  }

  // MARK: Others

  /// ALACSpecificConfig of 24 bytes, or 48 with a layout of channels.
  private mutating func readALAC(_ track: MatroskaTrack, at offset: Int64) throws(ContainerError) {
    let data = track.codecPrivate
    guard data.count >= 24, case let fields = data.span.bytes else {
      throw ContainerError(.invalidFile, at: offset, "ALAC's configuration of 24 bytes as CodecPrivate")
    }
    let (frameCount, bits, channelCount) = (Int(fields.bigEndian32(at: 0)), Int(fields[5]), Int(fields[9]))
    set(
      AudioStreamBasicDescription(
        sampleRate: Double(fields.bigEndian32(at: 20)), formatID: .appleLossless,
        formatFlags: [16: 1, 20: 2, 24: 3, 32: 4][bits] ?? 0, framesPerPacket: frameCount,
        channelsPerFrame: channelCount))
    packetSizeUpperBound = (bits / 8 + 1) * channelCount * min(frameCount, 0x10000) + 0x100
    (magicCookie, counting) = (Array(data.prefix(data.count >= 48 ? 48 : 24)), .appleLossless)
  }

  private mutating func readLinear(_ track: MatroskaTrack, _ flags: UInt32) {
    let bits = track.bitDepth
    guard 1...64 ~= bits, 1...255 ~= track.channelCount else { return }
    let bytesPerFrame = (bits + 7) / 8 * track.channelCount
    set(
      .linearPCM(
        sampleRate: track.sampleRate, channelCount: track.channelCount, bits: bits, bytesPerFrame: bytesPerFrame,
        flags: bits <= 8 ? flags & ~AudioStreamBasicDescription.isBigEndian : flags))
  }

  /// The data of a `fmt ` chunk of WAVE.
  private mutating func readWAVE(_ track: MatroskaTrack, at offset: Int64) throws(ContainerError) {
    let wave = try WAVEFormat(track.codecPrivate.span.bytes, .little, at: offset)
    (magicCookie, channelMask) = (wave.magicCookie, wave.channelMask)
    switch wave.coding {
    case .constant(let format):
      guard format.bytesPerPacket > 0, format.framesPerPacket > 0 else { return }
      set(format)
    case .stream(.mp3, _): readMPEG(.mpegLayer3, track)
    case .stream(.mp2, _): readMPEG(.mpegLayer2, track)
    case .stream(.ac3, _): readAC3(.ac3, track)
    case .stream(_, let name):
      throw ContainerError(.unsupportedDataFormat, at: offset, "no support for \(name) as WAVE has it in Matroska")
    }
  }

  // MARK: Packets

  /// True if all packets are of one size: blocks hold runs of them.
  var isUniform: Bool { format.bytesPerPacket > 0 && format.framesPerPacket > 0 }

  /// Completes the format by the first packet, if the codec needs it. Returns false if that is malformed.
  mutating func complete(byFirstPacket bytes: RawSpan) -> Bool {
    switch counting {
    case .mpeg:
      guard bytes.byteCount >= 4, let header = MPEGFrameHeader(bits: bytes.bigEndian32(at: 0)) else { return false }
      set(
        AudioStreamBasicDescription(
          sampleRate: Double(header.sampleRate), formatID: header.formatID, framesPerPacket: header.frameCount,
          channelsPerFrame: header.channelCount))
    case .ac3:
      guard bytes.byteCount >= AC3Header.lookahead, let header = AC3Header(bytes, at: 0), header.frameCount > 0 else {
        return false
      }
      let information = header.information
      (formatList, channelMask) = (information.formatList, information.channelMask)
    default: break
    }
    return true
  }

  /// Frames of a packet of a codec whose packets rarely differ in length; 0 for other codecs.
  func usualFrameCount(by packet: RawSpan) -> Int {
    if case .opus = counting { OpusPacket.frameCount(of: packet) ?? 0 } else { 0 }
  }

  /// For layer III, the bytes of earlier packets that this one needs, and its bytes that later ones may need.
  func reservoir(of bytes: RawSpan) -> (reservoirByteCount: Int, mainDataByteCount: Int) {
    guard case .mpeg = counting, format.formatID == .mpegLayer3, bytes.byteCount >= 8,
      let header = MPEGFrameHeader(bytes, at: 0)
    else { return (0, 0) }
    return header.mainData(of: bytes)
  }

  /// Takes the next packet. Returns its number of frames, and the state for a reader that begins with it
  /// (`ResumePoint`); `nil` if it is malformed.
  mutating func take(_ bytes: RawSpan) -> (frameCount: Int, resumeState: Int32)? {
    guard 1...packetSizeUpperBound ~= bytes.byteCount else { return nil }
    switch counting {
    case .opus: return OpusPacket.frameCount(of: bytes).map { ($0, 0) }
    case .vorbis(let modes, let previous):
      guard let size = modes.blockSize(ofPacket: bytes) else { return nil }
      counting = .vorbis(modes, previousBlockSize: size)
      // The state is the binary logarithm of the previous block's size.
      return previous.map { (($0 + size) / 4, Int32($0.trailingZeroBitCount)) } ?? (0, 0)
    case .flac(let stream):
      guard let header = FLACFrameHeader(bytes), stream.agrees(with: header) else { return nil }
      return (header.blockSize, 0)
    case .appleLossless:
      let declared = CAFCoding.frameCount(ofALACPacket: bytes) ?? format.framesPerPacket
      return (min(declared, format.framesPerPacket), 0)
    case .constant, .mpeg, .ac3: return (format.framesPerPacket, 0)
    }
  }

  /// Continues with another packet: `state` describes the packets before it, 0 if they are unknown.
  mutating func resume(_ state: Int32) {
    guard case .vorbis(let modes, _) = counting else { return }
    counting = .vorbis(modes, previousBlockSize: 6...13 ~= state ? 1 << Int(state) : nil)
  }
}

extension RawSpan {
  /// The ranges of three packets after the number 2 and the sizes of the first two in Xiph lacing.
  fileprivate var lacedHeaders: [Range<Int>]? {
    guard byteCount > 0, self[0] == 2 else { return nil }
    var (sizes, position): ([Int], Int) = ([], 1)
    while sizes.count < 2 {
      var size = 0
      repeat {
        guard position < byteCount else { return nil }
        size += Int(self[position])
        position += 1
      } while self[position - 1] == 255
      sizes.append(size)
    }
    let (first, second) = (position + sizes[0], position + sizes[0] + sizes[1])
    guard second <= byteCount else { return nil }
    return [position..<first, first..<second, second..<byteCount]
  }
}
