/// What an audio queue refuses, by the numbers that Audio Queue Services published (CONTRACTS B.3-4).
public struct AudioQueueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The published number.
  public var code: Int32

  private init(_ code: Int32) { self.code = code }

  /// The buffer belongs to another queue, or was freed.
  public static let invalidBuffer = AudioQueueError(-66687)
  /// The buffer holds no frames.
  public static let bufferEmpty = AudioQueueError(-66686)
  /// The queue is being disposed of and plays out what it has.
  public static let disposalPending = AudioQueueError(-66685)
  /// A parameter is out of its range.
  public static let invalidParameter = AudioQueueError(-66682)
  /// The device could not be started.
  public static let cannotStart = AudioQueueError(-66681)
  /// There is no device.
  public static let invalidDevice = AudioQueueError(-66680)
  /// The buffer cannot be freed while it is queued.
  public static let bufferInQueue = AudioQueueError(-66679)
  /// Not in this state.
  public static let invalidRunState = AudioQueueError(-66678)
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
      case .disposalPending: "the queue is being disposed of"
      case .invalidParameter: "a parameter is out of range"
      case .cannotStart: "the device could not be started"
      case .invalidDevice: "there is no device"
      case .bufferInQueue: "the buffer is still queued"
      case .invalidRunState: "not while the queue is in this state"
      case .queueInvalidated: "the queue is no longer valid"
      case .bufferEnqueuedTwice: "the buffer is queued already"
      case .enqueueDuringReset: "the queue is stopping"
      case .unsupportedFormat: "the format cannot be played"
      default: "the audio queue failed"
      }
    return "\(words) (\(code))"
  }
}
