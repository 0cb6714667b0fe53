public import Pictures

/// A look of the screen for any number of colours. Even without colours each style differs from its neighbours.
public struct Theme: Sendable, Hashable {
  /// The themes that come with the program.
  public enum Base: String, Sendable, Hashable, CaseIterable {
    /// Uses the terminal's own background, with colours to match it, and the accent of the cover of the current track.
    case `default`
    /// Dark text on white; no colours.
    case light, mono
    /// Well-known colour schemes of editors and terminals.
    case solarized, gruvbox, nord, catppuccin, dracula
    /// Bright text on black, for low vision.
    case highContrast = "high-contrast"
    /// A dark background of the hue of the cover, too; without a cover, or with few colours, the default theme.
    case cover
  }

  /// The built-in theme that it is based on.
  public var base: Base
  /// The styles that differ.
  public var changes: [Style: Appearance]
  /// The colours of the cover of the current track, for these two themes.
  public var cover: PictureColors?

  public static let standard = Theme()

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
    appearance(of: style, colorCount: colorCount, look(colorCount: colorCount, on: background))
  }

  /// The looks of all styles, in their order.
  public func appearances(colorCount: Int, on background: Background) -> [Appearance] {
    let look = look(colorCount: colorCount, on: background)
    return Style.allCases.map { appearance(of: $0, colorCount: colorCount, look) }
  }

  private func appearance(of style: Style, colorCount: Int, _ look: (Style) -> Appearance) -> Appearance {
    guard let change = changes[style] else { return look(style) }
    return colorCount >= 8 ? change : Appearance(change.attributes)
  }

  /// The looks without the changes. What they share is computed once: a start waits for it.
  private func look(colorCount: Int, on background: Background) -> (Style) -> Appearance {
    guard colorCount >= 8 else { return colorless }
    switch base {
    case .default: return usual(colorCount: colorCount, on: background)
    case .mono: return colorless
    case .light: return { light($0, colorCount: colorCount) }
    case .highContrast: return { highContrast($0, colorCount: colorCount) }
    case .solarized: return schemed(.solarized, colorCount: colorCount)
    case .gruvbox: return schemed(.gruvbox, colorCount: colorCount)
    case .nord: return schemed(.nord, colorCount: colorCount)
    case .catppuccin: return schemed(.catppuccin, colorCount: colorCount)
    case .dracula: return schemed(.dracula, colorCount: colorCount)
    case .cover:
      guard let cover, colorCount >= 256 else { return usual(colorCount: colorCount, on: background) }
      return schemed(ColorScheme(cover, colorCount: colorCount), colorCount: colorCount)
    }
  }

  private func usual(colorCount: Int, on background: Background) -> (Style) -> Appearance {
    guard var colors = UsualColors(colorCount: colorCount, on: background) else { return colorless }
    var selection: SelectionTint?
    if colorCount >= 256 {
      let own = cover.flatMap { OwnAccent($0.accent, colorCount: colorCount, on: background) }
      if let own { colors.playing = own.accent }
      selection = (own ?? OwnAccent(UsualColors.accent, colorCount: colorCount, on: background))?.selection
    }
    return { [colors, selection] style in usual(style, colors, selection, hasPalette: colorCount >= 256) }
  }

  private func usual(
    _ style: Style, _ colors: UsualColors, _ selection: SelectionTint?, hasPalette: Bool
  ) -> Appearance {
    switch style {
    // The head of the played line moves every second; its own style would cost a third more bytes.
    case .plain, .played: Appearance()
    case .faint: Appearance(foreground: colors.faint)
    case .line: hasPalette ? Appearance(foreground: 243) : Appearance(.dim)
    case .heading: hasPalette ? Appearance(.bold, foreground: colors.playing) : Appearance([.bold, .underline])
    case .playing: Appearance(foreground: colors.playing)
    case .selected: selection.map { Appearance(foreground: $0.text, background: $0.background) } ?? Appearance(.reverse)
    case .selectedPlaying:
      selection.map { Appearance(.bold, foreground: $0.accent, background: $0.background) }
        ?? Appearance(.reverse, foreground: colors.playing)
    case .selectedIdle: Appearance(.underline)
    case .failed: colors.failed.map { Appearance(foreground: $0) } ?? Appearance(.underline)
    case .state: Appearance(.bold)
    case .notice: Appearance(.bold, foreground: colors.notice)
    case .thumb: Appearance(.bold, foreground: colors.playing)
    case .ghost: Appearance([.bold, .reverse], foreground: colors.playing)
    case .sung: Appearance(.bold, foreground: colors.playing)
    case .fading: Appearance(foreground: colors.fading)
    case .faded: colors.faint.map { Appearance(foreground: $0) } ?? Appearance(.dim)
    }
  }

  private func colorless(_ style: Style) -> Appearance {
    switch style {
    // Terminals differ in the look of dim text, which may be unreadable.
    case .plain, .faint, .played, .fading: Appearance()
    case .line, .faded: Appearance(.dim)
    case .heading: Appearance([.bold, .underline])
    case .playing, .state, .thumb, .sung: Appearance(.bold)
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
    case .playing, .thumb, .sung: look(.bold, blue, paper)
    case .fading: look([], colorCount >= 256 ? 0x444444 : text, paper)
    case .faded: look([], colorCount >= 256 ? 0x6c6c6c : text, paper)
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
    case .plain, .faint, .line, .played, .fading, .faded: Appearance(foreground: 15, background: 0)
    case .heading: Appearance([.bold, .reverse], foreground: 15, background: 0)
    case .playing, .sung: Appearance(.bold, foreground: 11, background: 0)
    case .selected: Appearance(.bold, foreground: 0, background: 15)
    case .selectedPlaying: Appearance(.bold, foreground: 0, background: 11)
    case .selectedIdle: Appearance([.bold, .underline], foreground: 15, background: 0)
    case .failed where colorCount < 16: Appearance([.bold, .reverse], foreground: 15, background: 0)
    case .failed: Appearance(.bold, foreground: 9, background: 0)
    case .state, .thumb: Appearance(.bold, foreground: 14, background: 0)
    case .notice, .ghost: Appearance(.bold, foreground: 0, background: 14)
    }
  }

  /// The colours of a scheme on its own background.
  private func schemed(_ scheme: ColorScheme, colorCount: Int) -> (Style) -> Appearance {
    let tint = colorCount >= 256 ? SelectionTint(scheme, colorCount: colorCount) : nil
    return { schemed($0, scheme, tint, colorCount: colorCount) }
  }

  private func schemed(
    _ style: Style, _ scheme: ColorScheme, _ tint: SelectionTint?, colorCount: Int
  ) -> Appearance {
    let look = { (attributes: Appearance.Attributes, foreground: Color, background: Color) in
      Appearance(attributes, foreground: foreground, background: background)
    }
    let (text, paper) = (scheme.text, scheme.paper)
    return switch style {
    case .plain: look([], text, paper)
    case .played: look([], scheme.played, paper)
    case .faint, .faded: look([], scheme.faint, paper)
    case .fading: look([], scheme.fading(colorCount: colorCount), paper)
    case .line: look([], scheme.line, paper)
    case .heading: look([.bold, .underline], scheme.heading, paper)
    case .playing: look([], scheme.playing, paper)
    case .selected: tint.map { look([], $0.text, $0.background) } ?? look([], paper, scheme.selected)
    case .selectedPlaying: tint.map { look(.bold, $0.accent, $0.background) } ?? look(.bold, paper, scheme.playing)
    case .selectedIdle: look(.underline, text, paper)
    // Of eight colours, no red can be read on black.
    case .failed where colorCount < 16: look(.underline, text, paper)
    case .failed: look([], scheme.failed, paper)
    case .state: look(.bold, scheme.state, paper)
    case .notice: look(.bold, scheme.notice, paper)
    case .thumb: look(.bold, scheme.thumb, paper)
    case .ghost: look([.bold, .reverse], scheme.thumb, paper)
    case .sung: look(.bold, scheme.playing, paper)
    }
  }
}

// Colours of the schemes that are too weak to be read are raised.
extension ColorScheme {
  /// Ethan Schoonover's dark colours.
  fileprivate static let solarized = ColorScheme(
    paper: 0x002b36, text: 0x93a1a1, faint: 0x839496, line: 0x657b83, heading: 0x3b9ee0, playing: 0x2aa198,
    failed: 0xf5655d, state: 0x8fa800, notice: 0xb58900, thumb: 0xe8743f)
  /// Pavel Pertsev's dark colours.
  fileprivate static let gruvbox = ColorScheme(
    paper: 0x282828, text: 0xebdbb2, faint: 0xa89984, line: 0x8a7d72, heading: 0x83a598, playing: 0x8ec07c,
    failed: 0xff6a58, state: 0xb8bb26, notice: 0xfabd2f, thumb: 0xfe8019)
  /// Sven Greb's.
  fileprivate static let nord = ColorScheme(
    paper: 0x2e3440, text: 0xd8dee9, faint: 0xa3adbf, line: 0x7b88a1, heading: 0x88c0d0, playing: 0x8fbcbb,
    failed: 0xf0a0a8, state: 0xa3be8c, notice: 0xebcb8b, thumb: 0xe2a283)
  /// The dark one of four, Mocha.
  fileprivate static let catppuccin = ColorScheme(
    paper: 0x1e1e2e, text: 0xcdd6f4, faint: 0xa6adc8, line: 0x6c7086, heading: 0x89b4fa, playing: 0x94e2d5,
    failed: 0xf38ba8, state: 0xa6e3a1, notice: 0xf9e2af, thumb: 0xfab387)
  /// Zeno Rocha's.
  fileprivate static let dracula = ColorScheme(
    paper: 0x282a36, text: 0xf8f8f2, faint: 0xa5add0, line: 0x7482b4, heading: 0xbd93f9, playing: 0x8be9fd,
    failed: 0xff8080, state: 0x50fa7b, notice: 0xf1fa8c, thumb: 0xffb86c)
}

/// The colours of the default theme. The first sixteen are the terminal's own; if its background is unknown, only the
/// palette has colours that are readable on black and on white.
private struct UsualColors {
  /// The accent of a track without a cover: colour 29.
  static let accent = PictureColor(red: 0, green: 135, blue: 95)

  var faint, playing, failed: Color?
  /// Between text and `faint`.
  var fading: Color?
  var notice: Color

  init?(colorCount: Int, on background: Background) {
    let hasPalette = colorCount >= 256
    switch background {
    case .dark:
      (faint, playing, failed, notice) = (hasPalette ? 246 : nil, 6, colorCount >= 16 ? 9 : nil, 3)
      fading = hasPalette ? 250 : nil
    case .light:
      (faint, playing, failed, notice) = (hasPalette ? 241 : nil, 4, 1, hasPalette ? 130 : 4)
      fading = hasPalette ? 238 : nil
    case .unknown:
      guard hasPalette else { return nil }
      (faint, playing, failed, notice) = (243, 29, 131, 29)
    }
  }
}
