internal import AudioModel

/// The latest frames that the device got, before volume and pan, so that they can be rendered again after a rewind.
///
/// A ring buffer. Owned by the queue's core.
final class SampleHistory {
  private let bytesPerFrame: Int
  private let memory: UnsafeMutableRawBufferPointer
  private let capacity: Int64
  /// The range of frames, in the device's counting.
  private(set) var frames: Range<Int64> = 0..<0
  /// The frames of the last drop: the device never played them.
  var unheard: Range<Int64> = 0..<0

  /// Holds up to `seconds` of sound, at most 64 MB. Pages that are never written use no memory.
  init(format: PCMFormat, seconds: Double) {
    bytesPerFrame = format.bytesPerFrame
    let wanted = Int(seconds * Double(format.sampleRate)) + 1
    capacity = Int64(min(wanted, (64 << 20) / bytesPerFrame))
    memory = .allocate(byteCount: Int(capacity) * bytesPerFrame, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// Appends frames.
  func append(_ bytes: UnsafeRawBufferPointer) {
    // Only the last frames, if they do not fit.
    let kept = UnsafeRawBufferPointer(rebasing: bytes.suffix(memory.count))
    let end = frames.upperBound + Int64(bytes.count / bytesPerFrame)
    var next = end - Int64(kept.count / bytesPerFrame)
    var rest = kept[...]
    while !rest.isEmpty {
      let range = span(from: next, count: rest.count)
      UnsafeMutableRawBufferPointer(rebasing: memory[range]).copyBytes(from: rest.prefix(range.count))
      rest = rest.dropFirst(range.count)
      next += Int64(range.count / bytesPerFrame)
    }
    frames = max(frames.lowerBound, end - capacity)..<end
  }

  /// Copies frames from `frame` on into `target`, up to the end of the ring. Returns the number of bytes.
  func copy(from frame: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard frames.contains(frame) else { return 0 }
    let wanted = min(target.count, Int(frames.upperBound - frame) * bytesPerFrame)
    let range = span(from: frame, count: wanted)
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[range]))
    return range.count
  }

  /// Drops all frames; the next appended frame is `frame`.
  func clear(nextFrame frame: Int64) { frames = frame..<frame }

  /// Drops the frames from `frame` on; the next appended frame is `frame`.
  func cut(at frame: Int64) { frames = min(frames.lowerBound, frame)..<frame }

  private func span(from frame: Int64, count: Int) -> Range<Int> {
    let start = Int(frame % capacity) * bytesPerFrame
    return start..<min(memory.count, start + count)
  }
}
