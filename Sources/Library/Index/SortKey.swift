/// A text in the order of lists: without regard to case and accents, `2` before `10`.
public struct SortKey: Sendable, Comparable {
  private let bytes: [UInt8]

  public init(_ text: String) { bytes = TextFolding.folded(text) }

  /// True if the name begins with the letters of another one.
  public func begins(with other: SortKey) -> Bool { !other.bytes.isEmpty && bytes.starts(with: other.bytes) }

  public static func < (first: SortKey, second: SortKey) -> Bool { precedesNaturally(first.bytes, second.bytes) }
}
