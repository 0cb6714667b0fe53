/// The characters that stand for several pixels per cell.
public enum PictureBlocks: Sendable, Hashable, CaseIterable {
  /// `▀`: one pixel above the other. In every font.
  case halves
  /// `▘`, `▞`...: two by two.
  case quadrants
  /// `🬀`, `🬗`...: two by three (Unicode 13).
  case sextants

  /// Pixels of a cell from left to right.
  public var columns: Int { self == .halves ? 1 : 2 }
  /// Pixels of a cell from top to bottom.
  public var rows: Int { self == .sextants ? 3 : 2 }

  /// The character whose pixels in `mask` have the foreground colour. Bit 0 is the pixel at the top left, bit 1 the
  /// next one in its row. The last pixel always has the background colour.
  func character(_ mask: Int) -> Unicode.Scalar {
    switch (self, mask) {
    case (_, 0): " "
    case (.halves, _): "▀"
    case (.quadrants, _): Self.quadrantCharacters[mask & 7]
    case (.sextants, 21): "▌"
    // U+1FB00: the other masks in order.
    case (.sextants, _): Unicode.Scalar(UInt32(0x1fb00 + (mask & 31) - (mask > 21 ? 2 : 1))) ?? " "
    }
  }

  private static let quadrantCharacters: [Unicode.Scalar] = [" ", "▘", "▝", "▀", "▖", "▌", "▞", "▛"]
}
