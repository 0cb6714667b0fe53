internal import AudioModel
internal import Playback
internal import Commands
internal import SignalProcessing

extension PlaybackSnapshot {
  /// The reasons to show beside the state, the shorter ones last; none if the user caused it.
  var shownReasons: [String] {
    if state == .playing || reason == .user { return [] }
    let caller = reason == .interruption ? others.caller.map { ["\(reason.words) by \($0.prefix(40))"] } : nil
    return (caller ?? []) + [reason.words]
  }

  /// Seconds, if they are known and can be divided by.
  var usableDuration: Double? {
    information.duration.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }

  /// The least delay of a station in seconds: the audio that it sends ahead, and the audio that the device holds.
  private static let liveDelay = 15.0

  /// The volume in percent, or `muted`.
  var volumeText: String {
    isMuted ? "muted" : "\(volume.isFinite ? Int((volume.clamped(to: 0...1) * 100).rounded()) : 0)%"
  }

  /// The whole duration: `2:03`, `~1:58` for an estimate, `--:--` if it is unknown; for a station `live`, or the
  /// time-shift behind it.
  var totalText: String {
    if let shift = stream?.shift { return shift.delay < Self.liveDelay ? "live" : "-" + timeText(shift.delay) }
    guard let duration = usableDuration else { return timeText(nil) }
    return (information.durationIsEstimated ? "~" : "") + timeText(duration)
  }

  /// The processing of the sound, without neutral settings: `gain -7.2 dB`, `eq rock`, `crossfade 4 s`,
  /// `1.25x`.
  private var soundTexts: [String] {
    var texts: [String] = []
    let decibels = gain?.decibels ?? 0
    if Int((decibels * 10).rounded()) != 0 { texts.append("gain \(gainText(decibels))") }
    if sound.equalizer != .flat { texts.append("eq" + (sound.equalizer.presetName.map { " " + $0 } ?? "")) }
    if !sound.effects.isNeutral {
      texts += sound.effects.effects.map { String($0.words.prefix { $0 != " " }) }
    }
    if crossfade > 0 { texts.append("crossfade \(written(crossfade)) s") }
    let hundredths = Int((speed * 100).rounded())
    if hundredths != 100 { texts.append("\(hundredths / 100).\(String(100 + hundredths % 100).dropFirst())x") }
    return texts
  }

  /// The format and the processing of the sound, the longest text first: `MP3 VBR 245k 44.1 kHz stereo`, `MP3 245k`,
  /// `MP3`.
  var technicalTexts: [String] {
    guard entry != nil, let format = information.dataFormat else { return [] }
    let name = format.formatID.name
    let bitRate = information.bitRate.map { "\(($0 &+ 500) / 1000)k" }
    var words = [name]
    if information.hasVariableBitRate { words.append("VBR") }
    if let bitRate { words.append(bitRate) }
    if format.sampleRate > 0, format.sampleRate < 1e9 {
      let hertz = Int(format.sampleRate.rounded())
      let fraction = String(1000 + hertz % 1000).dropFirst().reversed().drop { $0 == "0" }.reversed()
      words.append("\(hertz / 1000)\(fraction.isEmpty ? "" : "." + String(fraction)) kHz")
    }
    words.append(channelText(format.channelsPerFrame))
    let brief = [name] + (bitRate.map { [$0] } ?? []) + soundTexts
    return [words + soundTexts, brief, [name]].map { $0.joined(separator: " ") }
  }

  private func channelText(_ count: Int) -> String { count == 1 ? "mono" : count == 2 ? "stereo" : "\(count)ch" }
}

extension MediaInformation {
  /// True if packets differ by more than the byte of padding that a constant bit rate needs.
  fileprivate var hasVariableBitRate: Bool {
    guard let packetCount, packetCount > 0, let byteCount = audioDataByteCount, let largest = maximumPacketSize else {
      return false
    }
    return Double(largest) > Double(byteCount) / Double(packetCount) + 1
  }
}
