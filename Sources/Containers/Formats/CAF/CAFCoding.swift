internal import AudioModel

/// The decoding of a CAF file's packets, from `desc` and `kuki` together.
struct CAFCoding {
  /// Layouts that they can be decoded to, richest first. Packets are counted in frames of the first.
  private(set) var formats: [AudioStreamBasicDescription]
  /// The cookie in the form that decoders take (`AudioDecoders`); `nil` if it is missing or malformed.
  private(set) var magicCookie: [UInt8]?
  /// Frames of `formats[0]` for one that the file counts.
  private(set) var frameScale = 1
  /// Packets before any packet that shape its sound.
  private(set) var overlapPacketCount = 0

  /// Frames of `formats[0]` that the decoder swallows, where the table of packets says nothing.
  private(set) var primingFrames = 0

  /// `priming`: the value in the table of packets, if present.
  init(_ description: CAFDescription, _ cookie: [UInt8]?, priming: Int) {
    let format = description.format
    formats = [format]
    overlapPacketCount = CarriedCodec[format.formatID]?.overlapPacketCount ?? 0
    switch format.formatID {
    case .aac, .aacHE, .aacHEv2: readAAC(cookie)
    case .appleLossless: readALAC(cookie)
    case .flac: readFLAC(cookie)
    case .opus: readOpus(cookie, priming: priming)
    // As many as hold 511 bytes of its bit reservoir at 32 kbit/s; the table does not tell.
    case .mpegLayer3: overlapPacketCount = 10
    case .mpegLayer1, .mpegLayer2, .ac3, .enhancedAC3, .amr, .amrWB: break
    default: magicCookie = cookie
    }
  }

  /// An ES descriptor, or a plain AudioSpecificConfig. It describes the packets better than `desc`.
  private mutating func readAAC(_ cookie: [UInt8]?) {
    guard let cookie, !cookie.isEmpty else { return }
    let config =
      cookie[0] == 3 ? ElementaryStreamDescriptor(cookie.span.bytes)?.specificConfig ?? [] : cookie
    guard let richest = AudioSpecificConfig(config)?.formats else { return }
    magicCookie = config
    let (scale, rest) = richest[0].framesPerPacket.quotientAndRemainder(dividingBy: max(1, formats[0].framesPerPacket))
    if 1...2 ~= scale, rest == 0 {
      (formats, frameScale) = (richest, scale)
    } else if formats[0].formatID != .aac {
      // Band replication that only `desc` states.
      formats += richest
    }
  }

  /// Without the atoms around it: `frma`, then `alac` with four bytes of version.
  private mutating func readALAC(_ cookie: [UInt8]?) {
    var rest = cookie?[...] ?? []
    for name in ["frma", "alac"] where rest.dropFirst(4).starts(with: name.utf8) { rest = rest.dropFirst(12) }
    guard rest.count >= 24 else { return }
    let config = Array(rest.prefix(rest.count >= 48 ? 48 : 24))
    magicCookie = config
    // kAppleLosslessFormatFlag_16BitSourceData and those after it.
    formats[0].formatFlags = [16: 1, 20: 2, 24: 3, 32: 4][config[5]] ?? 0
  }

  /// STREAMINFO: it may come in a `dfLa` atom, after `fLaC`, with its header or without.
  private mutating func readFLAC(_ cookie: [UInt8]?) {
    var rest = cookie?[...] ?? []
    if rest.dropFirst(4).starts(with: "dfLa".utf8) { rest = rest.dropFirst(12) }
    if rest.starts(with: "fLaC".utf8) { rest = rest.dropFirst(4) }
    if rest.dropFirst().starts(with: [0, 0, UInt8(FLACStreamInfo.byteCount)]) { rest = rest.dropFirst(4) }
    apply(FLACStreamInfo(Array(rest).span.bytes))
  }

  private mutating func apply(_ streamInfo: FLACStreamInfo?) {
    guard let streamInfo else { return }
    magicCookie = streamInfo.cookie
    formats[0].formatFlags = streamInfo.format.formatFlags
  }

  /// Opus is decoded at 48 kHz, whatever was encoded. Apple's cookie is not documented: what a head says follows from
  /// the rest of the file (RFC 7845 5.1), unless there are more than two channels.
  private mutating func readOpus(_ cookie: [UInt8]?, priming: Int) {
    frameScale = max(1, Int(48000 / formats[0].sampleRate))
    formats[0].sampleRate = 48000
    formats[0].framesPerPacket *= frameScale
    let preroll = OpusPacket.prerollFrameCount
    overlapPacketCount = formats[0].framesPerPacket > 0 ? preroll / formats[0].framesPerPacket + 1 : 0
    if let cookie, cookie.starts(with: "OpusHead".utf8) {
      magicCookie = cookie
      if priming == 0, cookie.count >= 12 { primingFrames = Int(cookie[10]) | Int(cookie[11]) << 8 }
    } else if formats[0].channelsPerFrame <= 2 {
      let delay = UInt16(clamping: priming * frameScale)
      magicCookie =
        Array("OpusHead".utf8) + [1, UInt8(formats[0].channelsPerFrame), UInt8(delay & 0xff), UInt8(delay >> 8)]
        + [0x80, 0xbb, 0, 0, 0, 0, 0]
    }
  }

  // MARK: Facts in packets

  /// FLAC without a cookie, as ffmpeg leaves it: a STREAMINFO made of the first packet's header. `desc` has the mean of
  /// all packets then, that one the truth.
  mutating func complete(byFirstPacket bytes: RawSpan) {
    guard let header = FLACFrameHeader(bytes), header.bitsPerSample > 0 else { return }
    formats[0].framesPerPacket = header.blockSize
    var block = [UInt8](repeating: 0, count: FLACStreamInfo.byteCount)
    let layout = Int(formats[0].sampleRate) << 12 | (header.channelCount - 1) << 9 | (header.bitsPerSample - 1) << 4
    for (place, value, byteCount) in [(0, header.blockSize, 2), (2, header.blockSize, 2), (10, layout, 4)] {
      for index in 0..<byteCount {
        block[place + index] = UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - index)))
      }
    }
    apply(FLACStreamInfo(block.span.bytes))
  }

  /// True if that is needed.
  var needsFirstPacket: Bool { formats[0].formatID == .flac && magicCookie == nil }

  /// Frames of the last packet, which may be fewer than of all others; `nil` if it does not say so.
  func frameCount(ofLastPacket bytes: RawSpan) -> Int? {
    switch formats[0].formatID {
    case .flac: FLACFrameHeader(bytes)?.blockSize
    case .appleLossless: Self.frameCount(ofALACPacket: bytes)
    default: nil
    }
  }

  /// Frames of a packet of ALAC, if it states them: the last one does if it has fewer than the others.
  static func frameCount(ofALACPacket bytes: RawSpan) -> Int? {
    // An element: 3 bits of kind, 4 of number, 12 unused, whether its frames are counted, 2 and 1 of others, 32 of
    // frames.
    guard bytes.byteCount >= 7, bytes[2] & 0x10 != 0 else { return nil }
    return Int(bytes[2] & 1) << 31 | Int(bytes.bigEndian32(at: 3) >> 1)
  }

  /// The bytes of a packet that are enough for these.
  static let packetHeaderByteCount = 16
}
