internal import CNCurses
internal import Glibc
internal import Pictures
public import Cells

public struct TerminalLook: Sendable, Hashable {
  public var theme: Theme
  /// The highest number of colours to use. `nil`: all, or none if `NO_COLOR` is set and not empty.
  public var colorLimit: Int?
  public var cover: CoverStyle

  public init(theme: Theme = .standard, colorLimit: Int? = nil, cover: CoverStyle = .auto) {
    (self.theme, self.colorLimit, self.cover) = (theme, colorLimit, cover)
  }
}

/// A look in the terms of ncurses and of this terminal.
struct PreparedLook {
  let look: TerminalLook
  /// The terminal's background, if it is known.
  var background: Background
  /// The ncurses attributes of each style, by its number.
  let attributes: [(attr_t, pair: CShort)]
  /// The colours that may be used. To ask ncurses for them makes it write its attributes anew.
  let colors: TerminalColors
  let encoder: GridEncoder?

  init(
    _ look: TerminalLook, on background: Background, _ colors: TerminalColors, _ attributes: [(attr_t, pair: CShort)]
  ) {
    (self.look, self.background, self.colors, self.attributes) = (look, background, colors, attributes)
    // The first sequence also undoes the attributes that ncurses believes to be set.
    _ = sequence(of: (0, 0))
    encoder = GridEncoder(clearsToPlain: sequence(of: attributes[Int(Style.plain.rawValue)]).isEmpty)
    _ = sequence(of: (0, 0))
  }

  /// True if the styles look different on another background.
  func differs(on other: Background) -> Bool {
    look.theme.appearances(colorCount: 256, on: other) != look.theme.appearances(colorCount: 256, on: background)
  }
}

/// The ncurses attributes of each style, by its number.
func prepareAttributes(
  _ look: TerminalLook, on background: Background, _ colors: TerminalColors
) -> [(attr_t, pair: CShort)] {
  zip(Style.allCases, look.theme.appearances(colorCount: colors.count, on: background)).map { style, look in
    let bits: [(Appearance.Attributes, attr_t)] = [
      (.bold, NC_BOLD), (.dim, NC_DIM), (.underline, NC_UNDERLINE), (.reverse, NC_REVERSE),
    ]
    let attributes = bits.reduce(attr_t(0)) { look.attributes.contains($1.0) ? $0 | $1.1 : $0 }
    guard colors.count > 0, look.foreground != nil || look.background != nil else { return (attributes, 0) }
    let pair = CShort(style.rawValue) + 1
    let number = { (color: Color?) in color.map(colors.number) ?? -1 }
    colors.define(pair, number(look.foreground), number(look.background))
    return (attributes, pair)
  }
}

/// The colours of the terminal that may be used. ncurses must have set up the terminal.
struct TerminalColors {
  /// 0 without colours.
  let count: Int
  /// True if the terminal is known to show any RGB colour.
  let hasTrueColor: Bool
  /// True if numbers are red, green and blue.
  private let isDirect: Bool

  /// - Parameters:
  ///   - limit: As in `TerminalLook`.
  ///   - hasTrueColor: True if the terminal is known to show any RGB colour.
  init(limit: Int?, hasTrueColor: Bool) {
    self.hasTrueColor = hasTrueColor
    let limit = limit ?? (environment("NO_COLOR").isEmpty ? .max : 0)
    let hasColor = limit > 0 && has_colors() && start_color() == OK && use_default_colors() == OK
    // A limit does not change the meaning of the terminal's colour numbers.
    let isNamed = limit >= 1 << 24 && hasTrueColor && TrueColorPairs.isPossible
    isDirect = hasColor && (isNamed || nc_colors() >= 1 << 24)
    count = hasColor ? min(isNamed ? 1 << 24 : Int(nc_colors()), limit) : 0
  }

  /// Makes a pair of two numbers of colours; -1 is the terminal's own.
  func define(_ pair: CShort, _ foreground: CInt, _ background: CInt) {
    if isDirect, nc_colors() < 1 << 24 {
      trueColorPairs.define(pair, foreground, background)
    } else {
      init_extended_pair(CInt(pair), foreground, background)
    }
  }

  /// The colour that is shown for one of a picture; `nil` if each is shown as it is.
  var nearest: ((PictureColor) -> PictureColor)? {
    let count = count
    return count == 0 || isDirect ? nil : { Color($0).shown(colorCount: count) }
  }

  /// The number of a colour, or of the nearest one.
  func number(of color: Color) -> CInt { CInt(color.number(colorCount: isDirect ? 1 << 24 : count)) }
}
