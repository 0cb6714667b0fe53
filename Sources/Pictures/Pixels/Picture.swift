/// A decoded picture: rows from top to bottom, three bytes (red, green, blue) per pixel.
public struct Picture: Sendable, Hashable {
  /// In pixels, at least 1.
  public let width: Int
  /// In pixels, at least 1.
  public let height: Int
  /// `3 * width * height` bytes.
  public let bytes: [UInt8]

  /// Pixels of a picture that is decoded; more give an error before memory is allocated for them.
  public static let pixelLimit = 16 << 20
  /// Bytes of a picture that is decoded.
  public static let byteLimit = 16 << 20

  /// A picture; `nil` unless the sizes are positive, within the limit and fit the number of bytes.
  public init?(width: Int, height: Int, bytes: [UInt8]) {
    guard let count = Self.pixelCount(width, height), bytes.count == 3 * count else { return nil }
    (self.width, self.height, self.bytes) = (width, height, bytes)
  }

  /// `nil` if a side is not positive, or the product exceeds the limit.
  static func pixelCount(_ width: Int, _ height: Int) -> Int? {
    guard width > 0, height > 0, width <= pixelLimit / height else { return nil }
    return width * height
  }
}

extension Picture {
  /// The picture with its longer side at most `side` pixels long, in the same proportions.
  public func reduced(toSide side: Int) -> Picture {
    let size = Self.reducedSize(width, height, toSide: side)
    return scaled(width: size.width, height: size.height)
  }

  static func reducedSize(_ width: Int, _ height: Int, toSide side: Int) -> (width: Int, height: Int) {
    let longer = max(width, height)
    return longer <= side ? (width, height) : (max(1, width * side / longer), max(1, height * side / longer))
  }

  /// The picture with each new pixel the average of the area that it covers: exact for every ratio. The sizes are at
  /// least 1 and within the limit.
  func scaled(width newWidth: Int, height newHeight: Int) -> Picture {
    let (newWidth, newHeight) = (max(1, newWidth), max(1, newHeight))
    guard (newWidth, newHeight) != (width, height) else { return self }
    let (columns, rows) = (Spans(from: width, to: newWidth), Spans(from: height, to: newHeight))
    let scaled = [UInt8](unsafeUninitializedCapacity: 3 * newWidth * newHeight) { target, count in
      // The rows that a new one covers become one row before its columns are added up: each pixel is multiplied once.
      var sums = [UInt32](repeating: 0, count: 3 * width)
      for row in 0..<newHeight {
        for index in sums.indices { sums[index] = 0 }
        for (sourceRow, weight) in rows[row] { add(sourceRow, times: UInt32(weight), to: &sums) }
        sums.withUnsafeBufferPointer { sums in
          for column in 0..<newWidth {
            var (red, green, blue) = (0, 0, 0)
            for (sourceColumn, weight) in columns[column] {
              red &+= weight &* Int(sums[3 * sourceColumn])
              green &+= weight &* Int(sums[3 * sourceColumn + 1])
              blue &+= weight &* Int(sums[3 * sourceColumn + 2])
            }
            // The weights of a row add up to its number of pixels, and so do those of a column.
            let (place, area) = (3 * (newWidth * row + column), width * height)
            target[place] = UInt8(truncatingIfNeeded: (red + area / 2) / area)
            target[place + 1] = UInt8(truncatingIfNeeded: (green + area / 2) / area)
            target[place + 2] = UInt8(truncatingIfNeeded: (blue + area / 2) / area)
          }
        }
      }
      count = 3 * newWidth * newHeight
    }
    return Picture(width: newWidth, height: newHeight, bytes: scaled) ?? self
  }

  /// The weights of all rows add up to the height, so that 32 bits are enough.
  private func add(_ row: Int, times weight: UInt32, to sums: inout [UInt32]) {
    bytes.withUnsafeBufferPointer { source in
      let source = source[(3 * width * row)..<(3 * width * (row + 1))]
      sums.withUnsafeMutableBufferPointer { sums in
        for (index, part) in zip(sums.indices, source) { sums[index] &+= weight &* UInt32(part) }
      }
    }
  }

  /// The old pixels that each new pixel covers along one side, with the covered lengths. On a common grid of
  /// `oldCount * count` steps, an old pixel has `count` steps and a new one `oldCount`.
  private struct Spans {
    let oldCount: Int
    let count: Int

    init(from oldCount: Int, to count: Int) { (self.oldCount, self.count) = (oldCount, count) }

    subscript(index: Int) -> some Sequence<(Int, Int)> {
      let (start, end) = (index * oldCount, (index + 1) * oldCount)
      return (start / count...(end - 1) / count).lazy.map { old in
        (old, Swift.min(end, (old + 1) * count) - Swift.max(start, old * count))
      }
    }
  }
}
