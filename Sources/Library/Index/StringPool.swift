/// Stores each text once, as two bytes of length (little-endian) and the bytes. The offset identifies it.
struct StringPool {
  /// The stored form. Offset 0 is the empty text.
  private(set) var bytes: [UInt8] = [0, 0]
  /// Offsets, by hash; 0 for a free place.
  private var places = [UInt32](repeating: 0, count: 1 << 10)
  private var count = 0

  /// The offset of a text. Texts beyond 64 KiB are cut; beyond 4 GiB in all, texts are empty.
  mutating func offset(of text: UnsafeRawBufferPointer) -> UInt32 {
    let text = UnsafeRawBufferPointer(rebasing: text.prefix(0xffff))
    guard !text.isEmpty, bytes.count < Int(UInt32.max) - 0x2_0000 else { return 0 }
    if count * 2 > places.count { grow() }
    var place = Int(truncatingIfNeeded: Self.hash(text)) & (places.count - 1)
    while places[place] != 0 {
      if isEqual(text, at: Int(places[place])) { return places[place] }
      place = (place + 1) & (places.count - 1)
    }
    let offset = UInt32(bytes.count)
    bytes.append(UInt8(truncatingIfNeeded: text.count))
    bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
    bytes.append(contentsOf: text)
    places[place] = offset
    count += 1
    return offset
  }

  mutating func reserve(byteCount: Int) { bytes.reserveCapacity(byteCount) }

  mutating func offset(of text: [UInt8]) -> UInt32 { text.withUnsafeBytes { offset(of: $0) } }

  mutating func offset(of text: String) -> UInt32 { offset(of: Array(text.utf8)) }

  func text(at offset: UInt32) -> ArraySlice<UInt8> {
    let start = Int(offset) + 2
    let count = Int(bytes[start - 2]) | Int(bytes[start - 1]) << 8
    return bytes[start..<(start + count)]
  }

  private func isEqual(_ text: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    guard Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 == text.count else { return false }
    return bytes.withUnsafeBytes { $0[(offset + 2)..<(offset + 2 + text.count)].elementsEqual(text) }
  }

  private mutating func grow() {
    places = [UInt32](repeating: 0, count: places.count * 2)
    var offset = 2
    while offset < bytes.count {
      let length = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
      let hash = bytes.withUnsafeBytes {
        Self.hash(UnsafeRawBufferPointer(rebasing: $0[(offset + 2)..<(offset + 2 + length)]))
      }
      var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
      while places[place] != 0 { place = (place + 1) & (places.count - 1) }
      places[place] = UInt32(offset)
      offset += 2 + length
    }
  }

  /// A hash that multiplies and folds eight bytes at a time.
  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(text.count) &* 0x9e37_79b9_7f4a_7c15
    var position = 0
    while text.count - position >= 8 {
      let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      hash = (hash ^ word) &* 0xff51_afd7_ed55_8ccd
      hash ^= hash >> 32
      position += 8
    }
    while position < text.count {
      hash = (hash ^ UInt64(text[position])) &* 0xff51_afd7_ed55_8ccd
      hash ^= hash >> 29
      position += 1
    }
    return hash ^ hash >> 33
  }
}
