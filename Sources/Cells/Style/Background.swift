/// The default background of a terminal.
public enum Background: Sendable, Hashable, CaseIterable {
  case dark, light
  /// The terminal does not report it.
  case unknown

  /// From the variable `COLORFGBG`, which some terminals set: `0;15`, `15;default;0`. The last number is the
  /// background, of the palette's first sixteen colours.
  public init(variable text: String) {
    switch text.split(separator: ";").last.flatMap({ Int($0) }) ?? -1 {
    case 7, 9...15: self = .light
    case 0...6, 8: self = .dark
    default: self = .unknown
    }
  }

  /// From a terminal's answer to OSC 11, without its frame: `11;rgb:ffff/ffff/dddd`, one to four digits each; `rgba:`
  /// has a fourth part. `nil` if it is something else.
  init?(reply: some Collection<UInt8>) {
    let text = String(decoding: reply, as: UTF8.self)
    guard let color = ["11;rgb:", "11;rgba:"].first(where: text.hasPrefix).map({ text.dropFirst($0.count) }) else {
      return nil
    }
    let fields = color.split(separator: "/", omittingEmptySubsequences: false)
    let parts = fields.prefix(3).compactMap { digits -> Double? in
      guard 1...4 ~= digits.count, let number = UInt32(digits, radix: 16) else { return nil }
      return Double(number) / Double((1 << (4 * digits.count)) - 1)
    }
    guard parts.count == 3 else { return nil }
    // At this luminance black and white text have the same contrast.
    self = relativeLuminance(red: parts[0], green: parts[1], blue: parts[2]) > 0.179 ? .light : .dark
  }
}

/// The relative luminance of an sRGB colour by WCAG 2.2, from 0 to 1; parts from 0 to 1.
private func relativeLuminance(red: Double, green: Double, blue: Double) -> Double {
  // An approximation of the power of 2.4 and its linear part, without a library for powers.
  let linear = { (part: Double) in part * (part * (part * 0.305306011 + 0.682171111) + 0.012522878) }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}
