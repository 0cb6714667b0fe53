/// The output device.
public struct AudioRoute: Sendable, Hashable {
  /// The sound server's name for it: a sink.
  public var device: String
  /// The description, with the connector if there are several: `Built-in Audio (Headphones)`.
  public var description: String
  /// True for headphones and headsets.
  public var isHeadset: Bool
  /// The device's own volume, 1 is its 100 %, on the server's scale.
  public var volume: Double
  /// True if the device itself is muted, not only a program's sound.
  public var isMuted: Bool

  /// The number of its channels, if that is known.
  public var channelCount: Int?
  /// The changes that samples undergo on the way to the device, in words: empty for none; `nil` where they are unknown,
  /// as with a sound server.
  public var changes: String?

  /// A route to a device; without `volume` at its 100 %.
  public init(
    device: String, description: String, isHeadset: Bool = false, volume: Double = 1, isMuted: Bool = false,
    channelCount: Int? = nil, changes: String? = nil
  ) {
    self.device = device
    self.description = description
    self.isHeadset = isHeadset
    self.volume = volume
    self.isMuted = isMuted
    self.channelCount = channelCount
    self.changes = changes
  }

  /// True if device and connector are the same, whatever the volume.
  public func leadsWhere(_ other: AudioRoute) -> Bool { device == other.device && description == other.description }
}
