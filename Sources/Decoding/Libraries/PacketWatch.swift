public import AudioModel
internal import Glibc

/// Limits of time and memory for C libraries, since they parse untrusted bytes.
public enum DecodingLimits {
  /// Processor time for one packet, or for one call of libavformat: thousands of times what any needs. No call can be
  /// ended from outside, so the track stops after the slow call.
  public static let time = TimeSpan.seconds(10)
  /// Limit of bytes that libavformat and libavcodec may allocate in one piece; also of a packet of video.
  static let allocatedByteCount = 32 << 20
  /// Inputs of more bytes are not read ahead of playback to count their frames: duration and seeks are estimated.
  public static let countedByteCount: Int64 = 64 << 20
  /// Frames in one packet of libavcodec: the largest that Monkey's Audio makes are 1,179,648.
  static let framesPerPacket: Int64 = 1 << 21
  /// As many as `PCMFormat` has.
  static let channelCount: Int32 = 32
  /// Limit of sample rates in libavcodec: DSD512 has an eighth of 22,579,200 Hz.
  static let sampleRate: Int32 = 3_000_000
  /// Configuration of a codec, and its unit of bytes.
  static let configurationByteCount: Int32 = 1 << 20
  static let blockByteCount: Int32 = 1 << 24
}

/// Checks that packets do not take too long to decode. Reads the clock twice per packet.
public struct PacketWatch: Sendable {
  private let limit: TimeSpan
  private var begin = TimeSpan.zero
  /// The processor's time, and when it was looked at: once a second, as that takes a system call.
  private var sample = (processor: TimeSpan.zero, time: TimeSpan.zero)

  /// More processor time than `limit` is too long.
  public init(limit: TimeSpan = DecodingLimits.time) { self.limit = limit }

  /// A packet begins.
  public mutating func start() {
    begin = reading(of: CLOCK_MONOTONIC)
    if sample.time == .zero || begin - sample.time > .seconds(1) {
      sample = (reading(of: CLOCK_PROCESS_CPUTIME_ID), begin)
    }
  }

  /// True if the packet took too long. A process that was stopped, or had to wait for others, took no processor time.
  public var isOverdue: Bool {
    guard reading(of: CLOCK_MONOTONIC) - begin > limit else { return false }
    return reading(of: CLOCK_PROCESS_CPUTIME_ID) - sample.processor > limit
  }
}

/// The same for calls of libavformat, which asks for bytes while it works.
struct CallWatch {
  private var begin = TimeSpan.zero

  /// A call begins, on this thread.
  mutating func start() { begin = reading(of: CLOCK_THREAD_CPUTIME_ID) }

  /// True if the call, on the same thread, takes too long.
  var isOverdue: Bool {
    reading(of: CLOCK_THREAD_CPUTIME_ID) - begin > DecodingLimits.time
  }
}

/// The time since the clock began.
private func reading(of clock: clockid_t) -> TimeSpan {
  var time = timespec()
  clock_gettime(clock, &time)
  return TimeSpan(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
}
