/// How the screen looks, with as many colours as there are; each style differs from its neighbours without any colour
/// too.
public struct Theme: Sendable, Hashable {
  /// The themes that come with the program.
  public enum Base: String, Sendable, Hashable, CaseIterable {
    /// The terminal's own palette, for dark and light backgrounds.
    case `default`
    case light, mono, solarized
    case highContrast = "high-contrast"
  }

  /// What it is made from.
  public var base: Base
  /// What looks otherwise.
  public var changes: [Style: Appearance]

  /// The one that the program starts with.
  public static let standard = Theme()

  /// A theme.
  public init(_ base: Base = .default, changes: [Style: Appearance] = [:]) {
    self.base = base
    self.changes = changes
  }

  /// How a style looks on a terminal with so many colours; 0 or 1 for none.
  public func appearance(of style: Style, colorCount: Int) -> Appearance {
    let hasColor = colorCount >= 8
    if let change = changes[style] { return hasColor ? change : Appearance(change.attributes) }
    guard hasColor else { return colorless(style) }
    return switch base {
    case .default: usual(style, colorCount: colorCount)
    case .mono: colorless(style)
    case .light: light(style)
    case .highContrast: highContrast(style)
    case .solarized: solarized(style)
    }
  }

  private func usual(_ style: Style, colorCount: Int) -> Appearance {
    switch style {
    // The head of the played line moves every second; with a style of its own it costs a third more bytes.
    case .plain, .played: Appearance()
    case .faint: colorCount >= 256 ? Appearance(foreground: 244) : Appearance(.dim)
    case .heading: Appearance([.bold, .underline])
    case .playing: Appearance(foreground: 6)
    case .selected: Appearance(.reverse)
    case .selectedPlaying: Appearance(.reverse, foreground: 6)
    case .selectedIdle: Appearance(.underline)
    case .failed: Appearance(foreground: 1)
    case .state: Appearance(.bold)
    case .notice: Appearance(.bold, foreground: 3)
    case .thumb: Appearance(.bold, foreground: 6)
    case .ghost: Appearance([.bold, .reverse], foreground: 6)
    }
  }

  private func colorless(_ style: Style) -> Appearance {
    switch style {
    case .plain, .played: Appearance()
    case .faint, .failed: Appearance(.dim)
    case .heading: Appearance([.bold, .underline])
    case .playing, .state, .thumb: Appearance(.bold)
    case .selected, .notice: Appearance(.reverse)
    case .selectedPlaying, .ghost: Appearance([.bold, .reverse])
    case .selectedIdle: Appearance(.underline)
    }
  }

  /// Darker colours, for light backgrounds.
  private func light(_ style: Style) -> Appearance {
    switch style {
    case .plain, .played: Appearance()
    case .faint: Appearance(foreground: Color(hex: 0x6c6c6c))
    case .heading: Appearance([.bold, .underline])
    case .playing: Appearance(.bold, foreground: Color(hex: 0x005faf))
    case .selected: Appearance(background: Color(hex: 0xd0d7e5))
    case .selectedPlaying: Appearance(.bold, foreground: Color(hex: 0x005faf), background: Color(hex: 0xd0d7e5))
    case .selectedIdle: Appearance(.underline)
    case .failed: Appearance(foreground: Color(hex: 0xaf0000))
    case .state: Appearance(.bold)
    case .notice: Appearance(.bold, foreground: Color(hex: 0x875f00))
    case .thumb: Appearance(.bold, foreground: Color(hex: 0x005faf))
    case .ghost: Appearance([.bold, .reverse], foreground: Color(hex: 0x005faf))
    }
  }

  /// Nothing pale, nothing without a strong difference from its background.
  private func highContrast(_ style: Style) -> Appearance {
    switch style {
    case .plain, .faint, .played: Appearance(foreground: 15, background: 0)
    case .heading: Appearance([.bold, .reverse], foreground: 15, background: 0)
    case .playing: Appearance(.bold, foreground: 11, background: 0)
    case .selected: Appearance(.bold, foreground: 0, background: 15)
    case .selectedPlaying: Appearance(.bold, foreground: 0, background: 11)
    case .selectedIdle: Appearance([.bold, .underline], foreground: 15, background: 0)
    case .failed: Appearance(.bold, foreground: 9, background: 0)
    case .state, .thumb: Appearance(.bold, foreground: 14, background: 0)
    case .notice, .ghost: Appearance(.bold, foreground: 0, background: 14)
    }
  }

  /// Ethan Schoonover's colours, on the terminal's own background.
  private func solarized(_ style: Style) -> Appearance {
    switch style {
    case .plain, .played: Appearance()
    case .faint: Appearance(foreground: Color(hex: 0x657b83))
    case .heading: Appearance([.bold, .underline], foreground: Color(hex: 0x268bd2))
    case .playing: Appearance(foreground: Color(hex: 0x2aa198))
    case .selected: Appearance(foreground: Color(hex: 0xfdf6e3), background: Color(hex: 0x268bd2))
    case .selectedPlaying: Appearance(.bold, foreground: Color(hex: 0xfdf6e3), background: Color(hex: 0x2aa198))
    case .selectedIdle: Appearance(.underline)
    case .failed: Appearance(foreground: Color(hex: 0xdc322f))
    case .state: Appearance(.bold, foreground: Color(hex: 0x859900))
    case .notice: Appearance(.bold, foreground: Color(hex: 0xb58900))
    case .thumb: Appearance(.bold, foreground: Color(hex: 0xcb4b16))
    case .ghost: Appearance([.bold, .reverse], foreground: Color(hex: 0xcb4b16))
    }
  }
}
