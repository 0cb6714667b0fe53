/// A part of a row that shows an address of the web, or as much of it as there is room for.
public struct CellLink: Sendable, Hashable {
  /// From the top, from 0.
  public var row: Int
  /// From the left, from 0.
  public var columns: Range<Int>
  /// The whole address: at most 2048 characters of ASCII that can be seen, without name and password.
  public var address: String
}
