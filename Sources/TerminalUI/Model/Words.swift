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
  var soundTexts: [String] {
    var texts: [String] = []
    let decibels = gain?.decibels ?? 0
    if Int((decibels * 10).rounded()) != 0 { texts.append("gain \(gainText(decibels))") }
    if sound.equalizer != .flat { texts.append("eq" + (sound.equalizer.presetName.map { " " + $0 } ?? "")) }
    if !sound.effects.isNeutral {
      texts += sound.effects.effects.map { String($0.words.prefix { $0 != " " }) }
    }
    if crossfade > 0 { texts.append("crossfade \(written(crossfade)) s") }
    return texts + (speedText.map { [$0] } ?? [])
  }

  private var speedText: String? {
    let hundredths = Int((speed * 100).rounded())
    return hundredths == 100 ? nil : "\(hundredths / 100).\(String(100 + hundredths % 100).dropFirst())x"
  }

  /// The format in one word, and a speed that is not the usual one: `FLAC`, `MP3  1.25x`.
  var formatText: String {
    guard entry != nil, let format = information.dataFormat else { return "" }
    return [format.formatID.name, speedText].compactMap(\.self).joined(separator: "  ")
  }
}

extension MediaInformation {
  /// True if packets differ by more than the byte of padding that a constant bit rate needs.
  var hasVariableBitRate: Bool {
    guard let packetCount, packetCount > 0, let byteCount = audioDataByteCount, let largest = maximumPacketSize else {
      return false
    }
    return Double(largest) > Double(byteCount) / Double(packetCount) + 1
  }
}
