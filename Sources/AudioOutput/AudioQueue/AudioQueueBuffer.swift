/// A buffer of PCM for an `AudioQueue`.
///
/// It belongs to the caller from `allocateBuffer` or `bufferReturned` on until `enqueue`, then to the queue. Safety:
/// both sides hand it over under the queue's lock.
public final class AudioQueueBuffer: @unchecked Sendable {
  /// The number of frames that fit.
  public let frameCapacity: Int
  /// The number of frames in `bytes`. Set it before `enqueue`.
  public var frameCount = 0
  /// The memory, for interleaved samples.
  public let bytes: UnsafeMutableRawBufferPointer

  /// The queue that allocated it, for listeners of `bufferReturned`; `nil` once the queue is gone.
  public internal(set) weak var queue: AudioQueue?

  /// The identity of the queue's core.
  let owner: ObjectIdentifier
  /// Under the queue's lock.
  var isQueued = false
  /// Under the queue's lock.
  var isFreed = false

  init(owner: ObjectIdentifier, frameCapacity: Int, bytesPerFrame: Int) {
    self.owner = owner
    self.frameCapacity = frameCapacity
    bytes = .allocate(byteCount: frameCapacity * bytesPerFrame, alignment: 16)
  }

  deinit { bytes.deallocate() }
}
