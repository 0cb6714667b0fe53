extension PictureCells {
  /// The greatest sum of differences of two colours of one cell that are no edge.
  private static let edge = 60

  /// The cells in the colours that a terminal shows. What a colour lacks thereby is spread over its neighbours to the
  /// right and below (Floyd and Steinberg, 1976), so that areas keep their average. A cell with an edge keeps its
  /// character; any other becomes two halves.
  static func dithered(
    _ cells: [Cell], _ pixels: Picture, columns: Int, nearest: (PictureColor) -> PictureColor
  ) -> [Cell] {
    let halves = pixels.scaled(width: columns, height: 2 * (cells.count / columns))
    var errors = DiffusedErrors(columns: columns, halfRows: halves.height)
    return cells.indices.map { index in
      let (column, row) = (index % columns, index / columns * 2)
      var cell = cells[index]
      if cell.character != "▀", cell.foreground.distance(to: cell.background) >= edge {
        let carried = (errors[row, column] &+ errors[row + 1, column]) / 2
        let (front, back) = (cell.foreground.parts &+ carried, cell.background.parts &+ carried)
        (cell.foreground, cell.background) = (nearest(PictureColor(front)), nearest(PictureColor(back)))
        let rest = (clamped(front) &+ clamped(back) &- cell.foreground.parts &- cell.background.parts) / 2
        errors.spread(rest, row, column, right: 4, belowLeft: 0, below: 0, belowRight: 4)
        errors.spread(rest, row + 1, column, right: 0, belowLeft: 2, below: 5, belowRight: 1)
        return cell
      }
      let top = parts(of: halves, row, column) &+ errors[row, column]
      cell.foreground = nearest(PictureColor(top))
      // The half below at the left is drawn already.
      errors.spread(
        clamped(top) &- cell.foreground.parts, row, column, right: 7, belowLeft: 0, below: 8, belowRight: 1)
      let bottom = parts(of: halves, row + 1, column) &+ errors[row + 1, column]
      cell.background = nearest(PictureColor(bottom))
      errors.spread(
        clamped(bottom) &- cell.background.parts, row + 1, column, right: 7, belowLeft: 3, below: 5, belowRight: 1)
      cell.character = cell.foreground == cell.background ? " " : "▀"
      return cell
    }
  }

  private static func parts(of picture: Picture, _ row: Int, _ column: Int) -> SIMD3<Int> {
    let start = 3 * (row * picture.width + column)
    return SIMD3(Int(picture.bytes[start]), Int(picture.bytes[start + 1]), Int(picture.bytes[start + 2]))
  }

  private static func clamped(_ parts: SIMD3<Int>) -> SIMD3<Int> {
    parts.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
  }

  /// The errors that halves of cells get from others that were drawn before.
  private struct DiffusedErrors {
    private let columns: Int
    /// In sixty-fourths.
    private var parts: [SIMD3<Int>]

    init(columns: Int, halfRows: Int) {
      // A column more at each side, and a row more below.
      self.columns = columns + 2
      parts = Array(repeating: .zero, count: self.columns * (halfRows + 1))
    }

    subscript(row: Int, column: Int) -> SIMD3<Int> { parts[row * columns + column + 1] / 64 }

    /// Spreads three quarters of a difference, by sixteenths: all of it would be noise in small pictures.
    mutating func spread(
      _ difference: SIMD3<Int>, _ row: Int, _ column: Int, right: Int, belowLeft: Int, below: Int, belowRight: Int
    ) {
      let (place, share) = (row * columns + column + 1, difference &* 3)
      parts[place + 1] &+= share &* right
      parts[place + columns - 1] &+= share &* belowLeft
      parts[place + columns] &+= share &* below
      parts[place + columns + 1] &+= share &* belowRight
    }
  }
}

extension PictureColor {
  fileprivate init(_ parts: SIMD3<Int>) {
    self.init(
      red: UInt8(clamping: parts.x), green: UInt8(clamping: parts.y), blue: UInt8(clamping: parts.z))
  }

  fileprivate var parts: SIMD3<Int> { SIMD3(Int(red), Int(green), Int(blue)) }
}
