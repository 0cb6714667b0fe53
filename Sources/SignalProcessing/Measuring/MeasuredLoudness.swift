/// The loudness and the peak of a track, or of an album, measured by EBU R128.
public struct MeasuredLoudness: Sendable, Hashable {
  /// The loudness of its blocks of 0.4 s.
  public var blocks = LoudnessBlocks()
  /// The highest value between or at the samples, where 1 is full scale (true peak, ITU-R BS.1770-5, annex 2).
  public var peak = 0.0

  /// Silence, to which measured parts are added.
  public init() {}

  /// A measured piece; in `peak` 1 is full scale.
  public init(blocks: LoudnessBlocks, peak: Double) { (self.blocks, self.peak) = (blocks, peak) }

  /// Adds another track of the same album, or another part of the same track.
  public mutating func add(_ other: MeasuredLoudness) {
    blocks.add(other.blocks)
    peak = max(peak, other.peak)
  }

  /// The gain in decibels that makes it as loud as others: to -18 LUFS (ReplayGain 2.0). `nil` for silence.
  public var gain: Double? { blocks.loudness.map { -18 - $0 } }
}
