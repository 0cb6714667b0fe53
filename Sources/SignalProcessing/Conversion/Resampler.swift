internal import AudioModel
internal import CSampleRate

/// Changes the sample rate by libsamplerate. Owns one `SRC_STATE`.
final class Resampler {
  private let functions: samplerate_functions
  private let state: OpaquePointer
  private let channelCount: Int
  private let ratio: Double
  /// Frames that the converter has not taken yet.
  private var pending: [Float] = []

  init(from input: PCMFormat, to output: PCMFormat, _ quality: PCMConverter.Quality) throws(PCMConverterError) {
    ratio = Double(output.sampleRate) / Double(input.sampleRate)
    // SRC_MAX_RATIO.
    guard 1 / 256...256 ~= ratio else { throw .formatNotSupported }
    channelCount = min(input.channelCount, output.channelCount)
    guard let functions = Self.library?.pointee else { throw .libraryMissing }
    guard let state = functions.create(quality.rawValue, Int32(channelCount), nil) else { throw .formatNotSupported }
    (self.functions, self.state) = (functions, state)
  }

  deinit { _ = functions.delete_state(state) }

  func reset() {
    _ = functions.reset(state)
    pending = []
  }

  func convert(_ samples: [Float], isLast: Bool) throws(PCMConverterError) -> [Float] {
    pending += samples
    var result: [Float] = []
    var block = [Float](repeating: 0, count: 4096 * channelCount)
    var start = 0
    while true {
      var data = SRC_DATA()
      let error = pending[start...].withUnsafeBufferPointer { input in
        block.withUnsafeMutableBufferPointer { output in
          data.data_in = input.baseAddress
          data.data_out = output.baseAddress
          (data.input_frames, data.output_frames) = (input.count / channelCount, output.count / channelCount)
          data.end_of_input = isLast ? 1 : 0
          data.src_ratio = ratio
          return functions.process(state, &data)
        }
      }
      guard error == 0 else { throw .failed(error) }
      start += data.input_frames_used * channelCount
      result += block[..<(data.output_frames_gen * channelCount)]
      guard data.output_frames_gen > 0 || data.input_frames_used > 0 else { break }
    }
    pending.removeFirst(start)
    return result
  }

  // Safety: points to a table that never changes after it was loaded.
  nonisolated(unsafe) static let library = samplerate_load()
}
