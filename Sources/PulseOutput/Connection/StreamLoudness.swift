/// Compares the volume and mute of a stream on the server with the wanted ones: only differences are sent, and changes
/// by other programs are recognised.
///
/// Pure.
struct StreamLoudness {
  /// The volume that was sent to the server or reported by it last.
  private var volume: Double?
  private var isMuted: Bool?
  /// True once the server has reported our mute: before that it may show an earlier one.
  private var isMuteConfirmed = false
  /// True once the server has reported a volume of ours: before that it may show another one.
  private var isVolumeConfirmed = false
  /// Earlier volumes that the server may still report, because it has not applied the last one: the latest of them.
  private var outdatedVolumes: [Double] = []
  private static let outdatedLimit = 64

  mutating func begin(with loudness: PulseLoudness) { (volume, isMuted) = (loudness.volume, loudness.isMuted) }

  /// The server ignores the volume that a stream begins with.
  mutating func forgetVolume() { volume = nil }

  /// The server has undone the listener's mute with its own.
  mutating func noteUnmuted() { isMuted = false }

  /// The changes to send; `nil` if a value stays. During a call, a stream that the server has muted stays muted.
  mutating func changes(
    to loudness: PulseLoudness, isMutedForCall: Bool
  ) -> (volume: Double?, isMuted: Bool?) {
    let volume = loudness.volume != self.volume ? loudness.volume : nil
    let mute = loudness.isMuted != isMuted && (loudness.isMuted || !isMutedForCall) ? loudness.isMuted : nil
    if mute != nil { isMuteConfirmed = false }
    if volume != nil, let old = self.volume { outdatedVolumes = (outdatedVolumes + [old]).suffix(Self.outdatedLimit) }
    begin(with: loudness)
    return (volume, mute)
  }

  /// The server reports a mute that is not for a call. True if another program has set it.
  mutating func isForeign(isMuted: Bool) -> Bool {
    let isOther = isMuted != (self.isMuted ?? false)
    // Without a mute of ours, the server's counts.
    guard !isOther || isMuteConfirmed || self.isMuted == nil else { return false }
    (self.isMuted, isMuteConfirmed) = (isMuted, true)
    return isOther
  }

  /// The server reports another mute than ours, which it has never reported: something undid it, as PipeWire's session
  /// manager does, which gives a new stream the mute that it remembers. True if ours has to be sent again.
  mutating func isUndone(isMuted: Bool) -> Bool {
    guard let own = self.isMuted, own != isMuted, !isMuteConfirmed else { return false }
    self.isMuted = nil
    return true
  }

  /// The server reports a volume. True if another program has set it.
  mutating func isForeign(_ volume: Double, isCorked: Bool) -> Bool {
    // Servers round, and PipeWire applies a volume only once it plays.
    func isReported(_ known: Double) -> Bool { abs(volume - known) <= 0.0005 }
    if let known = self.volume {
      if isReported(known) {
        (isVolumeConfirmed, outdatedVolumes) = (true, [])
        return false
      }
      guard isVolumeConfirmed, !outdatedVolumes.contains(where: isReported) else { return false }
    } else if isCorked {
      return false
    }
    self.volume = volume
    (isVolumeConfirmed, outdatedVolumes) = (true, [])
    return true
  }
}
