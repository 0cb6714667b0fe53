import Testing

@testable import Pictures

/// The colours that give a picture its character.
struct PictureColorsTests {
  private func picture(_ color: (_ x: Int, _ y: Int) -> [UInt8]) throws -> Picture {
    try #require(Picture(width: 100, height: 100, bytes: (0..<10_000).flatMap { color($0 % 100, $0 / 100) }))
  }

  @Test func `a colourful part is the accent, not the grey around it`() throws {
    let colors = PictureColors(
      of: try picture { x, y in x < 30 && y < 30 ? [230, 20, 30] : x > 80 && y > 80 ? [20, 40, 220] : [90, 90, 90] })
    #expect(colors.accent.red > 180 && colors.accent.green < 80 && colors.accent.blue < 80)
    #expect(colors.secondAccent != colors.accent && colors.secondAccent.red < 120)
    #expect(80...130 ~= colors.average.red)
  }

  @Test func `a picture of one colour has that accent twice, of one pixel too`() throws {
    let colors = PictureColors(of: try picture { _, _ in [16, 160, 80] })
    #expect(colors.accent == colors.secondAccent && colors.average == PictureColor(red: 16, green: 160, blue: 80))
    let pixel = PictureColors(of: try #require(Picture(width: 1, height: 1, bytes: [1, 2, 3])))
    #expect(pixel.average == PictureColor(red: 1, green: 2, blue: 3))
  }

  @Test func `black on white has the greatest contrast`() {
    let (black, white) = (PictureColor(red: 0, green: 0, blue: 0), PictureColor(red: 255, green: 255, blue: 255))
    #expect(abs(black.contrast(with: white) - 21) < 1e-9 && white.contrast(with: white) == 1)
    #expect(black.mixed(with: white, share: 0.5) == PictureColor(red: 128, green: 128, blue: 128))
  }
}
