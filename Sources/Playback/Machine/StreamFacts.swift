internal import AudioModel
internal import Streaming

/// The description that a network stream gives of itself.
public struct StreamFacts: Sendable, Hashable {
  /// True if it has no end: a radio station.
  public var isLive: Bool
  /// The current title, as the station sends it.
  public var title: String?
  /// The character set of its titles, if they do not name it: `windows-1251 (guessed)`.
  public var titleCharset: String?
  /// The station's name (`icy-name`); `nil` if the server sends none.
  public var stationName: String?
  /// The parts of the track that have arrived, as shares of it, in steps; `nil` if all has, or there is no whole.
  public var arrivedShares: [Range<Double>]?

  /// True if all of it has arrived, as one file that other readers can use, too.
  public var isComplete = false

  /// The part of a station that is kept.
  public struct Shift: Sendable, Hashable {
    /// Seconds from the position to the newest audio that has arrived.
    public var delay: Double
    /// Seconds from the oldest to the newest audio that is kept.
    public var depth: Double

    /// A window; both lengths in seconds.
    public init(delay: Double, depth: Double) { (self.delay, self.depth) = (delay, depth) }

    /// True if the difference is worth publishing: the jitter of packets is not.
    func differs(from other: Shift) -> Bool { abs(delay - other.delay) >= 2 || abs(depth - other.depth) >= 5 }
  }
  /// The kept part of a station; `nil` for other streams.
  public var shift: Shift?

  /// Facts about a stream.
  public init(isLive: Bool, title: String? = nil, stationName: String? = nil) {
    (self.isLive, self.title, self.stationName) = (isLive, title, stationName)
  }

  init(_ stream: NetworkByteSource, _ information: MediaInformation) {
    (isLive, title, stationName) = (stream.isLive, stream.streamTitle, stream.stationName)
    titleCharset = stream.titleCharset
    arrivedShares = stream.arrivedShares
    isComplete = stream.isComplete && arrivedShares == nil
    guard !isLive, !isComplete, arrivedShares == nil, let end = stream.byteCount else { return }
    let start = information.dataOffset ?? 0
    let audioEnd = min(end, information.audioDataByteCount.map { start &+ $0 } ?? end)
    arrivedShares = Self.shares(of: stream.arrivedRanges, in: start..<max(start, audioEnd))
  }

  /// The resolution of `arrivedShares`: finer steps would not be visible on a screen.
  private static let shareStepCount = 256.0

  /// The shares of the audio that have arrived, in whole steps.
  static func shares(of arrived: [Range<Int64>], in audio: Range<Int64>) -> [Range<Double>] {
    guard !audio.isEmpty else { return [] }
    let share = { (offset: Int64) in
      Double(offset &- audio.lowerBound) / Double(audio.upperBound &- audio.lowerBound) * shareStepCount
    }
    return arrived.compactMap { range in
      let part = range.clamped(to: audio)
      let start = share(part.lowerBound).rounded(.up)
      let end = share(part.upperBound).rounded(.down)
      return start < end ? (start / shareStepCount)..<(end / shareStepCount) : nil
    }
  }
}
