public import AudioModel
internal import CRubberBand

/// Time stretch and pitch shift by Rubber Band's faster engine, in its real-time mode. Owns one `RubberBandState`.
final class RubberBandConverter: RateConverter {
  private let rubberBand: rubberband_functions
  private let state: RubberBandState
  private let channelCount: Int
  /// Channel after channel, `rateConverterChunk` samples each.
  private let planes: UnsafeMutablePointer<Float>
  private let channels: UnsafeMutablePointer<UnsafePointer<Float>?>
  private let mutableChannels: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  /// Output frames that precede the first input frame, and have to be dropped.
  private var undroppedFrameCount = 0

  /// Throws `codecNotFound` if the library is not installed or has no memory, and for rates outside 1...768 kHz: at
  /// some of those it never returns.
  init(sampleRate: Int, channelCount: Int) throws(AudioQueueError) {
    let options =
      RubberBandOptionProcessRealTime.rawValue | RubberBandOptionThreadingNever.rawValue
      | RubberBandOptionChannelsTogether.rawValue | RubberBandOptionPitchHighConsistency.rawValue
    guard 1000...768_000 ~= sampleRate, let rubberBand = library?.pointee,
      let state = rubberBand.new(UInt32(sampleRate), UInt32(channelCount), Int32(bitPattern: options), 1, 1)
    else { throw .codecNotFound }
    (self.rubberBand, self.state, self.channelCount) = (rubberBand, state, channelCount)
    planes = .allocate(capacity: rateConverterChunk * channelCount)
    planes.initialize(repeating: 0, count: rateConverterChunk * channelCount)
    channels = .allocate(capacity: channelCount)
    mutableChannels = .allocate(capacity: channelCount)
    for channel in 0..<channelCount {
      let plane = planes + channel * rateConverterChunk
      (channels + channel).initialize(to: UnsafePointer(plane))
      (mutableChannels + channel).initialize(to: plane)
    }
    rubberBand.set_max_process_size(state, UInt32(rateConverterChunk))
  }

  deinit {
    rubberBand.delete(state)
    planes.deallocate()
    channels.deallocate()
    mutableChannels.deallocate()
  }

  var availableFrameCount: Int {
    dropStart()
    return undroppedFrameCount > 0 ? 0 : max(0, Int(rubberBand.available(state)))
  }

  func reset(rate: Double, pitch: Double) {
    rubberBand.reset(state)
    rubberBand.set_time_ratio(state, 1 / rate)
    rubberBand.set_pitch_scale(state, pitchScale(cents: pitch))
    undroppedFrameCount = Int(rubberBand.get_start_delay(state))
    putSilence(Int(rubberBand.get_preferred_start_pad(state)))
  }

  private func putSilence(_ frameCount: Int) {
    planes.update(repeating: 0, count: rateConverterChunk * channelCount)
    var rest = frameCount
    while rest > 0 {
      rubberBand.process(state, channels, UInt32(min(rest, rateConverterChunk)), 0)
      rest -= rateConverterChunk
    }
  }

  func put(_ samples: UnsafeBufferPointer<Float>) {
    let frameCount = min(rateConverterChunk, samples.count / channelCount)
    for channel in 0..<channelCount {
      let plane = planes + channel * rateConverterChunk
      for frame in 0..<frameCount { plane[frame] = samples[frame * channelCount + channel] }
    }
    rubberBand.process(state, channels, UInt32(frameCount), 0)
  }

  func take(into samples: UnsafeMutableBufferPointer<Float>) -> Int {
    var count = 0
    while case let wanted = min(samples.count / channelCount - count, availableFrameCount), wanted > 0 {
      let got = retrieve(wanted)
      guard got > 0 else { break }
      for channel in 0..<channelCount {
        let plane = planes + channel * rateConverterChunk
        for frame in 0..<got { samples[(count + frame) * channelCount + channel] = plane[frame] }
      }
      count += got
    }
    return count
  }

  private func dropStart() {
    while undroppedFrameCount > 0, case let ready = Int(rubberBand.available(state)), ready > 0 {
      let dropped = retrieve(min(ready, undroppedFrameCount))
      guard dropped > 0 else { return }
      undroppedFrameCount -= dropped
    }
  }

  private func retrieve(_ frameCount: Int) -> Int {
    Int(rubberBand.retrieve(state, mutableChannels, UInt32(min(frameCount, rateConverterChunk))))
  }
}

nonisolated(unsafe) private let library = rubberband_load()

extension AudioQueue {
  /// The library for speed and pitch. Opens it. Any thread.
  public static var timeStretchLibrary: SharedLibrary {
    SharedLibrary(SEGUE_RUBBERBAND, functions: UnsafeRawPointer(library))
  }
}
