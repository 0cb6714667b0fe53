internal import Glibc

/// Filters that together have the gains of an equaliser at its centres.
struct EqualizerDesign {
  /// One for each band that the sample rate has, in their order; none for a flat equaliser.
  let filters: [Biquad]
  /// The highest gain at any frequency in decibels: lowering the level by it prevents clipping.
  let headroom: Double

  init(_ equalizer: Equalizer, sampleRate: Double) {
    guard equalizer != .flat else {
      (filters, headroom) = ([], 0)
      return
    }
    let bands = zip(Equalizer.centers, equalizer.gains).filter { $0.0 < 0.45 * sampleRate }
    // Each bell affects the neighbouring bands: the gains are corrected until the sum is the requested curve.
    var gains = bands.map(\.1)
    var filters: [Biquad] = []
    for _ in 0..<60 {
      filters = zip(bands, gains).map { Biquad(peak: $1, at: $0.0, sampleRate: sampleRate) }
      for (index, band) in bands.enumerated() {
        let error = band.1 - filters.reduce(0) { $0 + $1.decibels(at: band.0, sampleRate: sampleRate) }
        gains[index] = max(-30, min(30, gains[index] + 0.7 * error))
      }
    }
    self.filters = filters
    // 24 points an octave, from 10 Hz on.
    let frequencies = (0..<280).map { 10 * exp2(Double($0) / 24) }.filter { $0 < sampleRate / 2 }
    let response = frequencies.map { frequency in
      filters.reduce(0) { $0 + $1.decibels(at: frequency, sampleRate: sampleRate) }
    }
    headroom = max(0, response.max() ?? 0)
  }
}
