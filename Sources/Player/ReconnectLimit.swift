public import Commands
public import Streaming

/// Applies the setting `reconnects`.
public final class ReconnectLimit: PlayerObserver {
  private let network: Network

  /// A limit for the streams of a network.
  public init(_ network: Network) { self.network = network }

  /// Takes the settings.
  public func show(_ settings: Settings) { network.setTryLimit(settings.reconnects) }
}
