/// A piece of PCM on its way through an `AudioQueue`.
///
/// Belongs to whoever fills it from `allocateBuffer` or `bufferReturned` on until `enqueue`, then to the queue.
/// Safety: what the two sides share is handed over under the queue's lock.
public final class AudioQueueBuffer: @unchecked Sendable {
  /// Frames that fit.
  public let frameCapacity: Int
  /// Frames that are in it, from the start of `bytes` on. Set it before `enqueue`.
  public var frameCount = 0
  /// The memory, for interleaved samples.
  public let bytes: UnsafeMutableRawBufferPointer

  /// The queue that allocated it, for listeners of `bufferReturned`; `nil` once nobody holds the queue.
  public internal(set) weak var queue: AudioQueue?

  /// The queue's core; compared, never followed.
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
