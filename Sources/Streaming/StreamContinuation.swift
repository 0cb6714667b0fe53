/// The place where a stream continues in another encoding, which takes another reader. `Network.stream` opens the rest,
/// unless that lies in the same bytes.
public struct StreamContinuation: Sendable, Hashable {
  /// The number of the segment of HTTP live streaming that it begins with; `nil`: with what its server sends to who asks
  /// now.
  var segment: Int?
  /// Where in the same bytes it begins: the next link of a chained stream.
  public var byteOffset: Int64?
  /// When that is heard, in seconds from the start of all; `nil` where there is no end, nor a start.
  public var seconds: Double?

  init(segment: Int? = nil, seconds: Double? = nil) { (self.segment, self.seconds) = (segment, seconds) }

  /// The rest of a stream in the same bytes.
  public init(byteOffset: Int64, seconds: Double?) { (self.byteOffset, self.seconds) = (byteOffset, seconds) }

  /// The stream that a station sends now.
  public static let now = StreamContinuation()
}
