/// A look of the screen for any number of colours. Even without colours each style differs from its neighbours.
public struct Theme: Sendable, Hashable {
  /// The themes that come with the program.
  public enum Base: String, Sendable, Hashable, CaseIterable {
    /// Uses the terminal's own background, with colours to match it.
    case `default`
    /// Dark text on white, no colours, Ethan Schoonover's dark colours.
    case light, mono, solarized
    case highContrast = "high-contrast"
  }

  /// The built-in theme that it is based on.
  public var base: Base
  /// The styles that differ.
  public var changes: [Style: Appearance]

  /// The default theme.
  public static let standard = Theme()

  /// A theme.
  public init(_ base: Base = .default, changes: [Style: Appearance] = [:]) {
    self.base = base
    self.changes = changes
  }

  /// The look of a style on a terminal with that many colours; 0 or 1 for none. Text has a contrast of at least 4.5.
  ///
  /// - Parameter background: The terminal's own; the default theme alone depends on it.
  public func appearance(
    of style: Style, colorCount: Int, on background: Background = .unknown
  ) -> Appearance {
    let hasColor = colorCount >= 8
    if let change = changes[style] { return hasColor ? change : Appearance(change.attributes) }
    guard hasColor else { return colorless(style) }
    return switch base {
    case .default: usual(style, colorCount: colorCount, on: background)
    case .mono: colorless(style)
    case .light: light(style, colorCount: colorCount)
    case .highContrast: highContrast(style, colorCount: colorCount)
    case .solarized: solarized(style, colorCount: colorCount)
    }
  }

  /// The looks of all styles, in their order.
  public func appearances(colorCount: Int, on background: Background) -> [Appearance] {
    Style.allCases.map { appearance(of: $0, colorCount: colorCount, on: background) }
  }

  private func usual(_ style: Style, colorCount: Int, on background: Background) -> Appearance {
    guard let colors = UsualColors(colorCount: colorCount, on: background) else { return colorless(style) }
    return switch style {
    // The head of the played line moves every second; its own style would cost a third more bytes.
    case .plain, .played: Appearance()
    case .faint: Appearance(foreground: colors.faint)
    case .line: colorCount >= 256 ? Appearance(foreground: 243) : Appearance(.dim)
    case .heading: Appearance([.bold, .underline])
    case .playing: Appearance(foreground: colors.playing)
    case .selected: Appearance(.reverse)
    case .selectedPlaying: Appearance(.reverse, foreground: colors.playing)
    case .selectedIdle: Appearance(.underline)
    case .failed: colors.failed.map { Appearance(foreground: $0) } ?? Appearance(.underline)
    case .state: Appearance(.bold)
    case .notice: Appearance(.bold, foreground: colors.notice)
    case .thumb: Appearance(.bold, foreground: colors.playing)
    case .ghost: Appearance([.bold, .reverse], foreground: colors.playing)
    }
  }

  private func colorless(_ style: Style) -> Appearance {
    switch style {
    // Terminals differ in the look of dim text, which may be unreadable.
    case .plain, .faint, .played: Appearance()
    case .line: Appearance(.dim)
    case .heading: Appearance([.bold, .underline])
    case .playing, .state, .thumb: Appearance(.bold)
    case .selected, .notice: Appearance(.reverse)
    case .selectedPlaying, .ghost: Appearance([.bold, .reverse])
    case .selectedIdle, .failed: Appearance(.underline)
    }
  }

  /// Dark on white, whatever the terminal's own background.
  private func light(_ style: Style, colorCount: Int) -> Appearance {
    let look = { (attributes: Appearance.Attributes, foreground: UInt32, background: UInt32) in
      Appearance(attributes, foreground: Color(hex: foreground), background: Color(hex: background))
    }
    let (text, paper, selection, blue) = (UInt32(0x1c1c1c), UInt32(0xffffff), UInt32(0xd0d7e5), UInt32(0x00509a))
    return switch style {
    case .plain, .played: look([], text, paper)
    // None of the sixteen colours is a suitable grey.
    case .faint: look([], colorCount >= 256 ? 0x5f5f5f : text, paper)
    case .line: look([], colorCount >= 16 ? 0x808080 : text, paper)
    case .heading: look([.bold, .underline], text, paper)
    case .playing, .thumb: look(.bold, blue, paper)
    case .selected: look([], text, selection)
    case .selectedPlaying: look(.bold, blue, selection)
    case .selectedIdle: look(.underline, text, paper)
    case .failed: look([], 0xaf0000, paper)
    case .state: look(.bold, text, paper)
    case .notice: look(.bold, 0x875f00, paper)
    case .ghost: look([.bold, .reverse], blue, paper)
    }
  }

  /// High contrast: nothing dim.
  private func highContrast(_ style: Style, colorCount: Int) -> Appearance {
    switch style {
    case .plain, .faint, .line, .played: Appearance(foreground: 15, background: 0)
    case .heading: Appearance([.bold, .reverse], foreground: 15, background: 0)
    case .playing: Appearance(.bold, foreground: 11, background: 0)
    case .selected: Appearance(.bold, foreground: 0, background: 15)
    case .selectedPlaying: Appearance(.bold, foreground: 0, background: 11)
    case .selectedIdle: Appearance([.bold, .underline], foreground: 15, background: 0)
    case .failed where colorCount < 16: Appearance([.bold, .reverse], foreground: 15, background: 0)
    case .failed: Appearance(.bold, foreground: 9, background: 0)
    case .state, .thumb: Appearance(.bold, foreground: 14, background: 0)
    case .notice, .ghost: Appearance(.bold, foreground: 0, background: 14)
    }
  }

  /// Ethan Schoonover's dark colours, the weaker accents raised until they can be read.
  private func solarized(_ style: Style, colorCount: Int) -> Appearance {
    let look = { (attributes: Appearance.Attributes, foreground: UInt32, background: UInt32) in
      Appearance(attributes, foreground: Color(hex: foreground), background: Color(hex: background))
    }
    let (text, paper, cyan, orange) = (UInt32(0x93a1a1), UInt32(0x002b36), UInt32(0x2aa198), UInt32(0xe8743f))
    return switch style {
    case .plain, .played: look([], text, paper)
    case .faint: look([], 0x839496, paper)
    case .line: look([], 0x657b83, paper)
    case .heading: look([.bold, .underline], 0x3b9ee0, paper)
    case .playing: look([], cyan, paper)
    case .selected: look([], paper, text)
    case .selectedPlaying: look(.bold, paper, cyan)
    case .selectedIdle: look(.underline, text, paper)
    case .failed where colorCount < 16: look(.underline, text, paper)
    case .failed: look([], 0xf5655d, paper)
    case .state: look(.bold, 0x8fa800, paper)
    case .notice: look(.bold, 0xb58900, paper)
    case .thumb: look(.bold, orange, paper)
    case .ghost: look([.bold, .reverse], orange, paper)
    }
  }
}

/// The colours of the default theme. The first sixteen are the terminal's own; if its background is unknown, only the
/// palette has colours that are readable on black and on white.
private struct UsualColors {
  var faint, playing, failed: Color?
  var notice: Color

  init?(colorCount: Int, on background: Background) {
    let hasPalette = colorCount >= 256
    switch background {
    case .dark:
      (faint, playing, failed, notice) = (hasPalette ? 246 : nil, 6, colorCount >= 16 ? 9 : nil, 3)
    case .light:
      (faint, playing, failed, notice) = (hasPalette ? 241 : nil, 4, 1, hasPalette ? 130 : 5)
    case .unknown:
      guard hasPalette else { return nil }
      (faint, playing, failed, notice) = (243, 29, 131, 163)
    }
  }
}
