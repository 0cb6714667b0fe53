/// Stereo PCM with numbered frames, so that a recording shows which frames were played, lost or repeated.
///
/// Frame n holds 1 + n mod 32767 on the left and 1 + n / 32767 on the right: never silence, and no frame like another
/// for six hours of 44.1 kHz.
public enum CodedSignal {
  /// Left and right sample of a frame.
  public static func samples(ofFrame frame: Int) -> (Int16, Int16) {
    (Int16(truncatingIfNeeded: 1 + frame % 32767), Int16(truncatingIfNeeded: 1 + frame / 32767))
  }

  /// Writes frames into memory, from its start on.
  public static func write(_ frames: Range<Int>, into bytes: UnsafeMutableRawBufferPointer) {
    for (index, frame) in frames.enumerated() {
      let (left, right) = samples(ofFrame: frame)
      bytes.storeBytes(of: left, toByteOffset: index * 4, as: Int16.self)
      bytes.storeBytes(of: right, toByteOffset: index * 4 + 2, as: Int16.self)
    }
  }

  /// A stereo recording with the blocks put back that its server left out: silence in the place, and of the length, of
  /// the frames that are missing. A player that loses frames leaves no such silence, and one that is late loses none.
  public static func withoutMissedBlocks(_ samples: [Int16], blockFrames: Int) -> [Int16] {
    var samples = samples
    var last: (frame: Int, index: Int)?
    for index in stride(from: 0, to: samples.count - 1, by: 2) where samples[index] > 0 && samples[index + 1] > 0 {
      let frame = Int(samples[index]) - 1 + (Int(samples[index + 1]) - 1) * 32767
      let silence = last.map { (index - $0.index) / 2 - 1 } ?? 0
      if let last, silence > 0, silence == frame - last.frame - 1, silence.isMultiple(of: blockFrames),
        silence <= 4 * blockFrames
      {
        print("the server left out \(silence) frames at \(last.frame)")
        for missed in 1...silence {
          (samples[last.index + 2 * missed], samples[last.index + 2 * missed + 1]) = Self.samples(
            ofFrame: last.frame + missed)
        }
      }
      last = (frame, index)
    }
    return samples
  }

  /// The runs of consecutive frames in a stereo recording, without silence. An empty range at -1 marks frames that are
  /// not part of the signal.
  public static func runs(in samples: [Int16]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in stride(from: 0, to: samples.count - 1, by: 2) {
      let (left, right) = (samples[index], samples[index + 1])
      if left == 0, right == 0 { continue }
      guard left > 0, right > 0 else {
        runs.append(-1..<(-1))
        continue
      }
      let frame = Int(left) - 1 + (Int(right) - 1) * 32767
      if let last = runs.last, last.upperBound == frame {
        runs[runs.count - 1] = last.lowerBound..<frame + 1
      } else {
        runs.append(frame..<frame + 1)
      }
    }
    return runs
  }
}
