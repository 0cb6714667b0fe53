/// Takes numbers and bytes from an input; zeros where it ends.
struct FuzzedBytes {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func next() -> Int { bytes.popFirst().map(Int.init) ?? 0 }

  /// Of two bytes, little endian.
  mutating func nextWord() -> Int { next() | next() << 8 }

  /// Up to `count` bytes.
  mutating func next(_ count: Int) -> [UInt8] {
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }
}
