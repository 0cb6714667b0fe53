/// The start of a segment of HTTP live streaming, in bytes and in time.
public struct SegmentPlace: Sendable, Hashable {
  /// Its first byte, which may not have arrived.
  public var byteOffset: Int64
  /// Its start in seconds, counted from the first frame of the first segment.
  public var seconds: Double
  /// True if the time is from its frames, or will be once they arrive; false if it is from the playlist.
  public var isExact: Bool
}
