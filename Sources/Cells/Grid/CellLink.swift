/// A part of a row that shows a web address, or its beginning if it does not fit.
public struct CellLink: Sendable, Hashable {
  /// From the top, from 0.
  public var row: Int
  /// From the left, from 0.
  public var columns: Range<Int>
  /// The whole address: at most 2048 printable ASCII characters, without name and password.
  public var address: String
}
