/// Converts times of blocks to frames, and detects missing packets.
///
/// The unit of time is usually a millisecond, too coarse to place packets: their frames are counted, and times only
/// show gaps.
struct MatroskaClock {
  /// Nanoseconds in a unit of time (TimestampScale).
  var nanosecondsPerUnit: Int64 = 1_000_000
  var sampleRate = 0.0
  /// The time of the first packet.
  private(set) var firstTime: Int64?
  /// First frame of the next packet, counted from the first of packet 0.
  private(set) var frame: Int64 = 0
  /// The use of the time of blocks up to the next packet: a block may hold none.
  private var purpose = Purpose.gaps
  /// Frames to add to times after a jump of the times.
  private var shift: Int64 = 0

  private enum Purpose {
    /// Detects missing packets.
    case gaps
    /// Is ignored: `frame` is known.
    case nothing
    /// Sets `frame`.
    case place
  }

  /// Tolerance of times in seconds: more is a gap.
  private static let tolerance = 0.25
  private static let farthest = 0x1p56

  /// True if the times have jumped, so that `frame` does not follow from `firstTime`.
  var isShifted: Bool { shift != 0 }

  mutating func begin(at time: Int64) { firstTime = time }

  /// Continues elsewhere: at `frame`, or, if that is `nil`, at the frame of the next block's time.
  mutating func resume(at frame: Int64?) {
    purpose = frame == nil ? .place : .nothing
    self.frame = frame ?? self.frame
    shift = 0
  }

  /// Takes the time of a block. Returns the number of frames that are missing before it.
  mutating func missingFrameCount(before time: Int64) -> Int64 {
    let position = self.position(of: time) + shift
    switch purpose {
    case .nothing: return 0
    case .place:
      frame = max(0, position)
      return 0
    case .gaps:
      let missing = position - frame
      guard Double(missing.magnitude) > sampleRate * Self.tolerance else { return 0 }
      if 0...Int64(sampleRate) * ContainerPacket.longestGap ~= missing { return missing }
      shift -= missing
      return 0
    }
  }

  /// Goes on behind a packet, or behind frames that are missing.
  mutating func advance(by frameCount: Int) {
    frame += Int64(frameCount)
    purpose = .gaps
  }

  /// The frame at a time, within the precision of the unit.
  func position(of time: Int64) -> Int64 {
    let units = Double(time) - Double(firstTime ?? time)
    let frames = (units * framesPerUnit).rounded()
    return Int64(max(-Self.farthest, min(Self.farthest, frames)))
  }

  /// Frames in a unit of time.
  var framesPerUnit: Double { Double(nanosecondsPerUnit) * sampleRate / 1e9 }

  /// Seconds from the first packet to a time in nanoseconds.
  func seconds(to nanoseconds: Int64) -> Double {
    (Double(nanoseconds) - Double(firstTime ?? 0) * Double(nanosecondsPerUnit)) / 1e9
  }
}
