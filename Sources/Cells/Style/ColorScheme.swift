public import Pictures

/// The colours of a theme, by the styles that have them.
struct ColorScheme {
  let paper, text, faint, line, heading, playing, failed, state, notice, thumb: Color
  /// The background of the selected row, and the played part of the slider.
  let selected, played: Color

  /// A scheme whose selected row has the colours of text, exchanged.
  init(
    paper: UInt32, text: UInt32, faint: UInt32, line: UInt32, heading: UInt32, playing: UInt32, failed: UInt32,
    state: UInt32, notice: UInt32, thumb: UInt32
  ) {
    (self.paper, self.text, self.faint) = (Color(hex: paper), Color(hex: text), Color(hex: faint))
    (self.line, self.heading, self.playing) = (Color(hex: line), Color(hex: heading), Color(hex: playing))
    (self.failed, self.state, self.notice) = (Color(hex: failed), Color(hex: state), Color(hex: notice))
    (self.thumb, selected, played) = (Color(hex: thumb), Color(hex: text), Color(hex: text))
  }

  /// The colours of a cover on a dark background of its hue. Each colour is lightened until it can be read there, as a
  /// terminal with that many colours shows both.
  init(_ cover: PictureColors, colorCount: Int) {
    let black = PictureColor(red: 0, green: 0, blue: 0)
    let white = PictureColor(red: 255, green: 255, blue: 255)
    let brightest = Double(max(cover.average.red, cover.average.green, cover.average.blue, 1))
    let paper = cover.average.mixed(with: black, share: 1 - min(1, 40 / brightest))
    let shownPaper = Color(paper).shown(colorCount: colorCount)
    let raised = { (color: PictureColor, contrast: Double) -> Color in
      let steps = (0...32).lazy.map { Color(color.mixed(with: white, share: Double($0) / 32)) }
      return steps.first { $0.shown(colorCount: colorCount).contrast(with: shownPaper) >= contrast } ?? Color(white)
    }
    self.paper = Color(paper)
    text = raised(cover.average.mixed(with: white, share: 0.85), 10)
    faint = raised(cover.average.mixed(with: white, share: 0.3), 4.6)
    line = raised(cover.average, 3.1)
    playing = raised(cover.accent, 6)
    (heading, played, thumb) = (playing, raised(cover.accent, 4.6), playing)
    selected = raised(cover.secondAccent, 6)
    (state, notice) = (selected, raised(cover.secondAccent, 8))
    failed = raised(PictureColor(red: 255, green: 90, blue: 80), 4.6)
  }
}

extension ColorScheme {
  /// A colour between `text` and `faint`, as a terminal with that many colours shows them.
  func fading(colorCount: Int) -> Color {
    guard colorCount >= 256 else { return text }
    let parts = [text, faint, paper].map { $0.shown(colorCount: colorCount) }
    let middle = Color(parts[0].mixed(with: parts[1], share: 0.5))
    return middle.shown(colorCount: colorCount).contrast(with: parts[2]) >= 4.6 ? middle : text
  }
}

/// The background of the selected row, a tint of the accent, and the colours of text on it.
struct SelectionTint {
  let background, text, accent: Color

  /// The strongest tint on which the text can be read.
  fileprivate init(
    of accent: PictureColor, on paper: PictureColor, text: PictureColor, contrast: Double, colorCount: Int
  ) {
    let shown = { (color: PictureColor) in Color(color).shown(colorCount: colorCount) }
    let tints = (0...31).lazy.map { accent.mixed(with: paper, share: Double($0) / 32) }
    let tint = tints.first { shown($0).contrast(with: shown(text)) >= contrast } ?? paper
    let accents = (0...32).lazy.map { accent.mixed(with: text, share: Double($0) / 32) }
    let raised = accents.first { shown($0).contrast(with: shown(tint)) >= min(contrast, 4.6) } ?? text
    (background, self.text, self.accent) = (Color(tint), Color(text), Color(raised))
  }

  init(_ scheme: ColorScheme, colorCount: Int) {
    let parts = [scheme.playing, scheme.paper, scheme.text].map { $0.shown(colorCount: colorCount) }
    self.init(of: parts[0], on: parts[1], text: parts[2], contrast: 5, colorCount: colorCount)
  }
}

/// The accent of the default theme on the terminal's own background: that of the cover.
struct OwnAccent {
  let accent: Color
  let selection: SelectionTint

  private static let black = PictureColor(red: 0, green: 0, blue: 0)
  private static let white = PictureColor(red: 255, green: 255, blue: 255)

  /// Mixes the accent with black or white until it can be read; `nil` if that fails on an unknown background.
  init?(_ accent: PictureColor, colorCount: Int, on background: Background) {
    let isReadable = { (color: PictureColor) -> Bool in
      let shown = Color(color).shown(colorCount: colorCount)
      let (onBlack, onWhite) = (shown.contrast(with: Self.black), shown.contrast(with: Self.white))
      // Known backgrounds are not quite black or white.
      return switch background {
      case .dark: onBlack >= 7
      case .light: onWhite >= 7
      case .unknown: onBlack >= 4.5 && onWhite >= 4.5
      }
    }
    let steps = [Self.white, Self.black].lazy.flatMap { target in
      (0...64).lazy.map { accent.mixed(with: target, share: Double($0) / 64) }
    }
    guard let readable = steps.first(where: isReadable) else { return nil }
    let (text, paper): (UInt8, _) = background == .light ? (28, Self.white) : (238, Self.black)
    self.accent = Color(readable)
    selection = SelectionTint(
      of: readable, on: paper, text: PictureColor(red: text, green: text, blue: text), contrast: 9,
      colorCount: colorCount)
  }
}

extension Color {
  public init(_ color: PictureColor) { self = .rgb(red: color.red, green: color.green, blue: color.blue) }

  /// The colour that a terminal with that many colours shows; of the first sixteen, the values of xterm.
  public func shown(colorCount: Int) -> PictureColor {
    let number = number(colorCount: colorCount)
    let parts = (colorCount >= 1 << 24 ? self : .palette(UInt8(clamping: number))).components
    return PictureColor(red: parts.red, green: parts.green, blue: parts.blue)
  }
}
