import AudioModel
import Glibc
import SignalProcessing
import Testing

/// A settings value with some things changed.
func settings(_ change: (inout SoundSettings) -> Void) -> SoundSettings {
  var settings = SoundSettings()
  change(&settings)
  return settings
}

func format(_ sampleFormat: PCMFormat.SampleFormat = .f32, channels: Int = 1, rate: Int = 44100) -> PCMFormat {
  PCMFormat(sampleRate: rate, channelCount: channels, sampleFormat: sampleFormat)
}

extension SoundProcessor {
  /// The samples after processing them in pieces of that many frames.
  func processed<Sample: BitwiseCopyable>(_ samples: [Sample], channels: Int = 1, pieces: [Int] = [Int.max]) -> [Sample]
  {
    var samples = samples
    samples.withUnsafeMutableBytes { raw in
      let bytesPerFrame = MemoryLayout<Sample>.size * channels
      var (frame, index) = (0, 0)
      while frame < raw.count / bytesPerFrame {
        let end = frame + min(pieces[index % pieces.count], raw.count / bytesPerFrame - frame)
        process(.init(rebasing: raw[frame * bytesPerFrame..<end * bytesPerFrame]), firstFrame: Int64(frame))
        (frame, index) = (end, index + 1)
      }
    }
    return samples
  }
}

func sine(_ frequency: Double, frames: Int, amplitude: Double, rate: Double = 44100) -> [Float] {
  (0..<frames).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / rate)) }
}

/// The amplitude of one frequency in a signal, by correlation.
func amplitude(of frequency: Double, in samples: ArraySlice<Float>, rate: Double = 44100) -> Double {
  var (real, imaginary) = (0.0, 0.0)
  for (index, sample) in samples.enumerated() {
    let angle = 2 * Double.pi * frequency * Double(index) / rate
    real += Double(sample) * cos(angle)
    imaginary += Double(sample) * sin(angle)
  }
  return 2 * hypot(real, imaginary) / Double(samples.count)
}

/// Nothing of long arrays is printed but where they differ.
func expectSame<Value: Equatable>(_ left: [Value], _ right: [Value], _ location: SourceLocation = #_sourceLocation) {
  let place = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }
  let isSame = place == nil && left.count == right.count
  #expect(isSame, "\((left.count, right.count)), \(String(describing: place))", sourceLocation: location)
}
