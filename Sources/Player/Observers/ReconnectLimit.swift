public import Commands
public import Streaming

/// Applies the setting `reconnects`.
public final class ReconnectLimit: PlayerObserver {
  private let network: Network

  public init(_ network: Network) { self.network = network }

  public func show(_ settings: Settings) { network.setTryLimit(settings.reconnects) }
}
