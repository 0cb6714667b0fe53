/// A command line that cannot be read.
public struct CommandError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem, and a form that works.
  public var message: String
  /// The place in the line, in characters from 1.
  public var column: Int

  public init(message: String, column: Int) { (self.message, self.column) = (message, column) }

  public var description: String { "\(message) (column \(column))" }
}
