internal import AudioModel

/// The header that encoders write into a silent first packet: "Xing", "Info" (both with LAME's extension) or "VBRI".
/// The packet is metadata, never audio.
struct XingHeader {
  /// Packets of audio, without the one that holds this.
  var packetCount: Int64?
  /// Bytes of all packets, with the one that holds this.
  var byteCount: Int64?
  /// True if the encoder says that all packets have one bit rate.
  var isConstantBitRate = false
  /// Frames that the encoder added at the start and at the end, without the decoder's delay.
  var encoderDelay: (start: Int, end: Int)?
  /// Offsets from the packet that holds this, at equal steps of time.
  var places: [Int64] = []

  /// Reads `packet`, a whole one; `nil` if it is an ordinary packet.
  init?(packet: RawSpan, header: MPEGFrameHeader) {
    guard header.layer == 3 else { return nil }
    // Encoders disagree whether a CRC moves it.
    for start in [4 + header.sideInformationByteCount, 6 + header.sideInformationByteCount] {
      if packet.has("Xing", at: start) || packet.has("Info", at: start) {
        readXing(packet.extracting(droppingFirst: start))
        return
      }
    }
    guard packet.has("VBRI", at: 36) else { return nil }
    readVBRI(packet.extracting(droppingFirst: 36), packetByteCount: packet.byteCount)
  }

  // Xing: id, flags, then as flagged: 1 packets u32, 2 bytes u32, 4 table 100 x u8, 8 quality u32; then LAME's.
  private mutating func readXing(_ bytes: RawSpan) {
    isConstantBitRate = bytes.has("Info")
    guard bytes.byteCount >= 8 else { return }
    let flags = bytes.bigEndian32(at: 4)
    var position = 8
    func isPresent(_ flag: UInt32, _ byteCount: Int) -> Bool {
      flags & flag != 0 && bytes.byteCount - position >= byteCount
    }
    if isPresent(1, 4) {
      packetCount = Self.known(bytes.bigEndian32(at: position))
      position += 4
    }
    if isPresent(2, 4) {
      byteCount = Self.known(bytes.bigEndian32(at: position))
      position += 4
    }
    if isPresent(4, 100) {
      if let byteCount { places = Self.places(bytes.extracting(position..<position + 100), of: byteCount) }
      position += 100
    }
    if isPresent(8, 4) { position += 4 }
    readLAME(bytes.extracting(droppingFirst: position))
  }

  /// The table counts in 256ths of all bytes.
  private static func places(_ table: RawSpan, of byteCount: Int64) -> [Int64] {
    (0..<100).map { Int64(table[$0]) * byteCount / 256 } + [byteCount]
  }

  // LAME: encoder's name 9 bytes ... at 21 two numbers of 12 bits: frames in front and after.
  private mutating func readLAME(_ bytes: RawSpan) {
    guard bytes.byteCount >= 24, (0..<4).allSatisfy({ 0x20...0x7e ~= bytes[$0] }) else { return }
    let both = bytes.bigEndian24(at: 21)
    if both != 0 { encoderDelay = (Int(both >> 12), Int(both & 0xfff)) }
  }

  // VBRI: id, version u16, delay u16, quality u16, bytes u32, packets u32, entries u16, scale u16, entry size u16,
  // packets per entry u16, entries.
  private mutating func readVBRI(_ bytes: RawSpan, packetByteCount: Int) {
    guard bytes.byteCount >= 26 else { return }
    byteCount = Self.known(bytes.bigEndian32(at: 10))
    packetCount = Self.known(bytes.bigEndian32(at: 14))
    let scale = Int64(bytes.bigEndian16(at: 20))
    let width = Int(bytes.bigEndian16(at: 22))
    let count = Int(bytes.bigEndian16(at: 18))
    guard 1...4 ~= width, count > 0, bytes.byteCount - 26 >= width * count else { return }
    var place = Int64(packetByteCount)
    places = [place]
    for entry in 0..<count {
      let size = (0..<width).reduce(0 as Int64) { $0 << 8 | Int64(bytes[26 + entry * width + $1]) }
      place += size * scale
      places.append(place)
    }
  }

  /// The trim of `frameCount` decoded frames; `nil` if it is missing or malformed.
  func packetTable(frameCount: Int64) -> AudioFilePacketTableInfo? {
    encoderDelay.flatMap {
      Self.packetTable(frameCount: frameCount, encoderDelay: $0.start, encoderPadding: $0.end)
    }
  }

  /// The same for numbers from elsewhere.
  ///
  /// Layer III decoders delay by 529 frames: that many more are dropped at the start, and fewer at the end.
  static func packetTable(
    frameCount: Int64, encoderDelay: Int, encoderPadding: Int
  ) -> AudioFilePacketTableInfo? {
    let decoderDelay = 529
    let priming = encoderDelay + decoderDelay
    let remainder = max(0, encoderPadding - decoderDelay)
    let valid = frameCount - Int64(priming + remainder)
    guard valid >= 0 else { return nil }
    return AudioFilePacketTableInfo(validFrames: valid, primingFrames: priming, remainderFrames: remainder)
  }

  private static func known(_ value: UInt32) -> Int64? { value == 0 ? nil : Int64(value) }
}
