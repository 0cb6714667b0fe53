internal import Glibc

/// The colours that give a picture its character.
public struct PictureColors: Sendable, Hashable {
  public var average: PictureColor
  /// The most striking colour, and the most striking one that is far from it; grey if the picture has no other.
  public var accent, secondAccent: PictureColor

  public init(average: PictureColor, accent: PictureColor, secondAccent: PictureColor) {
    (self.average, self.accent, self.secondAccent) = (average, accent, secondAccent)
  }

  /// The sides of the picture in pixels are reduced to this number: small parts are no character.
  private static let side = 64
  /// Colours among which the accents are chosen.
  private static let candidateCount = 24

  /// The colours of a picture. Takes about a millisecond.
  public init(of picture: Picture) {
    let small = picture.reduced(toSide: Self.side)
    let palette = Palette(of: small, limit: Self.candidateCount)
    var counts = [Int](repeating: 0, count: palette.colors.count)
    for index in palette.indices { counts[Int(index)] += 1 }
    let pixel = small.scaled(width: 1, height: 1).bytes
    average = PictureColor(red: pixel[0], green: pixel[1], blue: pixel[2])
    // A large grey area is less striking than a small colourful one.
    let ranked = palette.colors.indices.map { (color: palette.colors[$0], weight: counts[$0]) }
      .map { ($0.color, weight: $0.weight * ($0.color.chroma * $0.color.chroma + 16)) }
      .sorted { $0.weight > $1.weight }.map(\.0)
    let first = ranked.first ?? average
    accent = first
    secondAccent = ranked.first { $0.distance(to: first) > 96 } ?? first
  }
}

extension PictureColor {
  /// The difference between the strongest and the weakest part.
  fileprivate var chroma: Int { Int(max(red, green, blue)) - Int(min(red, green, blue)) }

  /// The sum of the differences of the parts.
  func distance(to other: PictureColor) -> Int {
    abs(Int(red) - Int(other.red)) + abs(Int(green) - Int(other.green)) + abs(Int(blue) - Int(other.blue))
  }

  /// The contrast of text in this colour on another, 1...21 (WCAG 2.2, "contrast ratio").
  public func contrast(with other: PictureColor) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  /// 0...1 (WCAG 2.2, "relative luminance").
  private var luminance: Double {
    let linear = { (part: UInt8) in
      let value = Double(part) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// A mixture with another colour, of which it takes `share`, 0...1.
  public func mixed(with other: PictureColor, share: Double) -> PictureColor {
    let part = { (one: UInt8, two: UInt8) in
      UInt8(clamping: Int((Double(one) + (Double(two) - Double(one)) * share).rounded()))
    }
    return PictureColor(
      red: part(red, other.red), green: part(green, other.green), blue: part(blue, other.blue))
  }
}
