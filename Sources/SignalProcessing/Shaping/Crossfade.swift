public import AudioModel
internal import Glibc

/// A crossfade of some frames: the outgoing audio gets softer while the incoming audio gets louder.
///
/// The incoming audio after it is bit-exact. If the sum exceeds full scale, the level is reduced; 16-bit samples get
/// dither (as in `SoundProcessor`). One owner at a time, any thread.
public final class Crossfade {
  /// The gains of both sides over the length of the crossfade.
  public enum Curve: Sendable {
    /// For two pieces of music: the power of unrelated signals adds up and stays constant. Straight lines would lose 3
    /// dB in the middle.
    case equalPower
    /// For two versions of the same music, whose amplitudes add up.
    case linear
  }

  /// The audible side.
  public enum Side {
    /// The track that ends.
    case leaving
    /// The track that begins.
    case coming
  }

  /// Frames from the first that is mixed to the first that is not.
  public let frameCount: Int64
  private let curve: Curve
  private let format: PCMFormat
  private var limiter: Limiter

  private static let blockFrames = 256

  /// A crossfade of at least one frame, for both sides in that format.
  public init(_ curve: Curve, frameCount: Int64, format: PCMFormat) {
    (self.curve, self.frameCount, self.format) = (curve, max(1, frameCount), format)
    limiter = Limiter(sampleRate: Double(format.sampleRate))
  }

  /// Factors for both sides at a frame of the crossfade, from its middle: in reverse they are each other's.
  public func gains(atFrame frame: Int64) -> (leaving: Double, coming: Double) {
    guard frame >= 0 else { return (1, 0) }
    guard frame < frameCount else { return (0, 1) }
    let part = (Double(frame) + 0.5) / Double(frameCount)
    switch curve {
    case .linear: return (1 - part, part)
    case .equalPower: return (cos(part * .pi / 2), sin(part * .pi / 2))
    }
  }

  /// Forgets the earlier frames, because other frames follow.
  public func reset() { limiter.reset() }

  /// Fades whole frames of one side in place, from that frame of the crossfade on, and adds the frames of the other
  /// side, which may be fewer. Frames of the outgoing side before the crossfade stay unchanged.
  public func process(
    _ bytes: UnsafeMutableRawBufferPointer, _ side: Side,
    with other: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0), firstFrame: Int64
  ) {
    let size = format.bytesPerFrame
    if side == .leaving, firstFrame < 0 {
      let before = Int(min(firstFrame.magnitude, UInt64(bytes.count / size)))
      guard before < bytes.count / size else { return }
      return process(
        UnsafeMutableRawBufferPointer(rebasing: bytes[(before * size)...]), side,
        with: UnsafeRawBufferPointer(rebasing: other.dropFirst(before * size)), firstFrame: 0)
    }
    // Past the end of one side, only the other one is audible.
    let fades = firstFrame..<max(firstFrame, side == .coming ? frameCount : .max)
    let frameCount = Int(min(Int64(bytes.count / size), Int64(fades.count)))
    let capacity = min(Self.blockFrames, frameCount) * format.channelCount
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * capacity) { floats in
      floats.initialize(repeating: 0)
      var frame = 0
      while frame < frameCount {
        let range = frame * size..<min(frame + Self.blockFrames, frameCount) * size
        processBlock(
          UnsafeMutableRawBufferPointer(rebasing: bytes[range]), side,
          UnsafeRawBufferPointer(rebasing: other[range.clamped(to: 0..<other.count - other.count % size)]),
          floats, firstFrame &+ Int64(frame))
        frame += Self.blockFrames
      }
    }
  }

  private func processBlock(
    _ bytes: UnsafeMutableRawBufferPointer, _ side: Side, _ other: UnsafeRawBufferPointer,
    _ floats: UnsafeMutableBufferPointer<Float>, _ firstFrame: Int64
  ) {
    let count = bytes.count / format.sampleFormat.byteCount
    let samples = UnsafeMutableBufferPointer(rebasing: floats[..<count])
    let others = UnsafeMutableBufferPointer(rebasing: floats[(floats.count / 2)...])
    format.sampleFormat.load(UnsafeRawBufferPointer(bytes), into: samples)
    format.sampleFormat.load(other, into: others)
    let otherCount = other.count / format.sampleFormat.byteCount
    for frame in 0..<count / format.channelCount {
      let gains = gains(atFrame: firstFrame &+ Int64(frame))
      let (gain, otherGain) = side == .coming ? (gains.coming, gains.leaving) : (gains.leaving, gains.coming)
      for index in frame * format.channelCount..<(frame + 1) * format.channelCount {
        let added = index < otherCount ? Double(others[index]) * otherGain : 0
        samples[index] = Float(Double(samples[index]) * gain + added)
      }
    }
    limiter.process(samples, channelCount: format.channelCount)
    if format.sampleFormat == .s16 {
      addDither(to: samples, firstFrame: firstFrame, channelCount: format.channelCount)
    }
    format.sampleFormat.store(UnsafeBufferPointer(samples), into: bytes)
  }
}
