public import ByteIO

/// The contents of a playlist file to be written.
public struct PlaylistExport: Sendable {
  public var bytes: [UInt8]
  public var count: Int
  /// The place of the file, as it was named.
  public var path: BytePath
  /// True if it may replace any other playlist.
  public var replacesOther: Bool
}
