/// The latest audible frames.
public struct HeardSound: Sendable, Hashable {
  /// Interleaved samples; 1 is full scale. Files with floating-point samples may contain infinity or NaN.
  public let samples: [Float]
  /// The number of channels, at least 1.
  public let channelCount: Int
  /// The sample rate in hertz, at least 1.
  public let sampleRate: Int

  /// Interleaved frames. A channel count or sample rate below 1 becomes 1.
  public init(samples: [Float], channelCount: Int, sampleRate: Int) {
    (self.samples, self.channelCount, self.sampleRate) = (samples, max(1, channelCount), max(1, sampleRate))
  }

  /// The mean of the channels.
  public var mono: [Float] {
    guard channelCount > 1 else { return samples }
    if channelCount == 2 { return meanOfTwo }
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

  /// The same for two channels, four frames at a time.
  private var meanOfTwo: [Float] {
    let count = samples.count / 2
    return [Float](unsafeUninitializedCapacity: count) { mean, initializedCount in
      samples.withUnsafeBytes { samples in
        let target = UnsafeMutableRawBufferPointer(mean)
        var frame = 0
        while frame + 4 <= count {
          let pairs = samples.loadUnaligned(fromByteOffset: frame * 8, as: SIMD8<Float>.self)
          target.storeBytes(of: (pairs.evenHalf + pairs.oddHalf) * 0.5, toByteOffset: frame * 4, as: SIMD4<Float>.self)
          frame += 4
        }
        for frame in frame..<count {
          let pair = samples.loadUnaligned(fromByteOffset: frame * 8, as: SIMD2<Float>.self)
          mean[frame] = (pair.x + pair.y) * 0.5
        }
      }
      initializedCount = count
    }
  }

  /// The last frames, at most that number.
  public func suffix(frameCount: Int) -> HeardSound {
    let count = min(max(0, frameCount), samples.count / channelCount) * channelCount
    return HeardSound(samples: Array(samples.suffix(count)), channelCount: channelCount, sampleRate: sampleRate)
  }

  /// The frames that contain the last 1/20 s at any sample rate of sound cards.
  public static let meterFrameCount = 1 << 15

  /// The level of each channel in the last 1/20 s, for meters. Empty without sound.
  public var latestLevels: [AudioLevel] { suffix(frameCount: sampleRate / 20).levels }

  /// The level of each channel. Empty without sound.
  public var levels: [AudioLevel] {
    let frameCount = samples.count / channelCount
    guard frameCount > 0 else { return [] }
    return (0..<channelCount).map { channel in
      var (peak, sum) = (Float(0), Float(0))
      for index in stride(from: channel, to: frameCount * channelCount, by: channelCount) {
        peak = max(peak, abs(samples[index]))
        sum += samples[index] * samples[index]
      }
      return AudioLevel(average: (sum / Float(frameCount)).squareRoot(), peak: peak)
    }
  }
}
