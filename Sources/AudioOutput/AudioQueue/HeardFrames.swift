public import AudioModel

/// Frames that were heard, as they lie in memory.
public struct HeardFrames: Sendable, Hashable {
  /// The layout of the samples.
  public var format: PCMFormat
  /// Whole frames.
  public var bytes: [UInt8]
  /// The number of the first one, as the device counts.
  public var firstFrame: Int64
  /// True if they continue the frames before: nothing is missing between them.
  public var follows: Bool

  /// Whole frames in the layout of `format`, which are not checked.
  public init(format: PCMFormat, bytes: [UInt8], firstFrame: Int64, follows: Bool) {
    (self.format, self.bytes, self.firstFrame, self.follows) = (format, bytes, firstFrame, follows)
  }

  /// The number of frames.
  public var frameCount: Int { bytes.count / format.bytesPerFrame }
  /// The number of the next frame.
  public var endFrame: Int64 { firstFrame + Int64(frameCount) }
  /// Their duration.
  public var seconds: Double { Double(frameCount) / Double(format.sampleRate) }
}
