/// Frames that have just been heard.
public struct HeardSound: Sendable, Hashable {
  /// Interleaved, full scale being 1.
  public var samples: [Float]
  /// At least 1.
  public var channelCount: Int
  /// In hertz.
  public var sampleRate: Int

  /// Sound.
  public init(samples: [Float], channelCount: Int, sampleRate: Int) {
    (self.samples, self.channelCount, self.sampleRate) = (samples, channelCount, sampleRate)
  }

  /// The mean of the channels.
  public var mono: [Float] {
    guard channelCount > 1 else { return samples }
    let share = 1 / Float(channelCount)
    let count = samples.count / channelCount
    return [Float](unsafeUninitializedCapacity: count) { mean, initializedCount in
      samples.withUnsafeBufferPointer { samples in
        for frame in 0..<count {
          var sum: Float = 0
          for index in frame * channelCount..<(frame + 1) * channelCount { sum += samples[index] }
          mean[frame] = sum * share
        }
      }
      initializedCount = count
    }
  }

  /// The level of each channel over the last frames, at most that number. Empty without sound.
  public func levels(frameCount: Int) -> [AudioLevel] {
    let count = min(frameCount, samples.count / channelCount)
    guard count > 0 else { return [] }
    return (0..<channelCount).map { channel in
      var (peak, sum) = (Float(0), Float(0))
      for index in stride(from: samples.count - count * channelCount + channel, to: samples.count, by: channelCount) {
        peak = max(peak, abs(samples[index]))
        sum += samples[index] * samples[index]
      }
      return AudioLevel(average: (sum / Float(count)).squareRoot(), peak: peak)
    }
  }
}
