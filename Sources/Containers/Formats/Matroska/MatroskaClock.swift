/// Turns times of blocks into frames, and finds out where packets are missing.
///
/// Times are counted in units of a millisecond as a rule, so that packets cannot be placed by them: they are counted, and a
/// time only says where many are missing.
struct MatroskaClock {
  /// Nanoseconds in a unit of time (TimestampScale).
  var nanosecondsPerUnit: Int64 = 1_000_000
  var sampleRate = 0.0
  /// The time of the first packet.
  private(set) var firstTime: Int64?
  /// First frame of the next packet, counted from the first of packet 0.
  var frame: Int64 = 0
  /// The use of the next block's time.
  private var purpose = Purpose.gaps
  /// Frames to be added to what times tell, once they began elsewhere.
  private var shift: Int64 = 0

  private enum Purpose {
    /// To see whether packets are missing.
    case gaps
    /// Nothing: `frame` is known.
    case nothing
    /// To see which frame it is.
    case place
  }

  /// Times may be off by so many seconds: more is a gap.
  private static let tolerance = 0.25
  private static let farthest = 0x1p56

  /// True if times began elsewhere on the way, so that `firstTime` does not tell what `frame` is.
  var isShifted: Bool { shift != 0 }

  /// The first packet begins at a time.
  mutating func begin(at time: Int64) { firstTime = time }

  /// Continues elsewhere: with `frame`, or, if that is `nil`, wherever times say that it is.
  mutating func resume(at frame: Int64?) {
    purpose = frame == nil ? .place : .nothing
    self.frame = frame ?? self.frame
    shift = 0
  }

  /// Takes the time of a block. Returns how many frames are missing before it.
  mutating func missingFrameCount(before time: Int64) -> Int64 {
    defer { purpose = .gaps }
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

  /// The frame that begins at a time, as exactly as that tells.
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
