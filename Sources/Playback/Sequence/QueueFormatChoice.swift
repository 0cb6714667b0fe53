internal import AudioModel

/// The choice of the format in which a track is queued.
///
/// Without speed and effects each track has its own format, bit-exact. With them, its samples change anyway: then
/// tracks of all formats share the stream that plays, so that nothing interrupts it.
struct QueueFormatChoice: Hashable {
  /// True if speed or effects change the samples.
  var isConverted: Bool
  /// The format of the queue that is filled.
  var queue: PCMFormat?
  /// The channels of the output device, if they are known.
  var deviceChannelCount: Int?

  func format(for track: PCMFormat) -> PCMFormat {
    // No output plays other rates.
    guard isConverted, track != queue, 1...768_000 ~= track.sampleRate, 1...32 ~= track.channelCount else {
      return track
    }
    let channelCount = channelCount(for: track)
    if let queue, queue.sampleRate >= min(track.sampleRate, Self.sufficientRate),
      channelCount...max(channelCount, deviceChannelCount ?? 0) ~= queue.channelCount
    {
      return queue
    }
    let rate = max(track.sampleRate, Self.sufficientRate)
    guard rate != track.sampleRate || channelCount != track.channelCount else { return track }
    return PCMFormat(sampleRate: rate, channelCount: channelCount, sampleFormat: .f32)
  }

  /// A stream of this rate carries tracks of every rate: it has all that can be heard.
  private static let sufficientRate = 44_100

  /// At least two channels, so that any track of one or two can follow; no more than the device has, which would mix
  /// them down, and all others with them.
  private func channelCount(for track: PCMFormat) -> Int {
    max(2, min(track.channelCount, deviceChannelCount ?? .max))
  }
}
