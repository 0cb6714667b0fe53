/// Why a command cannot be understood.
public struct CommandError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, and what would be right.
  public var message: String
  /// Where in the line, in characters from 1.
  public var column: Int

  /// What is wrong, and where.
  public var description: String { "\(message) (column \(column))" }
}
