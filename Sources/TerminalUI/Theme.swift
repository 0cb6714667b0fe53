/// How a style looks.
public struct Appearance: Sendable, Hashable {
  /// What a terminal can do to a letter.
  public struct Attributes: OptionSet, Sendable, Hashable {
    /// Our own numbers.
    public let rawValue: UInt8
    /// From our own numbers.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Heavier.
    public static let bold = Attributes(rawValue: 1)
    /// Paler.
    public static let dim = Attributes(rawValue: 2)
    /// With a line under it.
    public static let underline = Attributes(rawValue: 4)
    /// Foreground and background changed.
    public static let reverse = Attributes(rawValue: 8)
  }

  /// Number of a colour in the terminal's palette; `nil` is the terminal's own.
  public var foreground: UInt8?
  /// As `foreground`.
  public var background: UInt8?
  /// What else.
  public var attributes: Attributes

  /// An appearance; what is left out is the terminal's own.
  public init(_ attributes: Attributes = [], foreground: UInt8? = nil, background: UInt8? = nil) {
    self.attributes = attributes
    self.foreground = foreground
    self.background = background
  }
}

/// How the screen looks, with as many colours as there are. The defaults use the terminal's own palette, so that they
/// suit dark and light backgrounds; each style differs from its neighbours without any colour too.
public struct Theme: Sendable {
  /// The one that comes with the program.
  public static let standard = Theme()

  /// How a style looks on a terminal with so many colours; 0 or 1 for none.
  public func appearance(of style: Style, colorCount: Int) -> Appearance {
    let hasColor = colorCount >= 8
    let accent: UInt8? = hasColor ? 6 : nil
    return switch style {
    // The head of the played line moves every second; without colour it costs a third of the bytes.
    case .plain, .played: Appearance()
    case .faint: colorCount >= 256 ? Appearance(foreground: 244) : Appearance(.dim)
    case .heading: Appearance([.bold, .underline])
    case .playing: hasColor ? Appearance(foreground: accent) : Appearance(.bold)
    case .selected: Appearance(.reverse)
    case .selectedPlaying: Appearance(hasColor ? .reverse : [.reverse, .bold], foreground: accent)
    case .selectedIdle: Appearance(.underline)
    case .failed: hasColor ? Appearance(foreground: 1) : Appearance(.dim)
    case .state: Appearance(.bold)
    case .notice: hasColor ? Appearance(.bold, foreground: 3) : Appearance(.reverse)
    case .thumb: Appearance(.bold, foreground: accent)
    case .ghost: Appearance([.bold, .reverse], foreground: accent)
    }
  }
}
