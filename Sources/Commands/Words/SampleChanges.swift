internal import AudioModel
public import Playback
internal import SignalProcessing

/// The changes that samples undergo between the decoder and the device, in words: empty for none; `nil` where they are
/// unknown, as with a sound server, and while nothing plays.
public func sampleChanges(_ playback: PlaybackSnapshot) -> String? {
  guard playback.state != .stopped, playback.entry != nil, let device = playback.route?.changes else { return nil }
  let sound = playback.sound
  let gain = playback.gain.flatMap { $0.decibels == 0 ? nil : gainText($0.decibels) }
  let changes = [
    gain.map { (sound.gainMode == .off ? "preamp " : "ReplayGain ") + $0 },
    sound.equalizer == .flat ? nil : "equaliser", sound.balance == 0 ? nil : "balance",
    sound.effects.isNeutral ? nil : "effects", playback.speed == 1 ? nil : "another speed",
    playback.crossfade == 0 ? nil : "crossfade",
    playback.isMuted ? "muted" : playback.volume == 1 ? nil : "volume below 100 %", device.isEmpty ? nil : device,
  ]
  return changes.compactMap(\.self).joined(separator: ", ")
}

/// A gain: `+3.0 dB`, `-7.2 dB`.
public func gainText(_ decibels: Double) -> String {
  let tenths = Int((decibels * 10).rounded())
  return "\(tenths < 0 ? "-" : "+")\(abs(tenths) / 10).\(abs(tenths) % 10) dB"
}
