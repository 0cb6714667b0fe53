public import AudioModel

// Properties that are known so far.
extension AudioFileStream {
  /// The information so far. It grows with each `parse`, and is exact after `finish` if no bytes were skipped.
  public var information: MediaInformation {
    var information = parser.information.measured(by: counter.index, end: totalByteCount)
    information.tags = texts.read(information.tags)
    return information
  }

  /// One property. Throws 'more' before `isReadyToProducePackets`, 'pty?' if this type of file has no such property,
  /// 'unk?' if it is not known before the end, or never.
  public func value<Value>(of property: AudioFileStreamProperty<Value>) throws(ContainerError) -> Value {
    guard isReadyToProducePackets else {
      throw ContainerError(
        .dataUnavailable, at: pending.offset, "'\(property.id.code)' is not known before the headers are read")
    }
    if let value = property.read(information) { return value }
    switch property.id {
    case .magicCookieData, .channelLayout, .packetTableInfo:
      throw ContainerError(.unsupportedProperty, "this file has no '\(property.id.code)'")
    default:
      throw ContainerError(.valueUnknown, "'\(property.id.code)' is not known before all packets are")
    }
  }

  /// The places of the packets so far whose numbers are exact.
  public var packetIndex: PacketIndex { counter.index }

  /// The place to begin reading to reach a packet not in `packetIndex`, if the headers tell; it may lie after the
  /// end.
  public func knownResumePoint(atOrBefore packet: Int64) -> ResumePoint? {
    counter.index.isComplete || packet < counter.index.packetCount ? nil : parser.place(atOrBefore: packet)
  }

  /// Adopts a longer index of the same bytes, such as that of an `AudioFile`, which makes seeks exact.
  public func adopt(_ index: PacketIndex) {
    if index.packetCount > counter.index.packetCount || index.isComplete { counter.index = index }
  }

  /// The file has grown since all its packets were known: there may be more.
  public func reopenIndex() { counter.index.isComplete = false }

  /// The number of packets to decode before a packet, so that it sounds as if all earlier ones had been decoded.
  public var prerollPacketCount: Int { counter.index.prerollPacketCount(overlap: parser.overlapPacketCount) }

  /// The preroll in frames, for formats whose packets have different numbers of frames.
  public var prerollFrameCount: Int { parser.overlapFrameCount }

  var map: PacketMap {
    PacketMap(information: information, index: counter.index, seekTable: parser.seekTable)
  }

  /// 'pkfr': first frame of a packet. Throws 'more', 'pck?', 'unk?'.
  public func frame(ofPacket packet: Int64) throws(ContainerError) -> Int64 {
    if let frame = try map.frame(ofPacket: packet) { return frame }
    throw ContainerError(.valueUnknown, "packets of this format differ in their frames")
  }

  /// 'frpk': the packet that contains a frame, and the number of its frames before that one. Throws 'more', 'pck?',
  /// 'unk?'.
  public func packet(containingFrame frame: Int64) throws(ContainerError) -> (packet: Int64, frameOffset: Int) {
    if let found = try map.packet(containingFrame: frame) { return found }
    throw ContainerError(.valueUnknown, "packets of this format differ in their frames")
  }

  /// 'pkby': the start of a packet, from the data offset. Exact for packets of one size, for those that a table lists
  /// (MP4, CAF), and each 64th that was parsed. Throws 'more' if fewer than 8 packets are known, 'pck?'.
  public func byteOffset(ofPacket packet: Int64) throws(ContainerError) -> (byteOffset: Int64, isEstimated: Bool) {
    let map = map
    guard let place = parser.listedPlace(of: packet, in: map.index) else { return try map.byteOffset(ofPacket: packet) }
    return (place.byteOffset - (try map.dataOffset()), false)
  }

  /// 'bypk': the packet at a byte from the data offset, and the place in the packet. Throws as `byteOffset(ofPacket:)`.
  public func packet(
    atByte byteOffset: Int64
  ) throws(ContainerError) -> (packet: Int64, byteOffsetInPacket: Int, isEstimated: Bool) {
    try map.packet(atByte: byteOffset)
  }
}
