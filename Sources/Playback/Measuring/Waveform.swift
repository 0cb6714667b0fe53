/// The loudness of a track from its start to its end, to be drawn.
public struct Waveform: Sendable, Hashable {
  /// The loudness (RMS) of parts of equal length, in their order; 255 is that of the loudest.
  public let levels: [UInt8]

  /// The largest number of parts.
  public static let partLimit = 2048

  /// A waveform of the first `partLimit` of these parts.
  public init(levels: [UInt8]) { self.levels = Array(levels.prefix(Self.partLimit)) }

  /// A track whose parts have these mean squares.
  init(meanSquares: [Double]) {
    let loudest = meanSquares.max() ?? 0
    self.init(levels: meanSquares.map { loudest > 0 ? UInt8(clamping: Int(255 * ($0 / loudest).squareRoot())) : 0 })
  }

  /// The loudness of each of `count` equal parts of the track, 0...1.
  public func loudness(inParts count: Int) -> [Double] {
    guard !levels.isEmpty, count > 0 else { return [] }
    return (0..<count).map { part in
      let start = part * levels.count / count
      let range = start..<max(start + 1, (part + 1) * levels.count / count)
      return Double(levels[range].reduce(0) { $0 + Int($1) }) / Double(255 * range.count)
    }
  }
}

/// Measures parts of a track whose length need not be known: when there are too many parts, neighbours are merged.
struct WaveformMeter {
  /// Sums of squares of whole parts.
  private var energies: [Double] = []
  private var samplesPerPart = 1024
  private var energy = 0.0
  private var sampleCount = 0

  /// Takes the next samples of a track, of all channels alike.
  mutating func add(_ samples: UnsafeBufferPointer<Int16>) {
    var rest = samples[...]
    while !rest.isEmpty {
      let part = rest.prefix(samplesPerPart - sampleCount)
      energy += Self.energy(of: UnsafeBufferPointer(rebasing: part))
      sampleCount += part.count
      rest = rest.dropFirst(part.count)
      if sampleCount == samplesPerPart { finishPart() }
    }
  }

  /// The sum of their squares.
  static func energy(of samples: UnsafeBufferPointer<Int16>) -> Double {
    var sum: Int64 = 0
    for sample in samples { sum &+= Int64(Int32(sample) &* Int32(sample)) }
    return Double(sum)
  }

  private mutating func finishPart() {
    energies.append(energy)
    (energy, sampleCount) = (0, 0)
    guard energies.count == Waveform.partLimit else { return }
    energies = stride(from: 0, to: energies.count, by: 2).map { energies[$0] + energies[$0 + 1] }
    samplesPerPart *= 2
  }

  /// All that was added.
  var waveform: Waveform {
    let last = sampleCount > 0 ? [energy / Double(sampleCount)] : []
    return Waveform(meanSquares: energies.map { $0 / Double(samplesPerPart) } + last)
  }
}
