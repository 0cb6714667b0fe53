/// Defaults for all packets of a track in fragments, unless one says otherwise (ISO/IEC 14496-12 8.8.3, 8.8.7).
struct FragmentDefaults {
  var duration: UInt32 = 0
  var size: UInt32 = 0

  /// trex: version, flags, track u32, description u32, duration u32, size u32, flags u32.
  static func read(_ content: RawSpan) -> (trackID: UInt32, defaults: FragmentDefaults)? {
    guard content.byteCount >= 20 else { return nil }
    return (
      content.bigEndian32(at: 4),
      FragmentDefaults(duration: content.bigEndian32(at: 12), size: content.bigEndian32(at: 16))
    )
  }
}

/// A `moof` that is being read: where its next run of packets lies (8.8.7, 8.8.8).
struct MovieFragment {
  /// The start of the box.
  let byteOffset: Int64
  private(set) var trackID: UInt32 = 0
  private(set) var defaults = FragmentDefaults()
  /// The place from which a run's offset counts.
  private var base: Int64
  /// The start of the run that is being read.
  private(set) var runOffset: Int64
  /// The end of the runs that were read, of any track.
  var endOffset: Int64

  init(byteOffset: Int64) {
    (self.byteOffset, base, runOffset, endOffset) = (byteOffset, byteOffset, byteOffset, byteOffset)
  }

  // tfhd: version, flags u24, track u32; by the flags a base u64, description u32, duration u32, size u32, flags u32.
  mutating func readTrackHeader(_ content: RawSpan, defaults known: [UInt32: FragmentDefaults]) {
    trackID = 0
    guard content.byteCount >= 8 else { return }
    let flags = content.bigEndian32(at: 0)
    trackID = content.bigEndian32(at: 4)
    defaults = known[trackID] ?? FragmentDefaults()
    var position = 8
    func next(_ flag: UInt32, _ byteCount: Int) -> Int? {
      guard flags & flag != 0, content.byteCount - position >= byteCount else { return nil }
      position += byteCount
      return position - byteCount
    }
    // Without a base: after the previous track, unless the movie fragment is the base.
    base = flags & 0x20000 != 0 ? byteOffset : endOffset
    if let offset = next(1, 8) { base = Int64(clamping: content.bigEndian64(at: offset)) }
    _ = next(2, 4)
    if let offset = next(8, 4) { defaults.duration = content.bigEndian32(at: offset) }
    if let offset = next(0x10, 4) { defaults.size = content.bigEndian32(at: offset) }
    endOffset = base
  }

  /// Goes to where a run begins: `distance` from the base, or after the run before.
  mutating func beginRun(distance: Int32?) {
    if let distance { endOffset = base.addingReportingOverflow(Int64(distance)).partialValue }
    runOffset = endOffset
  }
}

/// The fields that each packet of a `trun` has.
struct FragmentRun {
  /// Packets.
  let count: Int
  let hasDuration: Bool
  let hasSize: Bool
  /// Bytes of the fields of one packet.
  let entryByteCount: Int
  /// Bytes before the first packet's fields.
  let headerByteCount: Int
  /// From the base to the first packet.
  let distance: Int32?

  /// Bytes that a header may have.
  static let maximumHeaderByteCount = 16

  // trun: version, flags u24, packets u32; by the flags a distance i32, the first packet's flags u32; of each packet
  // duration, size, flags, composition offset, u32 each.
  init?(_ content: RawSpan) {
    guard content.byteCount >= 8 else { return nil }
    let flags = content.bigEndian32(at: 0)
    count = Int(content.bigEndian32(at: 4))
    (hasDuration, hasSize) = (flags & 0x100 != 0, flags & 0x200 != 0)
    entryByteCount = 4 * (flags >> 8 & 0xf).nonzeroBitCount
    headerByteCount = 8 + 4 * (flags & 5).nonzeroBitCount
    guard content.byteCount >= headerByteCount else { return nil }
    distance = flags & 1 != 0 ? Int32(bitPattern: content.bigEndian32(at: 8)) : nil
  }

  /// Bytes of packet `index` of those whose fields begin `bytes`.
  func size(of bytes: RawSpan, _ index: Int, _ defaults: FragmentDefaults) -> UInt32 {
    hasSize ? bytes.bigEndian32(at: index * entryByteCount + (hasDuration ? 4 : 0)) : defaults.size
  }

  /// Its duration in units of the track's timescale.
  func duration(of bytes: RawSpan, _ index: Int, _ defaults: FragmentDefaults) -> UInt32 {
    hasDuration ? bytes.bigEndian32(at: index * entryByteCount) : defaults.duration
  }

  /// Bytes of `count` packets.
  func byteCount(of bytes: RawSpan, count: Int, defaults: FragmentDefaults) -> Int64 {
    guard hasSize else { return Int64(clamping: count.multipliedFullWidth(by: Int(defaults.size)).low) }
    return (0..<count).reduce(0) { $0 + Int64(size(of: bytes, $1, defaults)) }
  }
}
