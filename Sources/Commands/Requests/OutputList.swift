public import AudioModel
internal import AudioOutput
internal import Playback

/// The output devices, the present one, and the choice of the listener.
public struct OutputList: Sendable, Hashable {
  /// The devices of the sound server; none while they are unknown, or if there is no choice.
  public var devices = AudioDevices()
  /// The name of the device that plays, or would play.
  public var present: String?

  public init() {}

  package init(_ devices: AudioDevices, playing: String?, chosen: String) {
    self.devices = devices
    present = playing ?? devices.named(chosen)?.device ?? devices.standard
  }

  /// Finds a device by its name or a part of its description, in any case; `nil` for the server's default.
  package func device(named words: String) throws(Refusal) -> AudioRoute? {
    if words == Settings.standardOutput { return nil }
    if let device = devices.named(words) { return device }
    if devices.all.isEmpty { throw Refusal(text: "the output has no devices to choose from") }
    let wanted = words.lowercased()
    let found = devices.all.filter { device in
      [device.device, device.description].contains { $0.lowercased().contains(wanted) }
    }
    if found.count == 1 { return found[0] }
    let names = listed(found.map(\.device))
    throw Refusal(text: found.isEmpty ? "no output \"\(words)\"; output lists them" : "\"\(words)\" may be \(names)")
  }

  package struct Refusal: Error { package var text: String }

  package var sentence: String {
    if devices.all.isEmpty { return "the output has no devices to choose from" }
    let (now, others) = (devices.all.filter { $0.device == present }, devices.all.filter { $0.device != present })
    let words = { (devices: [AudioRoute]) in devices.map { "\($0.device) (\($0.description))" }.joined(separator: ", ")
    }
    return "output is \(now.isEmpty ? "unknown" : words(now))" + (others.isEmpty ? "" : "; others: \(words(others))")
  }
}
