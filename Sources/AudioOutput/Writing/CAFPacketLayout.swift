internal import AudioModel

/// CAF with its table of packets before the audio, where the number of packets is known at the start, else behind it.
final class CAFPacketLayout: PacketFileLayout {
  private let format: AudioStreamBasicDescription
  private let start: [UInt8]
  /// Bytes that are kept free for the content of `pakt`.
  private let reservedByteCount: Int
  private var table: [UInt8] = []
  private var packetCount: Int64 = 0
  private var frameCount: Int64 = 0

  init?(_ information: MediaInformation) {
    guard var format = information.formatList.first ?? information.dataFormat, CarriedCodec.isInCAF(format.formatID)
    else { return nil }
    var cookie = information.magicCookie
    switch format.formatID {
    case .aac, .aacHE, .aacHEv2:
      guard let config = specificConfig(of: information) else { return nil }
      cookie = Self.descriptor(cookie ?? config.bytes())
    case .linearPCM:
      let isFloat = format.formatFlags & AudioStreamBasicDescription.isFloat != 0
      let isSigned = format.formatFlags & AudioStreamBasicDescription.isSignedInteger != 0
      let isPacked = format.bytesPerPacket == format.channelsPerFrame * ((format.bitsPerChannel + 7) / 8)
      guard isFloat || isSigned, isPacked, format.framesPerPacket == 1 else { return nil }
      let isBigEndian = format.formatFlags & AudioStreamBasicDescription.isBigEndian != 0
      format.formatFlags = (isFloat ? 1 : 0) | (isBigEndian ? 0 : 2)
    // As others write and read it: version and flags, and the box `dfLa` of MP4 without its size.
    case .flac: cookie = cookie.map { [0, 0, 0, 0] + Array("dfLa".utf8) + [0, 0, 0, 0] + $0.dropFirst(4) }
    default: break
    }
    self.format = format
    start =
      CAFHeader.start(format, speakers: information.channelMask) + (cookie.map { CAFHeader.chunk("kuki", $0) } ?? [])
    let largest = [format.bytesPerPacket == 0 ? information.packetSizeUpperBound ?? 1 << 20 : nil]
      .compactMap { $0.map { Self.number($0).count } }.reduce(format.framesPerPacket == 0 ? 3 : 0, +)
    reservedByteCount =
      information.packetCount.map { 24 + Int(clamping: max(0, min($0, Self.reservedPacketLimit))) * largest } ?? 0
  }

  /// The table of more packets stands behind the audio: a file may claim any number.
  private static let reservedPacketLimit: Int64 = 1 << 20

  /// True if packets differ: `pakt` says how. Of the rest it has the frames to trim.
  private var needsTable: Bool { format.bytesPerPacket == 0 || format.framesPerPacket == 0 }

  var header: [UInt8] {
    // 'free', until the table is known.
    let space = reservedByteCount > 0 ? CAFHeader.chunk("free", [UInt8](repeating: 0, count: reservedByteCount)) : []
    return start + space + CAFHeader.data(byteCount: nil)
  }

  func add(_ description: PacketDescription, byteCount: Int) -> [UInt8]? {
    if format.bytesPerPacket == 0 {
      table += Self.number(byteCount)
    } else if byteCount != format.bytesPerPacket {
      return nil
    }
    if format.framesPerPacket == 0 { table += Self.number(description.frameCount) }
    packetCount += 1
    frameCount += Int64(description.frameCount)
    return []
  }

  func completion(
    _ trim: AudioFilePacketTableInfo?, fileByteCount: Int64
  ) -> [(bytes: [UInt8], offset: Int64)] {
    let total = format.framesPerPacket > 0 ? packetCount * Int64(format.framesPerPacket) : frameCount
    let priming = Int64(trim?.primingFrames ?? 0)
    let valid = max(0, min(trim?.validFrames ?? frameCount, total - priming))
    var content: [UInt8] = []
    content.append(big: packetCount)
    content.append(big: valid)
    content.append(big: Int32(clamping: priming))
    content.append(big: Int32(clamping: total - priming - valid))
    content += table
    let hasTable = needsTable || valid < total
    let fits = content.count <= reservedByteCount
    let dataOffset = Int64(header.count) - Int64(CAFHeader.data(byteCount: nil).count)
    let size = CAFHeader.data(byteCount: fileByteCount - Int64(header.count))
    guard hasTable else { return [(size, dataOffset)] }
    // A table may be shorter than its chunk.
    content += [UInt8](repeating: 0, count: fits ? reservedByteCount - content.count : 0)
    return [(size, dataOffset), (CAFHeader.chunk("pakt", content), fits ? Int64(start.count) : fileByteCount)]
  }

  /// A number in seven bits per byte, highest first.
  private static func number(_ value: Int) -> [UInt8] {
    var bytes = [UInt8(value & 0x7f)]
    var rest = value >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }

  /// An AudioSpecificConfig within an ES descriptor (ISO/IEC 14496-1 7.2.6.5), as CAF has it.
  private static func descriptor(_ config: [UInt8]) -> [UInt8] {
    func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      // The length in four bytes of seven bits each.
      [tag] + [21, 14, 7, 0].map { UInt8(content.count >> $0 & 0x7f) | ($0 > 0 ? 0x80 : 0) } + content
    }
    // MPEG-4 audio, an audio stream; buffer size and bit rates are left open.
    let decoder = tagged(4, [0x40, 0x15] + [UInt8](repeating: 0, count: 11) + tagged(5, config))
    return tagged(3, [0, 0, 0] + decoder + tagged(6, [2]))
  }
}
