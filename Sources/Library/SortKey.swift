/// A text in the order of lists: without regard to case and accents, `2` before `10`.
public struct SortKey: Sendable, Comparable {
  private let bytes: [UInt8]

  /// The key of a name.
  public init(_ text: String) { bytes = TextFolding.folded(text) }

  /// The order of lists.
  public static func < (first: SortKey, second: SortKey) -> Bool { precedesNaturally(first.bytes, second.bytes) }
}
