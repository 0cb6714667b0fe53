internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import Streaming
internal import Threads

// The position and the published snapshot.
extension Feeder {
  // MARK: The position

  /// Seconds into the audible track: the target while a seek is pending.
  var position: Double {
    sequence.pendingPosition ?? deck.heard.map { $0.track.seconds(atFrame: $0.frame) } ?? 0
  }

  private var seekable: LoadedTrack? { sequence.seekableTrack(heard: deck.heard?.track) }

  /// The duration of the track to which a seek applies, unless it is estimated; a station has none, whatever its header
  /// claims.
  var exactDuration: Double? {
    guard let track = seekable, !track.isLive else { return nil }
    return track.information.durationIsEstimated ? nil : track.information.duration
  }

  /// The target of a seek in a station: it leaves the newest seconds for playback, or an underrun would follow at once. Any
  /// target in other tracks; `nil` if the target is not available.
  func placeInStream(_ seconds: Double) -> Double? {
    guard let track = seekable, let stream = track.reader.stream else { return seconds }
    guard stream.isLive else {
      let byteOffset = track.reader.byteOffset(ofFrame: track.frame(atSeconds: seconds))
      return byteOffset.map(stream.isGone) == true ? nil : seconds
    }
    guard let window = window(of: track) else { return nil }
    let place = max(window.lowerBound, min(seconds, window.upperBound - configuration.refillSeconds))
    return seconds >= position && place <= position ? nil : place
  }

  /// The time-shift window of a station, in seconds into it.
  private func window(of track: LoadedTrack) -> ClosedRange<Double>? {
    track.reader.liveFrames.map { track.seconds(atFrame: $0.lowerBound)...track.seconds(atFrame: $0.upperBound) }
  }

  // MARK: The snapshot

  /// The facts of a network stream at the current position.
  private func facts(of track: LoadedTrack) -> StreamFacts? {
    guard let stream = track.reader.stream else { return nil }
    var facts = StreamFacts(stream, track.reader.information)
    guard facts.isLive else { return facts }
    track.reader.keep(latestSeconds: settings.shiftSeconds, losesUnread: machine.state == .paused)
    if let byteOffset = track.reader.byteOffset(ofFrame: track.frame(atSeconds: position)) {
      facts.title = stream.title(at: byteOffset)
    }
    if let window = window(of: track) {
      let shift = StreamFacts.Shift(
        delay: max(0, window.upperBound - position), depth: window.upperBound - window.lowerBound)
      if publishedShift.map(shift.differs) ?? true { publishedShift = shift }
    }
    facts.shift = publishedShift
    return facts
  }

  /// Publishes the snapshot, and the notices that led to it.
  func publish() {
    var snapshot = PlaybackSnapshot()
    snapshot.state = machine.state
    snapshot.reason = machine.reason
    snapshot.entry = sequence.currentEntry
    let shown = sequence.shownTrack
    if let shown {
      snapshot.information = shown.information
      snapshot.method = shown.reader.method
      snapshot.stream = facts(of: shown)
      snapshot.positionIsEstimated = shown.reader.placeIsEstimated
      if snapshot.stream?.isLive == true { snapshot.information.duration = nil }
      notices += (shown.reader.stream?.takeNotices() ?? []).map { .connection($0) }
    }
    if let title = snapshot.stream?.title, title != outbox.snapshot.stream?.title, !title.isEmpty {
      notices.append(.titleChanged(title))
    }
    snapshot.volume = settings.volume
    snapshot.isMuted = settings.isMuted
    snapshot.route = route
    snapshot.others = others
    snapshot.sound = settings.sound
    snapshot.speed = settings.speed
    snapshot.crossfade = settings.crossfade
    snapshot.gain = shown?.shaped.gain
    snapshot.isSessionActive = session.isActive
    snapshot.clock = PlaybackClock(
      position: position, referenceNanoseconds: configuration.now(),
      isRunning: machine.state == .playing && sequence.pendingPosition == nil
        && deck.isAdvancing,
      speed: settings.speed)
    outbox.publish(snapshot, notices, seeksTaken: seeksTaken)
    notices = []
    seeksTaken = 0
  }

  // MARK: Invariants

  /// The rules about the feeder's values that are broken between two turns; empty unless there is a bug.
  var violations: [String] {
    let isStopped = machine.state == .stopped
    let rules = [
      ("a running player has started the queue", !machine.drivesOutput || deck.audible?.isRunning ?? true),
      ("a stopped player rebuilds no output", !isStopped || recovery.time == nil),
      ("no position before the start", position >= 0 && position.isFinite),
      ("a change of sound is done at once", soundChange == nil),
    ]
    return rules.compactMap { $0.1 ? nil : $0.0 } + sequence.violations(isStopped: isStopped)
      + deck.queues.violations(
        isStopped: isStopped, isPaused: machine.state == .paused, isRebuilding: recovery.time != nil)
  }
}
