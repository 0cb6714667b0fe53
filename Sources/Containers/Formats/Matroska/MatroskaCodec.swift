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
  /// Counts the frames of packets, for a codec that Ogg has, too.
  private var mapping: (any OggMapping)?

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
    overlapPacketCount = CarriedCodec[format.formatID]?.overlapPacketCount ?? 0
  }

  private mutating func read(_ track: MatroskaTrack, at offset: Int64) throws(ContainerError) {
    switch track.codecID {
    case "A_PCM/INT/LIT": readLinear(track, track.bitDepth > 8 ? AudioStreamBasicDescription.isSignedInteger : 0)
    case "A_PCM/INT/BIG":
      readLinear(track, AudioStreamBasicDescription.isSignedInteger | AudioStreamBasicDescription.isBigEndian)
    case "A_PCM/FLOAT/IEEE": readLinear(track, AudioStreamBasicDescription.isFloat)
    case "A_MS/ACM": try readWAVE(track, at: offset)
    case let id:
      guard let codec = CarriedCodec.inMatroska(id) else {
        throw ContainerError(.unsupportedDataFormat, at: offset, "no support for \(id.printable) in Matroska")
      }
      try read(codec, track, at: offset)
    }
  }

  private mutating func read(_ codec: CarriedCodec, _ track: MatroskaTrack, at offset: Int64) throws(ContainerError) {
    if let mapping = OggCodec.mapping(of: codec.id) { return try readHeaders(mapping, track, at: offset) }
    switch codec.id {
    case .appleLossless: try readALAC(track, at: offset)
    case .aac: try readAAC(track, at: offset)
    default: set(codec.format(sampleRate: track.sampleRate, channelCount: track.channelCount))
    }
  }

  private mutating func set(_ format: AudioStreamBasicDescription) { formatList = [format] }

  /// Its private data are the headers that it has in Ogg.
  private mutating func readHeaders(
    _ mapping: any OggMapping, _ track: MatroskaTrack, at offset: Int64
  ) throws(ContainerError) {
    var mapping = mapping
    try mapping.readHeaders(track.codecPrivate.span.bytes, channelCount: track.channelCount, at: offset)
    let information = mapping.information
    (formatList, magicCookie, channelMask) = (information.formatList, information.magicCookie, information.channelMask)
    packetSizeUpperBound = information.packetSizeUpperBound ?? packetSizeUpperBound
    (primingFrames, overlapFrameCount) = (information.primingFrames, mapping.overlapFrameCount)
    self.mapping = mapping
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
    (formatList, magicCookie) = (formats, data)
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
    magicCookie = Array(data.prefix(data.count >= 48 ? 48 : 24))
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
    case .stream(let type, let name):
      let ids: [AudioFileTypeID: AudioFormatID] = [.mp3: .mpegLayer3, .mp2: .mpegLayer2, .ac3: .ac3]
      guard let codec = ids[type].flatMap({ CarriedCodec[$0] }) else {
        throw ContainerError(.unsupportedDataFormat, at: offset, "no support for \(name) as WAVE has it in Matroska")
      }
      try read(codec, track, at: offset)
    }
  }

  // MARK: Packets

  /// True if all packets are of one size: blocks hold runs of them.
  var isUniform: Bool { format.bytesPerPacket > 0 && format.framesPerPacket > 0 }

  /// Completes the format by the first packet, if the codec needs it. Returns false if that is malformed.
  mutating func complete(byFirstPacket bytes: RawSpan) -> Bool {
    switch format.formatID {
    case .mpegLayer1, .mpegLayer2, .mpegLayer3:
      guard bytes.byteCount >= 4, let header = MPEGFrameHeader(bits: bytes.bigEndian32(at: 0)) else { return false }
      set(
        AudioStreamBasicDescription(
          sampleRate: Double(header.sampleRate), formatID: header.formatID, framesPerPacket: header.frameCount,
          channelsPerFrame: header.channelCount))
    case .ac3, .enhancedAC3:
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
    format.formatID == .opus ? OpusPacket.frameCount(of: packet) ?? 0 : 0
  }

  /// For layer III, the bytes of earlier packets that this one needs, and its bytes that later ones may need.
  func reservoir(of bytes: RawSpan) -> (reservoirByteCount: Int, mainDataByteCount: Int) {
    guard format.formatID == .mpegLayer3, bytes.byteCount >= 8,
      let header = MPEGFrameHeader(bytes, at: 0)
    else { return (0, 0) }
    return header.mainData(of: bytes)
  }

  /// Takes the next packet. Returns its number of frames, and the state for a reader that begins with it
  /// (`ResumePoint`); `nil` if it is malformed.
  mutating func take(_ bytes: RawSpan) -> (frameCount: Int, resumeState: Int32)? {
    guard 1...packetSizeUpperBound ~= bytes.byteCount else { return nil }
    if mapping != nil { return mapping?.take(bytes).map { ($0.frameCount, $0.resumeState) } }
    let declared = format.formatID == .appleLossless ? CAFCoding.frameCount(ofALACPacket: bytes) : nil
    return (min(declared ?? format.framesPerPacket, format.framesPerPacket), 0)
  }

  /// Continues with another packet: `state` describes the packets before it, 0 if they are unknown.
  mutating func resume(_ state: Int32) { mapping?.resume(state) }
}
