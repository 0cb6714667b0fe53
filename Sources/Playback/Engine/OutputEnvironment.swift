internal import AudioModel
internal import AudioOutput
internal import AudioSession

/// The device and the other programs, as the output reports them.
struct OutputEnvironment {
  private(set) var route: AudioRoute?
  private(set) var others = OtherAudio()

  mutating func change(to route: AudioRoute, isOldGone: Bool) -> [PlaybackNotice] {
    let isElsewhere = self.route.map { !$0.leadsWhere(route) } ?? false
    self.route = route
    guard isElsewhere || isOldGone else { return [] }
    return [.routeChanged(route, isOldGone ? .oldDeviceUnavailable : .newDeviceAvailable)]
  }

  /// Other programs started or stopped playing. Returns the notices.
  mutating func change(to others: OtherAudio) -> [PlaybackNotice] {
    defer { self.others = others }
    let (before, now) = (self.others.ducking, others.ducking)
    self.others.ducking = now
    return (others == self.others ? [] : [.othersChanged(others)])
      + (now == .unavailable && now != before ? [.duckingUnavailable] : [])
  }

  /// The notices after the loss of an output. `isFirst`: only the first of several losses is announced.
  func notices(after error: AudioOutputError, isFirst: Bool) -> [PlaybackNotice] {
    let failure: [PlaybackNotice] = isFirst ? [.outputFailed(error)] : []
    guard error.code == .streamEnded, let route else { return failure }
    return failure + [.routeChanged(route, .oldDeviceUnavailable)]
  }
}
