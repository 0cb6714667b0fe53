/// The values of the setting `visualizer`.
public enum VisualizerKind: String, Sendable, Hashable, CaseIterable {
  case off, spectrum, levels

  /// The next one in the order of the key.
  var following: Self {
    switch self {
    case .off: .spectrum
    case .spectrum: .levels
    case .levels: .off
    }
  }
}
