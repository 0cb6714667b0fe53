/// A text in the order of lists: without regard to case and accents, `2` before `10`.
public struct SortKey: Sendable, Comparable {
  private let bytes: [UInt8]

  /// The key of a name.
  public init(_ text: String) { bytes = TextFolding.folded(text) }

  /// True if the name begins with the letters of another one.
  public func begins(with other: SortKey) -> Bool { !other.bytes.isEmpty && bytes.starts(with: other.bytes) }

  /// The order of lists.
  public static func < (first: SortKey, second: SortKey) -> Bool { precedesNaturally(first.bytes, second.bytes) }
}
