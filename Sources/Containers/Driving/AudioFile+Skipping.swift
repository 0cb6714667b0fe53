extension AudioFile {
  /// Bytes that belong to no packet and no tag.
  public struct SkippedBytes: Sendable, Hashable {
    /// From the start of the file.
    public var byteOffset: Int64
    /// The number of bytes. If there are very many ranges, the last one contains all later skipped bytes.
    public var byteCount: Int64
  }
}

extension [AudioFile.SkippedBytes] {
  /// Further ranges are merged: noise between two packets may be as long as a file.
  private static var maximumCount: Int { 1000 }

  /// Adds bytes, to the last range if they follow it.
  mutating func add(_ byteCount: Int64, at byteOffset: Int64) {
    if let last, last.byteOffset + last.byteCount == byteOffset || count == Self.maximumCount {
      self[count - 1].byteCount += byteCount
    } else {
      append(AudioFile.SkippedBytes(byteOffset: byteOffset, byteCount: byteCount))
    }
  }
}
