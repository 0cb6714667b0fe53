internal import AudioModel
internal import AudioOutput
internal import Commands
internal import Playback

/// The output of a session, with the devices that its observers have seen.
struct OutputChooser {
  private let output: (any AudioOutput)?
  private(set) var list = OutputList()
  var volumes = DeviceVolumes()
  /// The chosen device that was reported as missing.
  private var missing: String?

  init(_ output: (any AudioOutput)?) { self.output = output }

  /// A list that stays as it is.
  init(_ list: OutputList) { (output, self.list) = (nil, list) }

  /// Moves the sound to a device: `Settings.output`.
  func choose(_ name: String) { output?.setDevice(name == Settings.standardOutput ? nil : name) }

  /// The consequences of a change of devices.
  struct News: Equatable {
    var isOther = false
    /// The volume of the device that plays now, if it is not that of the one before.
    var volume: Double?
    /// Sentences for the listener.
    var sentences: [String] = []
  }

  /// Brings the list up to date.
  ///
  /// - Parameter volume: The present volume.
  mutating func refresh(_ snapshot: PlaybackSnapshot, chosen: String, volume: Double) -> News {
    let old = list
    let playing = snapshot.state == .stopped ? nil : snapshot.route?.device
    if let devices = output?.devices { list = OutputList(devices, playing: playing, chosen: chosen) }
    var news = News(isOther: list != old)
    if let present = list.present.flatMap(list.devices.named) {
      news.volume = volumes.follow(present.device, volume: volume)
      news.sentences =
        news.volume.map { ["volume \(Int(($0 * 100).rounded()))%, as before on \(present.description)"] } ?? []
    }
    if let complaint = complaint(chosen: chosen) { news.sentences.append(complaint) }
    return news
  }

  /// A sentence about a chosen device that is not there, once.
  mutating func complaint(chosen: String) -> String? {
    guard chosen != Settings.standardOutput, !list.devices.all.isEmpty, list.devices.named(chosen) == nil else {
      missing = nil
      return nil
    }
    defer { missing = chosen }
    return missing == chosen ? nil : "output \(chosen) is not there: the default plays until it returns"
  }
}
