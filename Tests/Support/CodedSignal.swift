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

  /// A stereo recording with the blocks put back that its server left out, with silence in their place, or that its
  /// recorder missed or got spoiled while the virtual machine stood still: `stolenFrames` at most, with less or nothing
  /// in their place. A player that loses frames leaves no such silence, and one that is late loses none.
  public static func withoutMissedBlocks(_ samples: [Int16], blockFrames: Int, stolenFrames: Int) -> [Int16] {
    var whole: [Int16] = []
    whole.reserveCapacity(samples.count)
    var last: (frame: Int, end: Int)?
    for index in stride(from: 0, to: samples.count - 1, by: 2) {
      if let frame = frame(samples, index), isNext(frame, last?.frame) || isNext(self.frame(samples, index + 2), frame)
      {
        if let last, case let missed = frame - last.frame - 1, missed > 0, missed.isMultiple(of: blockFrames),
          case let gap = (whole.count - last.end) / 2,
          gap == missed && missed <= 4 * blockFrames
            || gap <= missed && gap.isMultiple(of: blockFrames) && missed <= stolenFrames
        {
          print("the server or its recorder left out \(missed) frames at \(last.frame), with \(gap) others instead")
          whole.removeSubrange(last.end...)
          for missed in last.frame + 1..<frame {
            whole += [Self.samples(ofFrame: missed).0, Self.samples(ofFrame: missed).1]
          }
        }
        last = (frame, whole.count + 2)
      }
      whole.append(samples[index])
      whole.append(samples[index + 1])
    }
    return whole
  }

  private static func isNext(_ frame: Int?, _ last: Int?) -> Bool { last.map { $0 + 1 == frame } ?? false }

  /// The frame at that index of a stereo recording; nil for silence, other audio and the end.
  private static func frame(_ samples: [Int16], _ index: Int) -> Int? {
    guard index + 1 < samples.count, samples[index] > 0, samples[index + 1] > 0 else { return nil }
    return Int(samples[index]) - 1 + (Int(samples[index + 1]) - 1) * 32767
  }

  /// The runs of consecutive frames in a stereo recording, without silence. An empty range at -1 marks frames that are
  /// not part of the signal.
  public static func runs(in samples: [Int16]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in stride(from: 0, to: samples.count - 1, by: 2) {
      if samples[index] == 0, samples[index + 1] == 0 { continue }
      guard let frame = frame(samples, index) else {
        runs.append(-1..<(-1))
        continue
      }
      if let last = runs.last, last.upperBound == frame {
        runs[runs.count - 1] = last.lowerBound..<frame + 1
      } else {
        runs.append(frame..<frame + 1)
      }
    }
    return runs
  }
}
