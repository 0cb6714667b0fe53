/// Gains of ten bands, an octave each, in decibels.
public struct Equalizer: Sendable, Hashable {
  /// Centres of the bands in hertz (ISO 266, octaves).
  public static let centers: [Double] = [31.5, 63, 125, 250, 500, 1000, 2000, 4000, 8000, 16000]
  /// The largest gain and attenuation of a band.
  public static let limit = 12.0
  /// A flat equaliser, which changes nothing.
  public static let flat = Equalizer()

  /// A gain for each band, within `limit`.
  public private(set) var gains: [Double]

  private init() { gains = Array(repeating: 0, count: Self.centers.count) }

  /// Ten gains; `nil` for another number of gains, or gains outside -12...12.
  public init?(gains: [Double]) {
    guard gains.count == Self.centers.count, gains.allSatisfy({ abs($0) <= Self.limit }) else { return nil }
    self.gains = gains
  }

  /// Parses `text`: the name of a preset, or ten numbers with commas between them.
  public init?(_ text: String) {
    if let preset = Self.presets.first(where: { $0.name == text }) {
      self = preset.equalizer
      return
    }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
    let gains = numbers.compactMap { Double($0.filter { $0 != " " }) }
    guard gains.count == numbers.count else { return nil }
    self.init(gains: gains)
  }

  /// The name of the preset with these gains; `nil` without one.
  public var presetName: String? { Self.presets.first { $0.equalizer == self }?.name }

  /// Settings to begin with, by name.
  public static let presets: [(name: String, equalizer: Equalizer)] = [
    ("flat", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ("bass", [6, 5.5, 4.5, 2.5, 0.5, 0, 0, 0, 0, 0]),
    ("classical", [0, 0, 0, 0, 0, 0, -1, -2, -2.5, -3]),
    ("dance", [5, 4.5, 2.5, 0, -0.5, -1.5, -1, 1, 2.5, 3]),
    ("headphones", [2, 2.5, 1.5, 0, -1, -0.5, 1, 2, 1, 2]),
    ("jazz", [2.5, 2, 1, 1.5, -1, -1, 0, 1, 2, 2.5]),
    ("laptop", [-6, -4, 0, 2, 2.5, 1.5, 1, 1.5, 2.5, 2]),
    ("loudness", [6, 4.5, 1.5, 0, -1, -0.5, 0, 1, 3, 5]),
    ("pop", [-1, 0, 1.5, 3, 3.5, 2.5, 1, 0, -0.5, -1]),
    ("rock", [4, 3, 1.5, -1, -2, -0.5, 1.5, 3, 3.5, 4]),
    ("treble", [0, 0, 0, 0, 0, 0.5, 2, 4, 5.5, 6]),
    ("vocal", [-3, -2.5, -1, 1, 3, 4, 3.5, 2, 0, -1]),
  ].map { name, gains in (name, Equalizer(gains: gains) ?? .flat) }
}
