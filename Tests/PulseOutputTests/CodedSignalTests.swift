import SoundServerSupport
import Testing

@Suite struct `A recording of numbered frames` {
  private func recording(_ parts: [Range<Int>?]) -> [Int16] {
    parts.flatMap { part -> [Int16] in
      guard let part else { return [Int16](repeating: 0, count: 2 * 1024) }
      return part.flatMap { frame in [CodedSignal.samples(ofFrame: frame).0, CodedSignal.samples(ofFrame: frame).1] }
    }
  }

  @Test(
    arguments: [
      ([0..<2000, nil, 3024..<5000], 0, [0..<5000]),
      ([0..<2000, nil, nil, 4048..<5000], 0, [0..<5000]),
      // Late, lost, and both.
      ([0..<2000, nil, 2000..<5000], 0, [0..<5000]),
      ([0..<2000, 3024..<5000], 0, [0..<2000, 3024..<5000]),
      ([0..<2000, nil, 3025..<5000], 0, [0..<2000, 3025..<5000]),
      ([0..<2000, nil, nil, nil, nil, nil, 7120..<8000], 0, [0..<2000, 7120..<8000]),
      // Missed by the recorder, while the machine stood still for 2047 or 2048 frames.
      ([0..<2000, 3024..<5000], 2047, [0..<5000]),
      ([0..<2000, 4048..<5000], 2047, [0..<2000, 4048..<5000]),
      ([0..<2000, 4048..<5000], 2048, [0..<5000]),
      ([0..<2000, nil, 4048..<5000], 2048, [0..<5000]),
      ([0..<2000, 3025..<5000], 2048, [0..<2000, 3025..<5000]),
      ([0..<2000, 1000..<5000], 2048, [0..<2000, 1000..<5000]),
    ] as [([Range<Int>?], Int, [Range<Int>])])
  func `gets back blocks that were left out, and nothing else`(
    parts: [Range<Int>?], stolenFrames: Int, runs: [Range<Int>]
  ) {
    let samples = recording(parts)
    let whole = CodedSignal.withoutMissedBlocks(samples, blockFrames: 1024, stolenFrames: stolenFrames)
    #expect(CodedSignal.runs(in: whole) == runs)
    #expect((runs.count == 1 && parts.last != 2000..<5000) == (whole != samples))
  }

  @Test func `gets back a block that is two blocks in one`() {
    var samples = recording([0..<2000, nil, 4048..<5000])
    for frame in 2000..<3024 {
      let (a, b) = (CodedSignal.samples(ofFrame: frame), CodedSignal.samples(ofFrame: frame + 1024))
      (samples[2 * frame], samples[2 * frame + 1]) = (a.0 + b.0, a.1 + b.1)
    }
    let whole = CodedSignal.withoutMissedBlocks(samples, blockFrames: 1024, stolenFrames: 2048)
    #expect(CodedSignal.runs(in: whole) == [0..<5000])
  }
}
