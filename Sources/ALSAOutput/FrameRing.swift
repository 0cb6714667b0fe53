internal import AudioModel

/// The frames that were rendered and not heard, some of which a device holds.
///
/// ```
/// heard <= written <= rendered <= heard + capacity
/// ```
/// `ALSAStream` keeps this; heard is the frame of its clock.
final class FrameRing {
  let capacity: Int64
  /// The number of frames so far that the source has rendered.
  var rendered: Int64 = 0
  /// The number of those that the device has.
  var written: Int64 = 0
  private let memory: UnsafeMutableRawBufferPointer
  private let bytesPerFrame: Int

  init(_ format: PCMFormat, seconds: Double) {
    capacity = max(2, Int64(seconds * Double(format.sampleRate)))
    bytesPerFrame = format.bytesPerFrame
    memory = .allocate(byteCount: Int(capacity) * bytesPerFrame, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// Room for at most `limit` of the next frames, in one piece.
  func room(heard: Int64, atMost limit: Int64) -> UnsafeMutableRawBufferPointer {
    piece(at: rendered, min(capacity - (rendered - heard), limit))
  }

  /// At most `limit` of the next frames for the device, in one piece.
  func unwritten(atMost limit: Int64) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(piece(at: written, min(rendered - written, limit)))
  }

  private func piece(at frame: Int64, _ count: Int64) -> UnsafeMutableRawBufferPointer {
    let start = frame % capacity
    let end = start + max(0, min(count, capacity - start))
    return UnsafeMutableRawBufferPointer(rebasing: memory[Int(start) * bytesPerFrame..<Int(end) * bytesPerFrame])
  }
}
