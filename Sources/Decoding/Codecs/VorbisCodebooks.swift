/// Measures the code books of a Vorbis setup header before libvorbis sees them: a header of 20 bytes may describe a
/// book of 2^24 values, and 256 of those.
///
/// Vorbis I 3.2.1, numbers with their lowest bit first: 0x564342 in 24 bits, dimensions 16, entries 24, then how long
/// the entries' codes are, then how their values are looked up.
struct VorbisCodebooks {
  /// Values of all books that libvorbis is asked to keep, 4 bytes each, and of one: an encoder's have 90,000 and
  /// 66,000.
  private static let maximumValueCount = 1 << 19
  private static let maximumBookValueCount = 1 << 17

  private let setup: ArraySlice<UInt8>
  private var position: Int
  private var valueCount = 0

  /// True if the codebooks in `setup`, the third header packet, fit the limit; false if they are malformed.
  static func areModest(_ setup: ArraySlice<UInt8>) -> Bool {
    var books = VorbisCodebooks(setup)
    guard let count = books.read(8) else { return false }
    for _ in 0...count where !books.readBook() { return false }
    return true
  }

  private init(_ setup: ArraySlice<UInt8>) {
    self.setup = setup
    position = 7 * 8  // 5 "vorbis"
  }

  private mutating func read(_ bitCount: Int) -> Int? {
    guard position + bitCount <= setup.count * 8 else { return nil }
    var value = 0
    for bit in 0..<bitCount {
      let byte = setup[setup.startIndex + (position + bit) >> 3]
      value |= Int(byte >> UInt8((position + bit) & 7) & 1) << bit
    }
    position += bitCount
    return value
  }

  private mutating func skip(_ bitCount: Int) -> Bool {
    position += bitCount
    return position <= setup.count * 8
  }

  private mutating func readBook() -> Bool {
    guard read(24) == 0x564342, let dimensions = read(16), let entryCount = read(24), let isOrdered = read(1) else {
      return false
    }
    // For each entry its values, its code and its length.
    let bookValueCount = entryCount * (dimensions + 2)
    valueCount += bookValueCount
    guard bookValueCount <= Self.maximumBookValueCount, valueCount <= Self.maximumValueCount else { return false }
    let hasLengths = isOrdered == 1 ? skipOrderedLengths(entryCount) : skipLengths(entryCount)
    return hasLengths && skipLookup(dimensions: dimensions, entryCount: entryCount)
  }

  private mutating func skipLengths(_ entryCount: Int) -> Bool {
    guard let isSparse = read(1) else { return false }
    guard isSparse == 1 else { return skip(entryCount * 5) }
    for _ in 0..<entryCount {
      guard let isUsed = read(1), isUsed == 0 || skip(5) else { return false }
    }
    return true
  }

  /// The numbers of entries that have codes of the shortest length, and of each length after it.
  private mutating func skipOrderedLengths(_ entryCount: Int) -> Bool {
    guard skip(5) else { return false }
    var entry = 0
    var lengthCount = 0
    while entry < entryCount {
      let rest = entryCount - entry
      guard let count = read(Int.bitWidth - rest.leadingZeroBitCount), count <= rest, lengthCount < 32 else {
        return false
      }
      entry += count
      lengthCount += 1
    }
    return true
  }

  private mutating func skipLookup(dimensions: Int, entryCount: Int) -> Bool {
    guard let kind = read(4) else { return false }
    guard 1...2 ~= kind else { return kind == 0 }
    // Least value 32, step 32, bits of a value - 1, whether they add up.
    guard skip(64), let bits = read(4), skip(1) else { return false }
    let count = kind == 2 ? entryCount * dimensions : Self.latticeSide(entryCount, dimensions: dimensions)
    return skip(count * (bits + 1))
  }

  /// The largest number whose power to the dimensions is at most the entries (Vorbis I 9.2.3).
  private static func latticeSide(_ entryCount: Int, dimensions: Int) -> Int {
    guard dimensions > 0, entryCount > 0 else { return 0 }
    var side = 1
    while power(side + 1, dimensions, atMost: entryCount) { side += 1 }
    return side
  }

  private static func power(_ base: Int, _ exponent: Int, atMost limit: Int) -> Bool {
    var product = 1
    for _ in 0..<exponent {
      product *= base
      if product > limit { return false }
    }
    return true
  }
}
