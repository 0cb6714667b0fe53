public import AudioModel

/// The properties of an `AudioFileStream`, by the stack's four characters.
public enum AudioFileStreamPropertyID: String, Sendable, CaseIterable {
  /// Type of the file.
  case fileFormat = "ffmt"
  /// Layout of the packets.
  case dataFormat = "dfmt"
  /// All layouts, richest first.
  case formatList = "flst"
  /// The decoder's configuration beyond `dataFormat`.
  case magicCookieData = "mgic"
  /// The speakers of the channels.
  case channelLayout = "cmap"
  /// The frames to trim.
  case packetTableInfo = "pnfo"
  /// The number of packets.
  case audioDataPacketCount = "pcnt"
  /// Bytes of all packets.
  case audioDataByteCount = "bcnt"
  /// Offset of the first packet.
  case dataOffset = "doff"
  /// Bytes of the largest packet.
  case maximumPacketSize = "psze"
  /// Bytes that no packet exceeds.
  case packetSizeUpperBound = "pkub"
  /// Mean bytes of a packet.
  case averageBytesPerPacket = "abpp"
  /// Bits per second.
  case bitRate = "brat"
  /// The tags.
  case infoDictionary = "info"
  /// `frame(ofPacket:)`.
  case packetToFrame = "pkfr"
  /// `packet(containingFrame:)`.
  case frameToPacket = "frpk"
  /// `byteOffset(ofPacket:)`.
  case packetToByte = "pkby"
  /// `packet(atByte:)`.
  case byteToPacket = "bypk"
  /// The headers are done, packets follow.
  case readyToProducePackets = "redy"

  /// The four characters as one number.
  public var code: FourCharCode { FourCharCode(rawValue: rawValue.utf8.reduce(0) { $0 << 8 | UInt32($1) }) }

  /// The order in which a sink is notified of the known properties.
  public static let announced: [AudioFileStreamPropertyID] = [
    .fileFormat, .dataFormat, .formatList, .magicCookieData, .channelLayout, .packetTableInfo, .audioDataPacketCount,
    .audioDataByteCount, .dataOffset, .maximumPacketSize, .packetSizeUpperBound, .averageBytesPerPacket, .bitRate,
    .infoDictionary, .readyToProducePackets,
  ]

  /// Properties that are reported once more after the last packet.
  static let exactAtTheEnd: [AudioFileStreamPropertyID] = [
    .packetTableInfo, .audioDataPacketCount, .audioDataByteCount, .maximumPacketSize, .averageBytesPerPacket, .bitRate,
    .infoDictionary,
  ]
}

/// A property together with the type of its value: `try stream.value(of: .bitRate)`.
public struct AudioFileStreamProperty<Value: Sendable>: Sendable {
  /// The name without the type.
  public let id: AudioFileStreamPropertyID
  let read: @Sendable (MediaInformation) -> Value?
}

extension AudioFileStreamProperty {
  /// 'ffmt'
  public static var fileFormat: AudioFileStreamProperty<AudioFileTypeID> { .init(id: .fileFormat) { $0.fileType } }
  /// 'dfmt'
  public static var dataFormat: AudioFileStreamProperty<AudioStreamBasicDescription> {
    .init(id: .dataFormat) { $0.dataFormat }
  }
  /// 'flst'
  public static var formatList: AudioFileStreamProperty<[AudioStreamBasicDescription]> {
    .init(id: .formatList) { $0.formatList.isEmpty ? nil : $0.formatList }
  }
  /// 'mgic'
  public static var magicCookieData: AudioFileStreamProperty<[UInt8]> { .init(id: .magicCookieData) { $0.magicCookie } }
  /// 'cmap': the speakers of the channels, one bit each, in their order (`PCMFormat.channelMask`).
  public static var channelLayout: AudioFileStreamProperty<UInt32> {
    .init(id: .channelLayout) { $0.channelMask == 0 ? nil : $0.channelMask }
  }
  /// 'pnfo'
  public static var packetTableInfo: AudioFileStreamProperty<AudioFilePacketTableInfo> {
    .init(id: .packetTableInfo) { $0.packetTable }
  }
  /// 'pcnt'
  public static var audioDataPacketCount: AudioFileStreamProperty<Int64> {
    .init(id: .audioDataPacketCount) { $0.packetCount }
  }
  /// 'bcnt'
  public static var audioDataByteCount: AudioFileStreamProperty<Int64> {
    .init(id: .audioDataByteCount) { $0.audioDataByteCount }
  }
  /// 'doff'
  public static var dataOffset: AudioFileStreamProperty<Int64> { .init(id: .dataOffset) { $0.dataOffset } }
  /// 'psze'
  public static var maximumPacketSize: AudioFileStreamProperty<Int> {
    .init(id: .maximumPacketSize) { $0.maximumPacketSize }
  }
  /// 'pkub'
  public static var packetSizeUpperBound: AudioFileStreamProperty<Int> {
    .init(id: .packetSizeUpperBound) { $0.packetSizeUpperBound }
  }
  /// 'abpp'
  public static var averageBytesPerPacket: AudioFileStreamProperty<Double> {
    .init(id: .averageBytesPerPacket) { $0.averageBytesPerPacket }
  }
  /// 'brat'
  public static var bitRate: AudioFileStreamProperty<Int> { .init(id: .bitRate) { $0.bitRate } }
  /// 'info'
  public static var infoDictionary: AudioFileStreamProperty<TrackTags> { .init(id: .infoDictionary) { $0.tags } }
}

extension AudioFileStreamPropertyID {
  /// True if `information` has a value for it.
  func isKnown(in information: MediaInformation) -> Bool {
    func has<Value>(_ property: AudioFileStreamProperty<Value>) -> Bool { property.read(information) != nil }
    return switch self {
    case .fileFormat: has(.fileFormat)
    case .dataFormat: has(.dataFormat)
    case .formatList: has(.formatList)
    case .magicCookieData: has(.magicCookieData)
    case .channelLayout: has(.channelLayout)
    case .packetTableInfo: has(.packetTableInfo)
    case .audioDataPacketCount: has(.audioDataPacketCount)
    case .audioDataByteCount: has(.audioDataByteCount)
    case .dataOffset: has(.dataOffset)
    case .maximumPacketSize: has(.maximumPacketSize)
    case .packetSizeUpperBound: has(.packetSizeUpperBound)
    case .averageBytesPerPacket: has(.averageBytesPerPacket)
    case .bitRate: has(.bitRate)
    case .infoDictionary: has(.infoDictionary)
    case .packetToFrame, .frameToPacket, .packetToByte, .byteToPacket, .readyToProducePackets: true
    }
  }
}
