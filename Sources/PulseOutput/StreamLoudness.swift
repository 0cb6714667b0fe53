/// Compares the volume and mute of a stream on the server with the wanted ones: only differences are sent, and changes
/// by other programs are recognised.
///
/// Pure.
struct StreamLoudness {
  /// The volume that was sent to the server or reported by it last.
  private var volume: Double?
  private var isMuted: Bool?
  /// True if the server has reported that volume since.
  private var isVolumeConfirmed = false

  /// The stream begins with this loudness.
  mutating func begin(with loudness: PulseLoudness) { (volume, isMuted) = (loudness.volume, loudness.isMuted) }

  /// The server ignores the volume that a stream begins with.
  mutating func forgetVolume() { volume = nil }

  /// The server has undone the listener's mute with its own.
  mutating func noteUnmuted() { isMuted = false }

  /// The changes to send; nil if a value stays. During a call, a stream that the server has muted stays muted.
  mutating func changes(
    to loudness: PulseLoudness, isMutedForCall: Bool
  ) -> (volume: Double?, isMuted: Bool?) {
    let volume = loudness.volume != self.volume ? loudness.volume : nil
    let mute = loudness.isMuted != isMuted && (loudness.isMuted || !isMutedForCall) ? loudness.isMuted : nil
    if volume != nil { isVolumeConfirmed = false }
    begin(with: loudness)
    return (volume, mute)
  }

  /// The server reports a volume. True if another program has set it.
  mutating func isForeign(_ volume: Double, isCorked: Bool) -> Bool {
    if let known = self.volume {
      // Servers round, and PipeWire applies a volume only once it plays.
      if abs(volume - known) <= 0.0005 {
        isVolumeConfirmed = true
        return false
      }
      guard isVolumeConfirmed else { return false }
    } else if isCorked {
      return false
    }
    self.volume = volume
    isVolumeConfirmed = true
    return true
  }
}
