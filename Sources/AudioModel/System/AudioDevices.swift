/// The output devices that a sound server has.
public struct AudioDevices: Sendable, Hashable {
  /// All devices, in the server's order.
  public var all: [AudioRoute]
  /// The name of the server's default device; `nil` if it has none.
  public var standard: String?

  /// Devices in the server's order, and the name of its default.
  public init(_ all: [AudioRoute] = [], standard: String? = nil) { (self.all, self.standard) = (all, standard) }

  /// The device with this name of the server (`AudioRoute.device`); `nil` if there is none.
  public func named(_ name: String) -> AudioRoute? { all.first { $0.device == name } }
}
