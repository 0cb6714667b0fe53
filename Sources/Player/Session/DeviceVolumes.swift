/// The volume on each output device: headphones and speakers keep their own. Pure.
public struct DeviceVolumes: Sendable, Hashable {
  /// The volume with which a device was left.
  public struct Entry: Sendable, Hashable {
    public var device: String
    /// 0...1.
    public var volume: Double

    public init(_ device: String, _ volume: Double) { (self.device, self.volume) = (device, volume) }
  }

  /// The present device is the last entry.
  public private(set) var entries: [Entry] = []
  /// True if the present device was seen since the start.
  private var isKnown = false
  /// True if the volume was set before a device was seen: it is meant for that device.
  private var isSetBefore = false
  static let limit = 32

  public init() {}

  /// The devices of an earlier session, the one that played last at the end.
  init(_ entries: [Entry]) { self.entries = entries.suffix(Self.limit) }

  mutating func noteVolumeSet() { isSetBefore = isSetBefore || !isKnown }

  /// Follows the sound to a device. Returns the volume that this device had last, if it is another one.
  ///
  /// - Parameter volume: The present volume, which belongs to the device before.
  mutating func follow(_ device: String, volume: Double) -> Double? {
    let isFirst = !isKnown
    isKnown = true
    if let last = entries.indices.last, !isFirst || entries[last].device == device { entries[last].volume = volume }
    guard entries.last?.device != device else { return nil }
    let place = entries.firstIndex { $0.device == device }
    let kept = place.map { entries.remove(at: $0).volume } ?? volume
    let new = isFirst && isSetBefore ? volume : kept
    entries = (entries + [Entry(device, new)]).suffix(Self.limit)
    return new == volume ? nil : new
  }
}
