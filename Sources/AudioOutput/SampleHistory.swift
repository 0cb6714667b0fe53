internal import AudioModel

/// The frames that were handed to the device last, before volume and pan: what it takes back can be rendered again.
///
/// A ring. Owned by the queue's core.
final class SampleHistory {
  private let bytesPerFrame: Int
  private let memory: UnsafeMutableRawBufferPointer
  private let capacity: Int64
  /// The frames, as the device counts them.
  private(set) var frames: Range<Int64> = 0..<0

  /// For up to `seconds` of sound, within 64 MB: pages that are never written cost nothing.
  init(format: PCMFormat, seconds: Double) {
    bytesPerFrame = format.bytesPerFrame
    let wanted = Int(seconds * Double(format.sampleRate)) + 1
    capacity = Int64(min(wanted, (64 << 20) / bytesPerFrame))
    memory = .allocate(byteCount: Int(capacity) * bytesPerFrame, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// Adds frames behind the last.
  func append(_ bytes: UnsafeRawBufferPointer) {
    // Of more than there is room for, the last.
    let kept = UnsafeRawBufferPointer(rebasing: bytes.suffix(memory.count))
    let end = frames.upperBound + Int64(bytes.count / bytesPerFrame)
    var next = end - Int64(kept.count / bytesPerFrame)
    var rest = kept[...]
    while !rest.isEmpty {
      let place = span(from: next, count: rest.count)
      UnsafeMutableRawBufferPointer(rebasing: memory[place]).copyBytes(from: rest.prefix(place.count))
      rest = rest.dropFirst(place.count)
      next += Int64(place.count / bytesPerFrame)
    }
    frames = max(frames.lowerBound, end - capacity)..<end
  }

  /// Copies frames from `frame` on into `target`, as many as lie in one piece; returns their bytes.
  func copy(from frame: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard frames.contains(frame) else { return 0 }
    let wanted = min(target.count, Int(frames.upperBound - frame) * bytesPerFrame)
    let place = span(from: frame, count: wanted)
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[place]))
    return place.count
  }

  /// Forgets the frames from `frame` on; what is added next is that frame.
  func cut(at frame: Int64) { frames = min(frames.lowerBound, frame)..<frame }

  private func span(from frame: Int64, count: Int) -> Range<Int> {
    let start = Int(frame % capacity) * bytesPerFrame
    return start..<min(memory.count, start + count)
  }
}
