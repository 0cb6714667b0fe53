internal import AudioModel

/// Errors of an audio queue, with the numbers of Audio Queue Services. The errors of recording and of taps, which this
/// library does not have, have descriptions only.
public struct AudioQueueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The published number.
  public var code: Int32

  /// An error by its number.
  public init(code: Int32) { self.code = code }

  private init(_ code: Int32) { self.code = code }

  /// The buffer belongs to another queue, or was freed.
  public static let invalidBuffer = AudioQueueError(-66687)
  /// The buffer holds no frames.
  public static let bufferEmpty = AudioQueueError(-66686)
  /// The queue plays to its end and is disposed of then (`dispose(immediately: false)`).
  public static let disposalPending = AudioQueueError(-66685)
  /// A parameter is out of its range.
  public static let invalidParameter = AudioQueueError(-66682)
  /// The buffer cannot be freed while it is queued.
  public static let bufferInQueue = AudioQueueError(-66679)
  /// Can only be changed while the queue is stopped, or needs a time pitch algorithm.
  public static let invalidRunState = AudioQueueError(-66678)
  /// Nothing here decodes the format, or the library for it, or for speed and pitch, is not installed.
  public static let codecNotFound = AudioQueueError(-66673)
  /// The queue was disposed of, or its device is gone: create a new one.
  public static let queueInvalidated = AudioQueueError(-66671)
  /// The buffer is queued already.
  public static let bufferEnqueuedTwice = AudioQueueError(-66666)
  /// Nothing can be queued while the queue stops.
  public static let enqueueDuringReset = AudioQueueError(-66632)
  /// There is no running queue to render.
  public static let invalidOfflineMode = AudioQueueError(-66626)
  /// The format cannot be played (`'fmt?'`).
  public static let unsupportedFormat = AudioQueueError(0x666d_743f)

  /// In words, with the number.
  public var description: String { "\(reason) (\(code))" }
  /// In words.
  public var reason: String {
    let library = self == .codecNotFound ? AudioQueue.timeStretchLibrary : nil
    let complaint = library.flatMap { $0.address == nil ? ": \($0.complaint)" : nil } ?? ""
    return (Self.words[code] ?? "the audio queue failed") + complaint
  }

  private static let words: [Int32: String] = [
    -66687: "the buffer is not one of this queue's", -66686: "the buffer is empty",
    -66685: "the queue is about to be disposed of", -66684: "there is no such property",
    -66683: "the property has another size", -66682: "a parameter is out of range",
    -66681: "the queue cannot be started", -66680: "there is no such device", -66679: "the buffer is still queued",
    -66678: "not in this state of the queue", -66677: "not for this kind of queue", -66676: "not permitted",
    -66675: "the property cannot have this value", -66674: "priming took too long",
    -66673: "no decoder for the format, or no Rubber Band for speed and pitch",
    -66672: "the codec cannot be used", -66671: "the queue is no longer valid", -66670: "there are too many taps",
    -66669: "the tap is not valid", -66668: "recording fell behind", -66667: "not for this kind of tap",
    -66666: "the buffer is queued already", -66665: "the queue cannot be started yet", -66632: "the queue is stopping",
    -66626: "the queue is not being rendered offline", 0x666d_743f: "the format cannot be played",
  ]
}
