/// A colour of the terminal's palette, or an RGB colour.
public enum Color: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// A number in the palette; the terminal's settings define the first sixteen.
  case palette(UInt8)
  case rgb(red: UInt8, green: UInt8, blue: UInt8)

  public init(integerLiteral number: UInt8) { self = .palette(number) }

  /// `0xRRGGBB`.
  init(hex hexadecimal: UInt32) {
    let part = { (shift: UInt32) in UInt8(truncatingIfNeeded: hexadecimal >> shift) }
    self = .rgb(red: part(16), green: part(8), blue: part(0))
  }

  private static let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

  /// Reads `12`, `red`, `bright-red` or `#dc322f`; `nil` for any other text.
  public init?(parsing text: String) {
    let (isBright, name) = text.hasPrefix("bright-") ? (true, String(text.dropFirst(7))) : (false, text)
    if let number = Self.names.firstIndex(of: name) {
      self = .palette(UInt8(number + (isBright ? 8 : 0)))
    } else if let number = UInt8(text) {
      self = .palette(number)
    } else if text.first == "#", text.count == 7, let number = UInt32(text.dropFirst(), radix: 16) {
      self.init(hex: number)
    } else {
      return nil
    }
  }

  /// The text that `init(parsing:)` reads.
  public var description: String {
    switch self {
    case .palette(let number): return String(number)
    case .rgb(let red, let green, let blue):
      let digits = String(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), radix: 16)
      return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
  }

  /// The number of the closest colour on a terminal with that many colours: 8, 16, 256, or 1 << 24 and more, where all
  /// numbers except the first eight are red, green and blue.
  public func number(colorCount: Int) -> Int32 {
    switch self {
    case .palette(let number) where number < 8 || Int(number) < colorCount && colorCount < 1 << 24: Int32(number)
    case _ where colorCount >= 1 << 24:
      // No blue is so dark that it has a number of the palette.
      max(8, Int32(components.red) << 16 | Int32(components.green) << 8 | Int32(components.blue))
    case _ where colorCount >= 256: closestBeyond16
    case _ where colorCount >= 16: closest(among: 0...15)
    default: closest(among: 0...7)
    }
  }

  /// The nearest of the colours 16 to 255: a cube of six levels, and greys. Of equals the first. A look compares hundreds.
  private var closestBeyond16: Int32 {
    let (red, green, blue) = components
    /// The nearest level of the cube (0, 95, 135, ... 255), and the square of the distance.
    func level(_ part: UInt8) -> (number: Int, distance: Int) {
      let number = part <= 47 ? 0 : part <= 115 ? 1 : (Int(part) - 36) / 40
      return (number, square(part, number == 0 ? 0 : 55 + number * 40))
    }
    let levels = (level(red), level(green), level(blue))
    var closest = 16 + levels.0.number * 36 + levels.1.number * 6 + levels.2.number
    var least = levels.0.distance + levels.1.distance + levels.2.distance
    for grey in 0..<24 {
      let value = 8 + grey * 10
      let distance = square(red, value) + square(green, value) + square(blue, value)
      if distance < least { (closest, least) = (232 + grey, distance) }
    }
    return Int32(closest)
  }

  private func closest(among numbers: ClosedRange<UInt8>) -> Int32 {
    let wanted = components
    let distance = { (number: UInt8) -> Int in
      let other = Color.palette(number).components
      return square(wanted.red, Int(other.red)) + square(wanted.green, Int(other.green))
        + square(wanted.blue, Int(other.blue))
    }
    return Int32(numbers.min { distance($0) < distance($1) } ?? numbers.lowerBound)
  }

  /// Red, green and blue; for the palette, the values of xterm.
  var components: (red: UInt8, green: UInt8, blue: UInt8) {
    switch self {
    case .rgb(let red, let green, let blue): return (red, green, blue)
    case .palette(let number) where number < 16:
      let full: UInt8 = number < 8 ? 205 : 255
      let part = { (bit: UInt8) in number & bit != 0 ? full : number == 8 ? 127 : 0 }
      return number == 7 ? (229, 229, 229) : (part(1), part(2), part(4))
    case .palette(let number) where number < 232:
      let part = { (weight: UInt8) -> UInt8 in
        let level = (number - 16) / weight % 6
        return level == 0 ? 0 : 55 + level * 40
      }
      return (part(36), part(6), part(1))
    case .palette(let number):
      let grey = 8 + (number - 232) * 10
      return (grey, grey, grey)
    }
  }
}

private func square(_ part: UInt8, _ other: Int) -> Int { (Int(part) - other) * (Int(part) - other) }
