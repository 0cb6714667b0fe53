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
      ([0..<2000, nil, 3024..<5000], [0..<5000]),
      ([0..<2000, nil, nil, 4048..<5000], [0..<5000]),
      // Late, lost, and both.
      ([0..<2000, nil, 2000..<5000], [0..<5000]),
      ([0..<2000, 3024..<5000], [0..<2000, 3024..<5000]),
      ([0..<2000, nil, 3025..<5000], [0..<2000, 3025..<5000]),
      ([0..<2000, nil, nil, nil, nil, nil, 7120..<8000], [0..<2000, 7120..<8000]),
    ] as [([Range<Int>?], [Range<Int>])])
  func `gets back blocks that its server left out, and nothing else`(parts: [Range<Int>?], runs: [Range<Int>]) {
    let samples = recording(parts)
    let whole = CodedSignal.withoutMissedBlocks(samples, blockFrames: 1024)
    #expect(CodedSignal.runs(in: whole) == runs)
    #expect(whole.count == samples.count && (runs.count == 1 && parts[2] != 2000..<5000) == (whole != samples))
  }
}
