/// At most 256 colours for a picture, chosen by median cut: the box of colours with the greatest spread is divided at
/// its median until there are enough boxes, and each box gives its average.
struct Palette {
  static let limit = 256

  private(set) var colors: [PictureColor] = []
  /// The colour of each pixel, as an index into `colors`.
  private(set) var indices: [UInt8] = []

  /// The pixels with the same five upper bits of each part.
  private struct Bin {
    var key: Int
    var count = 0
    var sums = SIMD3<Int>.zero

    /// One part of the colour, 0...31.
    func part(_ channel: Int) -> Int { key >> (5 * channel) & 31 }
  }

  /// Bins side by side in the list of all bins.
  private struct Box {
    var bins: Range<Int>
    var channel: Int
    /// Pixels times the square of the longest side; 0 if it cannot be divided.
    var spread: Int
  }

  /// - Parameter limit: The number of colours, at most `Palette.limit`.
  init(of picture: Picture, limit: Int = Palette.limit) {
    let keys = Self.keys(of: picture)
    var bins = Self.bins(keys, picture)
    var boxes = [Self.box(bins, bins.indices)]
    while boxes.count < limit, let index = boxes.indices.max(by: { boxes[$0].spread < boxes[$1].spread }),
      boxes[index].spread > 0
    {
      let box = boxes[index]
      let middle = Self.divide(&bins, box)
      boxes[index] = Self.box(bins, box.bins.lowerBound..<middle)
      boxes.append(Self.box(bins, middle..<box.bins.upperBound))
    }
    var indexOfKey = [UInt8](repeating: 0, count: 1 << 15)
    for (index, box) in boxes.enumerated() {
      for bin in bins[box.bins] { indexOfKey[bin.key] = UInt8(index) }
      colors.append(Self.average(bins[box.bins]))
    }
    indices = keys.map { indexOfKey[Int($0)] }
  }

  /// The key of each pixel's bin. An ordered dither decides between two bins, which hides their borders.
  private static func keys(of picture: Picture) -> [UInt16] {
    let (width, count) = (picture.width, picture.width * picture.height)
    return [UInt16](unsafeUninitializedCapacity: count) { keys, initializedCount in
      picture.bytes.withUnsafeBufferPointer { bytes in
        for pixel in 0..<count {
          let threshold = thresholds[pixel / width & 3][pixel % width & 3]
          let part = { (channel: Int) in min(Int(bytes[3 * pixel + channel]) + threshold, 255) >> 3 }
          keys[pixel] = UInt16(part(0) | part(1) << 5 | part(2) << 10)
        }
      }
      initializedCount = count
    }
  }

  /// Bayer's matrix of four by four, for steps of eight.
  private static let thresholds: InlineArray<4, SIMD4<Int>> = [
    SIMD4(0, 4, 1, 5), SIMD4(6, 2, 7, 3), SIMD4(1, 5, 0, 4), SIMD4(7, 3, 6, 2),
  ]

  private static func bins(_ keys: [UInt16], _ picture: Picture) -> [Bin] {
    // The places of bins by their keys, one more: a small picture has few, and the memory of all is megabytes.
    var places = [UInt16](repeating: 0, count: 1 << 15)
    var bins: [Bin] = []
    picture.bytes.withUnsafeBufferPointer { bytes in
      for (pixel, key) in keys.enumerated() {
        if places[Int(key)] == 0 {
          bins.append(Bin(key: Int(key)))
          places[Int(key)] = UInt16(bins.count)
        }
        let place = Int(places[Int(key)]) - 1
        bins[place].count += 1
        bins[place].sums &+= SIMD3(Int(bytes[3 * pixel]), Int(bytes[3 * pixel + 1]), Int(bytes[3 * pixel + 2]))
      }
    }
    return bins.sorted { $0.key < $1.key }
  }

  private static func box(_ bins: [Bin], _ range: Range<Int>) -> Box {
    var (least, greatest, count) = (SIMD3(repeating: 31), SIMD3<Int>.zero, 0)
    for bin in bins[range] {
      let place = SIMD3(bin.part(0), bin.part(1), bin.part(2))
      (least, greatest) = (pointwiseMin(least, place), pointwiseMax(greatest, place))
      count += bin.count
    }
    let sides = greatest &- least
    let channel = (0..<3).max { sides[$0] < sides[$1] } ?? 0
    return Box(bins: range, channel: channel, spread: count * sides[channel] * sides[channel])
  }

  /// Sorts the bins of a box, and returns the first of its upper half. Both halves have at least one bin.
  private static func divide(_ bins: inout [Bin], _ box: Box) -> Int {
    bins[box.bins].sort { $0.part(box.channel) < $1.part(box.channel) }
    let half = bins[box.bins].reduce(0) { $0 + $1.count } / 2
    var (middle, count) = (box.bins.lowerBound, 0)
    repeat {
      count += bins[middle].count
      middle += 1
    } while count < half && middle < box.bins.upperBound - 1
    return middle
  }

  private static func average(_ bins: ArraySlice<Bin>) -> PictureColor {
    let count = max(1, bins.reduce(0) { $0 + $1.count })
    let sums = bins.reduce(SIMD3<Int>.zero) { $0 &+ $1.sums }
    let part = { UInt8(clamping: (sums[$0] + count / 2) / count) }
    return PictureColor(red: part(0), green: part(1), blue: part(2))
  }
}
