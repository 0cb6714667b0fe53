/// What an audio queue refuses, by the numbers that Audio Queue Services published (CONTRACTS B.3-4).
public struct AudioQueueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The published number.
  public var code: Int32

  private init(_ code: Int32) { self.code = code }

  /// The buffer belongs to another queue, or was freed.
  public static let invalidBuffer = AudioQueueError(-66687)
  /// The buffer holds no frames.
  public static let bufferEmpty = AudioQueueError(-66686)
  /// A parameter is out of its range.
  public static let invalidParameter = AudioQueueError(-66682)
  /// The buffer cannot be freed while it is queued.
  public static let bufferInQueue = AudioQueueError(-66679)
  /// The queue was disposed of, or its device is gone for good: make a new one.
  public static let queueInvalidated = AudioQueueError(-66671)
  /// The buffer is queued already.
  public static let bufferEnqueuedTwice = AudioQueueError(-66666)
  /// Nothing can be queued while the queue stops.
  public static let enqueueDuringReset = AudioQueueError(-66632)
  /// The format is none that can be played (`'fmt?'`).
  public static let unsupportedFormat = AudioQueueError(0x666d_743f)

  /// In words, with the number.
  public var description: String {
    let words =
      switch self {
      case .invalidBuffer: "the buffer is not one of this queue's"
      case .bufferEmpty: "the buffer is empty"
      case .invalidParameter: "a parameter is out of range"
      case .bufferInQueue: "the buffer is still queued"
      case .queueInvalidated: "the queue is no longer valid"
      case .bufferEnqueuedTwice: "the buffer is queued already"
      case .enqueueDuringReset: "the queue is stopping"
      case .unsupportedFormat: "the format cannot be played"
      default: "the audio queue failed"
      }
    return "\(words) (\(code))"
  }
}
