/// A colour of a terminal.
public enum PictureColor: Sendable, Hashable {
  /// Red, green, blue.
  case rgb(UInt8, UInt8, UInt8)
  /// A colour of the terminal's palette.
  case indexed(UInt8)
}

/// The colours that a terminal has.
public enum ColorDepth: Sendable, Hashable, CaseIterable {
  case trueColor, palette256, palette16

  /// The nearest colour that the terminal has.
  func color(_ red: Int, _ green: Int, _ blue: Int) -> PictureColor {
    switch self {
    case .trueColor: .rgb(UInt8(clamping: red), UInt8(clamping: green), UInt8(clamping: blue))
    case .palette256: Self.nearest(red, green, blue, Self.fixed, from: 16)
    case .palette16: Self.nearest(red, green, blue, Self.basic, from: 0)
    }
  }

  private typealias RGB = (red: Int, green: Int, blue: Int)

  private static func nearest(_ red: Int, _ green: Int, _ blue: Int, _ palette: [RGB], from first: Int) -> PictureColor
  {
    func distance(_ color: RGB) -> Int {
      let (red, green, blue) = (color.red - red, color.green - green, color.blue - blue)
      return red * red + green * green + blue * blue
    }
    let index = palette.indices.min { distance(palette[$0]) < distance(palette[$1]) } ?? 0
    return .indexed(UInt8(clamping: first + index))
  }

  /// Colours 16 to 255 of xterm, which users do not change: a cube of six levels, and greys.
  private static let fixed: [RGB] = {
    let levels = [0, 95, 135, 175, 215, 255]
    let cube: [RGB] = (0..<216).map { (levels[$0 / 36], levels[$0 / 6 % 6], levels[$0 % 6]) }
    let greys: [RGB] = stride(from: 8, through: 238, by: 10).map { ($0, $0, $0) }
    return cube + greys
  }()

  /// Colours 0 to 15 as xterm has them; themes move them a little.
  private static let basic: [RGB] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255),
    (255, 255, 255),
  ]
}
