/// A command line that cannot be read.
public struct CommandError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem, and a form that works.
  public var message: String
  /// The place in the line, in characters from 1.
  public var column: Int

  /// A problem at a place.
  public init(message: String, column: Int) { (self.message, self.column) = (message, column) }

  /// The problem and its place.
  public var description: String { "\(message) (column \(column))" }
}
