/// The place at which a stream continues in another encoding, which needs another reader. `Network.stream` opens the
/// rest, unless it lies in the same bytes.
public struct StreamContinuation: Sendable, Hashable {
  /// The number of the first segment of HTTP live streaming; `nil` for the bytes that the server sends next.
  var segment: Int?
  /// The offset in the same bytes: the next link of a chained stream.
  public var byteOffset: Int64?
  /// Its time in seconds from the start of the stream; `nil` for a stream without end.
  public var seconds: Double?

  init(segment: Int? = nil, seconds: Double? = nil) { (self.segment, self.seconds) = (segment, seconds) }

  /// The rest of a stream in the same bytes.
  public init(byteOffset: Int64, seconds: Double?) { (self.byteOffset, self.seconds) = (byteOffset, seconds) }

  /// The stream as the station sends it from now on.
  public static let now = StreamContinuation()
}
