internal import AudioModel

/// The description of a track's packets in its `stsd`.
struct SampleDescription {
  /// Every layout the packets can be decoded to, richest first. Of the first, `framesPerPacket` is 0 if only the tables
  /// tell; `bytesPerPacket` is more than 0 if packets are parts of chunks, not samples of the tables.
  private(set) var formatList: [AudioStreamBasicDescription]
  private(set) var magicCookie: [UInt8]?
  private(set) var channelMask: UInt32 = 0
  private(set) var bitRate: Int?
  /// Frames that the decoder swallows, where no edit list says so.
  private(set) var primingFrames = 0
  /// Bytes that no packet should exceed.
  private(set) var packetSizeUpperBound = 0x2000
  private(set) var overlapPacketCount = 0
  private(set) var overlapFrameCount = 0

  var format: AudioStreamBasicDescription { formatList[0] }

  /// Reads the content of `stsd`, which lies at `offset`. Throws 'fmt?' for unsupported formats, 'prm?' for
  /// encrypted audio, 'dta?' for malformed data.
  init(_ bytes: RawSpan, at offset: Int64) throws(ContainerError) {
    guard let entry = SampleEntry(bytes) else {
      throw ContainerError(.invalidFile, at: offset, "a whole sound description, ISO/IEC 14496-12 12.2.3")
    }
    formatList = []
    try read(entry, at: offset)
    overlapPacketCount = formatList.first.flatMap { CarriedCodec[$0.formatID] }?.overlapPacketCount ?? 0
    if bitRate == nil, let btrt = entry.atoms["btrt"], btrt.count >= 12 {
      bitRate = Int(btrt.span.bytes.bigEndian32(at: 8))
    }
    if bitRate == 0 { bitRate = nil }
    guard let format = formatList.first, 0 < format.sampleRate, format.sampleRate <= 3_000_000,
      1...255 ~= format.channelsPerFrame, format.framesPerPacket <= 0x10000, format.bytesPerPacket <= 0x10000
    else { throw ContainerError(.invalidFile, at: offset, "a sampling rate and channels that can be") }
  }

  private mutating func read(_ entry: SampleEntry, at offset: Int64) throws(ContainerError) {
    // ISO/IEC 14496-12 8.12: some writers keep the name of the coding and only add the box of protection.
    if ["enca", "drms"].contains(entry.type) || entry.atoms["sinf"] != nil {
      throw ContainerError(.permissions, at: offset, "the audio is encrypted ('\(entry.type.printable)')")
    }
    if readLinear(entry) { return }
    if entry.type == "mp4a" { return try readMPEG4(entry, at: offset) }
    guard let codec = CarriedCodec.inMPEG4(entry.type) else {
      throw ContainerError(.unsupportedDataFormat, at: offset, "no support for '\(entry.type.printable)' in MPEG-4")
    }
    try read(codec, entry, at: offset)
  }

  private mutating func read(_ codec: CarriedCodec, _ entry: SampleEntry, at offset: Int64) throws(ContainerError) {
    switch codec.id {
    case .appleLossless: try readALAC(entry, at: offset)
    case .flac: try readFLAC(entry, at: offset)
    case .opus: try readOpus(entry, at: offset)
    case .ac3: readAC3(entry)
    case .enhancedAC3: readEnhancedAC3(entry)
    case .amr, .amrWB: readAMR(entry, codec)
    case .uLaw, .aLaw: set(.companded(codec.id, sampleRate: entry.sampleRate, channelCount: entry.channelCount))
    case .appleIMA4: set(.appleIMA4(sampleRate: entry.sampleRate, channelCount: entry.channelCount))
    default: set(codec.format(sampleRate: entry.sampleRate, channelCount: entry.channelCount))
    }
  }

  private mutating func set(_ format: AudioStreamBasicDescription) { formatList = [format] }

  // MARK: PCM

  /// QuickTime's names of PCM, and ISO/IEC 23003-5's; false for anything else.
  private mutating func readLinear(_ entry: SampleEntry) -> Bool {
    typealias Flags = AudioStreamBasicDescription
    let order = entry.byteOrder
    let signed = Flags.isSignedInteger | Flags.isPacked
    var (bits, flags): (Int, UInt32)
    switch entry.type {
    case "sowt": (bits, flags) = (entry.sampleSize, signed)
    case "twos": (bits, flags) = (entry.sampleSize, signed | Flags.isBigEndian)
    case "raw ", "NONE":
      (bits, flags) = (entry.sampleSize, entry.sampleSize == 8 ? Flags.isPacked : signed | Flags.isBigEndian)
    case "in24": (bits, flags) = (24, signed | order)
    case "in32": (bits, flags) = (32, signed | order)
    case "fl32": (bits, flags) = (32, Flags.isFloat | Flags.isPacked | order)
    case "fl64": (bits, flags) = (64, Flags.isFloat | Flags.isPacked | order)
    case "lpcm": (bits, flags) = (entry.sampleSize, entry.linear?.flags ?? signed | Flags.isBigEndian)
    case "ipcm", "fpcm":
      guard let configuration = entry.fullAtom("pcmC", atLeast: 2) else { return false }
      bits = Int(configuration[1])
      flags = Flags.isPacked | (entry.type == "ipcm" ? Flags.isSignedInteger : Flags.isFloat)
      flags |= configuration[0] & 1 == 0 ? Flags.isBigEndian : 0
    default: return false
    }
    if bits == 8 { flags &= ~Flags.isBigEndian }
    let isInterleaved = flags & 0x20 == 0
    guard 1...64 ~= bits, 1...255 ~= entry.channelCount, isInterleaved else { return false }
    let packed = (bits + 7) / 8 * entry.channelCount
    let bytesPerFrame = max(packed, min(entry.linear?.bytesPerPacket ?? 0, 8 * entry.channelCount))
    set(
      AudioStreamBasicDescription(
        sampleRate: entry.sampleRate, formatID: .linearPCM, formatFlags: flags & 0x1f, bytesPerPacket: bytesPerFrame,
        framesPerPacket: 1, bytesPerFrame: bytesPerFrame, channelsPerFrame: entry.channelCount, bitsPerChannel: bits))
    channelMask = entry.channelMask
    return true
  }

  // MARK: MPEG

  private mutating func readMPEG4(_ entry: SampleEntry, at offset: Int64) throws(ContainerError) {
    guard let esds = entry.fullAtom("esds", atLeast: 2), let stream = ElementaryStreamDescriptor(esds.span.bytes) else {
      throw ContainerError(.unsupportedDataFormat, at: offset, "'mp4a' without a stream descriptor ('esds')")
    }
    bitRate = stream.bitRate
    guard let codec = CarriedCodec.inMPEG4(objectType: stream.objectType) else {
      throw ContainerError(
        .unsupportedDataFormat, at: offset,
        "no support for MPEG-4 object type 0x\(String(stream.objectType, radix: 16))")
    }
    guard codec.id == .aac else { return try read(codec, entry, at: offset) }
    guard let configuration = AudioSpecificConfig(stream.specificConfig) else {
      throw ContainerError(.invalidFile, at: offset, "an AudioSpecificConfig, ISO/IEC 14496-3 1.6.2.1")
    }
    let layers: [Int: AudioFormatID] = [32: .mpegLayer1, 33: .mpegLayer2, 34: .mpegLayer3]
    if let layer = layers[configuration.objectType].flatMap({ CarriedCodec[$0] }) {
      return try read(layer, entry, at: offset)
    }
    guard let formats = configuration.formats else {
      throw ContainerError(.unsupportedDataFormat, at: offset, configuration.refusal)
    }
    (formatList, magicCookie) = (formats, stream.specificConfig)
  }

  // MARK: Others

  // ALACSpecificConfig: frames per packet u32, version u8, bits u8, three u8 for its coder, channels u8, longest run
  // u16, largest packet u32, bit rate u32, sampling rate u32; a channel layout may follow.
  private mutating func readALAC(_ entry: SampleEntry, at offset: Int64) throws(ContainerError) {
    guard let cookie = entry.fullAtom("alac", atLeast: 24) else {
      throw ContainerError(.invalidFile, at: offset, "ALAC's configuration of 24 bytes")
    }
    let fields = cookie.span.bytes
    let (frameCount, bits, channelCount) = (Int(fields.bigEndian32(at: 0)), Int(fields[5]), Int(fields[9]))
    set(
      AudioStreamBasicDescription(
        sampleRate: Double(fields.bigEndian32(at: 20)), formatID: .appleLossless,
        formatFlags: Self.sourceFlags(bits: bits), framesPerPacket: frameCount, channelsPerFrame: channelCount))
    bitRate = Int(fields.bigEndian32(at: 16))
    packetSizeUpperBound = (bits / 8 + 1) * channelCount * min(frameCount, 0x10000) + 0x100
    magicCookie = Array(cookie.prefix(cookie.count >= 48 ? 48 : 24))
  }

  /// kAppleLosslessFormatFlag_16BitSourceData and those after it.
  private static func sourceFlags(bits: Int) -> UInt32 { [16: 1, 20: 2, 24: 3, 32: 4][bits] ?? 0 }

  // dfLa: FLAC's metadata blocks, STREAMINFO first: type u8, size u24; blocks of least and most frames u16, packets of
  // least and most bytes u24, then 20 bits of rate, 3 of channels - 1, 5 of bits - 1.
  private mutating func readFLAC(_ entry: SampleEntry, at offset: Int64) throws(ContainerError) {
    guard let blocks = entry.fullAtom("dfLa", atLeast: 38), blocks[0] & 0x7f == 0 else {
      throw ContainerError(.invalidFile, at: offset, "FLAC's STREAMINFO of 34 bytes")
    }
    let fields = blocks.span.bytes
    let (least, most) = (Int(fields.bigEndian16(at: 4)), Int(fields.bigEndian16(at: 6)))
    let layout = fields.bigEndian32(at: 14)
    let (channelCount, bits) = (Int(layout >> 9 & 7) + 1, Int(layout >> 4 & 31) + 1)
    set(
      AudioStreamBasicDescription(
        sampleRate: Double(layout >> 12), formatID: .flac, formatFlags: Self.sourceFlags(bits: bits),
        framesPerPacket: least == most ? most : 0, channelsPerFrame: channelCount))
    let declared = Int(fields.bigEndian24(at: 11))
    packetSizeUpperBound = declared > 0 ? declared : (bits / 8 + 1) * channelCount * most + 0x100
    magicCookie = Array("fLaC".utf8) + [0x80, 0, 0, 34] + blocks[4..<38]
  }

  // dOps: OpusHead with another version and the other byte order ("Encapsulation of Opus in ISO BMFF" 4.3.2).
  private mutating func readOpus(_ entry: SampleEntry, at offset: Int64) throws(ContainerError) {
    guard let head = entry.atoms["dOps"], head.count >= 11 else {
      throw ContainerError(.invalidFile, at: offset, "Opus' configuration of 11 bytes")
    }
    set(
      AudioStreamBasicDescription(
        sampleRate: 48000, formatID: .opus, framesPerPacket: 0, channelsPerFrame: Int(head[1])))
    primingFrames = Int(head[2]) << 8 | Int(head[3])
    overlapFrameCount = OpusPacket.prerollFrameCount
    packetSizeUpperBound = max(0x2000, 1275 * 6 * Int(head[1]))
    magicCookie = Array("OpusHead".utf8) + [1, head[1], head[3], head[2]]
    magicCookie? += [head[7], head[6], head[5], head[4], head[9], head[8]] + head[10...]
  }

  // dac3: fscod 2, bsid 5, bsmod 3, acmod 3, lfeon 1, bit rate 5, 5 reserved (ETSI TS 102 366 F.4).
  private mutating func readAC3(_ entry: SampleEntry) {
    let fields = entry.atoms["dac3"].flatMap { $0.count >= 3 ? $0 : nil }
    readAC3(
      entry, .ac3, rate: fields.map { Int($0[0] >> 6) }, version: fields.map { Int($0[0] >> 1 & 31) } ?? 8,
      mode: fields.map { Int($0[1] >> 3 & 7) }, hasLFE: fields.map { $0[1] >> 2 & 1 == 1 } ?? false)
  }

  // dec3: data rate 13, substreams - 1 3; of the first fscod 2, bsid 5, 5 others, acmod 3, lfeon 1 (F.6).
  private mutating func readEnhancedAC3(_ entry: SampleEntry) {
    let fields = entry.atoms["dec3"].flatMap { $0.count >= 4 ? $0 : nil }
    readAC3(
      entry, .enhancedAC3, rate: fields.map { Int($0[2] >> 6) }, version: 8, mode: fields.map { Int($0[3] >> 1 & 7) },
      hasLFE: fields.map { $0[3] & 1 == 1 } ?? false)
  }

  private mutating func readAC3(
    _ entry: SampleEntry, _ id: AudioFormatID, rate: Int?, version: Int, mode: Int?, hasLFE: Bool
  ) {
    var (sampleRate, channelCount) = (entry.sampleRate, entry.channelCount)
    if let rate, rate < 3 { sampleRate = Double(AC3Header.sampleRates[rate] >> min(2, max(0, version - 8))) }
    if let mode { (channelCount, channelMask) = AC3Header.channels(mode: mode, hasLFE: hasLFE) }
    set(
      AudioStreamBasicDescription(
        sampleRate: sampleRate, formatID: id, framesPerPacket: 1536, channelsPerFrame: channelCount))
  }

  // damr: vendor u32, version u8, modes u16, change period u8, frames per sample u8 (3GPP TS 26.244 6.7).
  private mutating func readAMR(_ entry: SampleEntry, _ codec: CarriedCodec) {
    let perSample = entry.atoms["damr"].flatMap { $0.count >= 9 ? Int($0[8]) : nil } ?? 1
    set(codec.format(sampleRate: Double(codec.framesPerPacket * 50), channelCount: 1))
    formatList[0].framesPerPacket *= max(1, perSample)
  }
}

extension SampleEntry {
  /// The byte order of `enda`: little-endian if 1.
  fileprivate var byteOrder: UInt32 {
    atoms["enda"]?.starts(with: [0, 1]) ?? false ? 0 : AudioStreamBasicDescription.isBigEndian
  }

  /// `chan`, Core Audio's channel layout: tag u32, bit map u32, descriptions u32. Those are understood that have the
  /// order that the bits of a mask have.
  fileprivate var channelMask: UInt32 {
    guard let layout = fullAtom("chan", atLeast: 12) else { return 0 }
    let fields = layout.span.bytes
    switch fields.bigEndian32(at: 0) {
    case 1 << 16: return fields.bigEndian32(at: 4)
    case 100 << 16 | 1: return 0x4
    case 101 << 16 | 2: return 0x3
    case 108 << 16 | 4: return 0x33
    case 113 << 16 | 3: return 0x7
    case 115 << 16 | 4: return 0x107
    case 117 << 16 | 5: return 0x37
    case 121 << 16 | 6: return 0x3f
    default: return 0
    }
  }
}
