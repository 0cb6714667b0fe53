internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import Streaming
internal import Threads

// Where playback is, and what can be seen of it.
extension Feeder {
  /// The track that is heard now, and its frame.
  var heard: (track: LoadedTrack, frame: Int64)? {
    audibleQueue.flatMap { audibleTimeline.heard(atQueueFrame: $0.currentTime) }
  }

  var audibleTimeline: Timeline<LoadedTrack> { outgoing?.timeline ?? timeline }

  /// The track that a seek means: the one that is heard, though the next may be read already.
  var seekable: LoadedTrack? {
    if case .enter(let track, _) = move { return track }
    return dropsQueued ? reading : heard?.track ?? reading
  }

  /// Its duration, if that is no guess; what the header of a station says of one is none of its.
  var exactDuration: Double? {
    guard let track = seekable, track.reader.stream?.isLive != true else { return nil }
    return track.information.durationIsEstimated ? nil : track.information.duration
  }

  /// Seconds into the track that is heard: the target while a seek is pending (CONTRACTS 003-30).
  var position: Double { position(of: heard) }

  /// What is heard by the device's last word, where playback has to go on without a gap after a loss.
  var confirmed: (track: LoadedTrack, frame: Int64)? {
    audibleQueue.flatMap { audibleTimeline.heard(backAtQueueFrame: $0.confirmedTime) }
  }

  func position(of heard: (track: LoadedTrack, frame: Int64)?) -> Double {
    pendingPosition ?? heard.map { $0.track.seconds(atFrame: $0.frame) } ?? 0
  }

  /// Publishes the snapshot, and the notices that led to it.
  func publish() {
    var snapshot = PlaybackSnapshot()
    snapshot.state = machine.state
    snapshot.reason = machine.reason
    snapshot.entry = current
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
    snapshot.volume = volume
    snapshot.isMuted = isMuted
    snapshot.route = route
    snapshot.others = others
    snapshot.sound = sound
    snapshot.speed = speed
    snapshot.crossfade = crossfade
    snapshot.gain = shown?.shaped.gain
    snapshot.isSessionActive = session.isActive
    snapshot.clock = PlaybackClock(
      position: position, referenceNanoseconds: configuration.now(),
      isRunning: machine.state == .playing && pendingPosition == nil && audibleQueue?.clock.isAdvancing == true,
      speed: speed)
    outbox.publish(snapshot, notices, seeksTaken: seeksTaken)
    notices = []
    seeksTaken = 0
  }
}
