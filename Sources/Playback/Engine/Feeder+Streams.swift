internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Streaming
internal import Threads

// What comes bit by bit: what is waited for, and, of stations, what is kept and where in it playback is.
extension Feeder {
  // MARK: Waiting

  /// Whether `open` can be called: of a network stream the feeder waits until it is open, without standing still.
  func isReadyToOpen(_ entry: QueueEntry, from continuation: StreamContinuation? = nil) -> Bool {
    if opening?.entry != entry || opening?.continuation != continuation { opening = nil }
    guard let network else { return true }
    if opening == nil, continuation == nil, let previous = timeline.last?.track.reader, previous.stream != nil,
      (try? previous.following(entry.location)) ?? nil != nil
    {
      return true
    }
    opening =
      opening
      ?? TrackOpening(entry, from: continuation, network: network) { [mailbox] in mailbox.post(.networkNews) }
    guard let opening else { return true }
    if !opening.isDone, opening.stream == nil { dispatch(.sourceWaits(.connecting)) }
    return opening.isDone || awaitSource(opening.stream, percent: opening.stream?.awaitedPercent)
  }

  /// Says what is waited for, if nothing is heard meanwhile; false, as there is nothing to do until it is there.
  func awaitSource(_ stream: NetworkByteSource?, percent: Int?) -> Bool {
    guard let stream, !stream.isComplete else { return false }
    let reason: PlaybackReason =
      if let delay = stream.reconnectionDelay {
        .reconnecting(seconds: Int(delay.rounded(.up)))
      } else {
        stream.isOpen ? .buffering(percent: percent) : .connecting
      }
    let before = machine.reason
    dispatch(.sourceWaits(reason))
    if let percent, machine.reason != before, machine.reason == reason { notices.append(.buffered(percent: percent)) }
    return false
  }

  /// Seconds of a network stream that must have arrived before a buffer is filled: more where it ran dry, or it would
  /// do so again at once; less where little is queued, so that what a slow link brings is heard in time.
  var secondsWanted: Double {
    if machine.hasRunDry { return configuration.refillSeconds }
    guard !dropsQueued, let queue else { return configuration.firstArrivingSeconds }
    let queued = Double(queueEnd - queue.currentTime) / Double(queue.format.sampleRate)
    return queued < 2 * configuration.bufferSeconds
      ? configuration.firstArrivingSeconds / 2 : configuration.bufferSeconds
  }

  // MARK: Stations

  /// What the stream of a track says of itself, at the place that is heard.
  func facts(of track: LoadedTrack) -> StreamFacts? {
    guard let stream = track.reader.stream else { return nil }
    var facts = StreamFacts(stream, track.reader.information)
    guard facts.isLive else { return facts }
    track.reader.keep(latestSeconds: shiftSeconds, losesUnread: machine.state == .paused)
    if let byteOffset = track.reader.byteOffset(ofFrame: track.frame(atSeconds: position)) {
      facts.title = stream.title(at: byteOffset)
    }
    if let window = window(of: track) {
      let shift = StreamFacts.Shift(
        delay: max(0, window.upperBound - position), depth: window.upperBound - window.lowerBound)
      if toldShift.map(shift.differs) ?? true { toldShift = shift }
    }
    facts.shift = toldShift
    return facts
  }

  /// What of a station can be heard, in seconds into it.
  private func window(of track: LoadedTrack) -> ClosedRange<Double>? {
    track.reader.liveFrames.map { track.seconds(atFrame: $0.lowerBound)...track.seconds(atFrame: $0.upperBound) }
  }

  /// Where a seek goes in a station, whose newest seconds are left to come to, so that it does not run dry at once; any
  /// place of other tracks; `nil` where there is nothing.
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

  /// Goes back to the speed of a station where all that has come of it is read: any faster it would run dry again and
  /// again.
  func slowDownIfLive(_ track: LoadedTrack) {
    guard speed > 1, track.reader.stream?.isLive == true else { return }
    changeSpeed(1)
    notices.append(.slowedToLive)
  }

  /// Where what comes next is gone: on with the oldest that is there, which is told.
  func passLoss(_ track: LoadedTrack) throws(TrackError) {
    guard let (frame, seconds) = try track.reader.passLoss() else { return }
    if entering == nil || !dropsQueued { entering = frame }
    notices.append(.shiftLost(seconds: seconds))
  }
}
