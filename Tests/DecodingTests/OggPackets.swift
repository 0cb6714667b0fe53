/// The packets of an Ogg file with one stream in it, which is whole (RFC 3533 6).
struct OggPackets {
  var packets: [[UInt8]] = []
  /// For pages on which packets end: how many have ended by then, and the page's granule position.
  var granules: [(packetCount: Int, position: Int)] = []

  init(_ file: [UInt8]) {
    var offset = 0
    var partial: [UInt8] = []
    while offset + 27 <= file.count {
      let segmentCount = Int(file[offset + 26])
      let position = file[(offset + 6)..<(offset + 14)].reversed().reduce(0) { $0 << 8 | Int($1) }
      let sizes = file[(offset + 27)...].prefix(segmentCount)
      offset += 27 + segmentCount
      let before = packets.count
      for size in sizes {
        partial += file[offset...].prefix(Int(size))
        offset += Int(size)
        if size < 255 {
          packets.append(partial)
          partial = []
        }
      }
      if packets.count > before { granules.append((packets.count, position)) }
    }
  }
}
