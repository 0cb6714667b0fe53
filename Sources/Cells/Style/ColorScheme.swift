internal import Pictures

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

extension Color {
  fileprivate init(_ color: PictureColor) { self = .rgb(red: color.red, green: color.green, blue: color.blue) }

  /// The colour that a terminal with that many colours, at least 256, shows.
  fileprivate func shown(colorCount: Int) -> PictureColor {
    let number = number(colorCount: colorCount)
    let parts = (colorCount >= 1 << 24 ? self : .palette(UInt8(clamping: number))).components
    return PictureColor(red: parts.red, green: parts.green, blue: parts.blue)
  }
}
