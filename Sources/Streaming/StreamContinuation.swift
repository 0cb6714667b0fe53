/// The place where a stream continues in another encoding, which takes another reader. `Network.stream` opens the rest.
public struct StreamContinuation: Sendable, Hashable {
  /// The number of the segment of HTTP live streaming that it begins with; `nil`: with what its server sends to who asks
  /// now.
  var segment: Int?
  /// When that is heard, in seconds from the start of all; `nil` where there is no end, nor a start.
  public var seconds: Double?

  /// The stream that a station sends now.
  public static let now = StreamContinuation()
}
