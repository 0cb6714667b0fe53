extension Picture {
  /// The picture in another size, with at most 256 colours, in DEC's sixel format: bands of six rows, and in each of
  /// them for each colour a character per column (xterm, ctlseqs, "Sixel Graphics").
  ///
  /// The height is rounded down to whole bands, since terminals may scroll for the rest of one.
  public func sixels(width: Int, height: Int) -> [UInt8] {
    let picture = scaled(width: min(width, Self.sixelSide), height: max(6, min(height, Self.sixelSide) / 6 * 6))
    let palette = Palette(of: picture)
    var bytes = Array("\u{1b}P0;1q\"1;1;\(picture.width);\(picture.height)".utf8)
    for (index, color) in palette.colors.enumerated() {
      let parts = [color.red, color.green, color.blue].map { (Int($0) * 100 + 127) / 255 }
      bytes += "#\(index);2;\(parts[0]);\(parts[1]);\(parts[2])".utf8
    }
    var band = SixelBand(width: picture.width)
    for row in stride(from: 0, to: picture.height, by: 6) {
      if row > 0 { bytes.append(UInt8(ascii: "-")) }
      band.fill(palette.indices[row * picture.width..<min(row + 6, picture.height) * picture.width])
      band.write(to: &bytes)
    }
    bytes += "\u{1b}\\".utf8
    return bytes
  }

  /// Beyond the screens of this world; the product stays within `pixelLimit`.
  private static let sixelSide = 4096
}

/// Six rows of pixels.
private struct SixelBand {
  let width: Int
  /// For each colour a bit per row in each column.
  private var masks: [UInt8]
  /// The columns of each colour, in the order in which the colours appear.
  private var columns: [Range<Int>]
  private var colors: [Int] = []

  init(width: Int) {
    self.width = width
    masks = Array(repeating: 0, count: Palette.limit * width)
    columns = Array(repeating: 0..<0, count: Palette.limit)
  }

  mutating func fill(_ indices: ArraySlice<UInt8>) {
    for (pixel, index) in indices.enumerated() {
      let (color, column) = (Int(index), pixel % width)
      if columns[color].isEmpty {
        colors.append(color)
        columns[color] = column..<column + 1
      } else {
        columns[color] = min(columns[color].lowerBound, column)..<max(columns[color].upperBound, column + 1)
      }
      masks[color * width + column] |= 1 << (pixel / width)
    }
  }

  /// Writes all colours, each from the start of the line, and empties the band.
  mutating func write(to bytes: inout [UInt8]) {
    for (index, color) in colors.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "$")) }
      bytes += "#\(color)".utf8
      Self.write(0, count: columns[color].lowerBound, to: &bytes)
      let places = columns[color].lowerBound + color * width..<columns[color].upperBound + color * width
      var start = places.lowerBound
      while start < places.upperBound {
        let mask = masks[start]
        let end = masks[start..<places.upperBound].firstIndex { $0 != mask } ?? places.upperBound
        Self.write(mask, count: end - start, to: &bytes)
        for place in start..<end { masks[place] = 0 }
        start = end
      }
      columns[color] = 0..<0
    }
    colors.removeAll(keepingCapacity: true)
  }

  private static func write(_ mask: UInt8, count: Int, to bytes: inout [UInt8]) {
    let character = 63 + mask
    if count > 3 { bytes += "!\(count)".utf8 }
    for _ in 0..<(count > 3 ? 1 : count) { bytes.append(character) }
  }
}
