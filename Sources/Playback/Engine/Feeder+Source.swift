internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Containers
internal import SignalProcessing
internal import Streaming
internal import Threads

// The source: opening, moving and reading tracks.
extension Feeder {
  private var mayRead: Bool { machine.wantsFrames && recovery.time == nil }

  /// Moves the source to its target, or does a slice of the work before that. Returns true if there is more.
  func moveSource() -> Bool {
    guard sequence.isMoving, mayRead, let step = sequence.nextMove() else { return false }
    switch step {
    case .open(let opening):
      guard isReadyToOpen(opening), open(opening) else { return false }
    case .move(let track, let frame):
      if track.reader.needsIndex(toSeekTo: frame) { refine(track) } else { move(track, toFrame: frame) }
    case .wait, .begin, .read, .end: break
    }
    return sequence.isMoving
  }

  private func move(_ track: LoadedTrack, toFrame frame: Int64) {
    do throws(TrackError) {
      let entered = try track.enter(atFrame: frame, settings.sound)
      perform(sequence.moved(track, toFrame: entered, isEstimated: track.reader.placeIsEstimated))
    } catch {
      perform(
        sequence.failedToMove(
          track, message: error.description, isEstimated: track.reader.placeIsEstimated, lastQueued: deck.lastTrack))
    }
  }

  /// True if an entry can be opened now. The feeder waits for network streams without blocking.
  private func isReadyToOpen(_ request: Sequence.Opening) -> Bool {
    switch opener.prepare(request, after: deck.lastFilledTrack) {
    case .ready: return true
    case .connecting:
      dispatch(.sourceWaits(.connecting))
      return false
    case .arriving(let stream): return awaitSource(stream, percent: stream?.awaitedPercent)
    }
  }

  /// Opens an entry, or the rest of one. Returns false if its first bytes have not arrived.
  private func open(_ request: Sequence.Opening) -> Bool {
    switch opener.open(request, after: deck.lastFilledTrack, settings.sound) {
    case .opened(let track):
      if request.part != nil { track.fadeIn(after: deck.lastTrack) }
      perform(sequence.opened(track, for: request))
    case .failed(let message, let locations):
      perform(
        sequence.failedToOpen(request, message: message, locations: locations, lastQueued: deck.lastTrack))
    case .ended: if let part = request.part { perform(sequence.ended(part)) }
    case .waits:
      let stream = request.part?.reader.stream
      return awaitSource(stream, percent: stream?.awaitedPercent)
    }
    return true
  }

  func fail(_ track: LoadedTrack, _ error: TrackError) {
    perform(sequence.failed(track.entry, message: error.description, lastQueued: deck.lastTrack))
  }

  // MARK: Feeding

  /// Fills one buffer, or does a slice of other work. Returns true if there is more to do at once.
  func feed() -> Bool {
    guard mayRead, !sequence.isMoving else { return false }
    switch sequence.nextStep(lastQueued: deck.lastTrack) {
    case .wait, .move: return false
    case .end:
      dispatch(sequence.end(isQueueEmpty: deck.isAudibleEmpty))
      return false
    case .open(let opening):
      guard isReadyToOpen(opening), open(opening) else { return false }
      // The rest of an entry may be entered at the target of a seek.
      return moveSource() || true
    case .begin(let track):
      track.fadeIn(after: deck.lastTrack)
      sequence.begin(track)
      return true
    case .read(let track): return read(track)
    }
  }

  private func read(_ track: LoadedTrack) -> Bool {
    let frameLimit: Int
    switch sequence.crossfadeStep(
      of: track, seconds: settings.crossfadeSeconds, bufferSeconds: configuration.bufferSeconds)
    {
    case .read(let limit): frameLimit = limit
    case .wait: return false
    case .mix(let next, let frameCount):
      if track.cross(with: next, frameCount: frameCount) { sequence.begin(next) }
      return true
    case .open(let opening):
      // A network stream that opens too late follows without a crossfade.
      guard isReadyToOpen(opening) else {
        frameLimit = .max
        break
      }
      return open(opening)
    }
    guard let queue = queueReady(for: track) else { return false }
    if deck.leadIn == .silence, !sequence.queueIsStale { return deck.feedSilence() }
    return prepare(track) ?? fill(queue, with: track, atMost: frameLimit)
  }

  /// Prepares a track for reading. Returns `nil` if it can be read now; else true if there is more to do at once.
  private func prepare(_ track: LoadedTrack) -> Bool? {
    if hasRoom(for: track) {
      do throws(TrackError) {
        if let (frame, seconds) = try track.reader.passLoss() {
          perform(sequence.skipped(toFrame: frame, seconds: seconds))
        }
      } catch {
        fail(track, error)
        return true
      }
    }
    guard track.reader.isReady(seconds: secondsWanted, inSteps: machine.state == .waiting) else {
      slowDownIfLive(track)
      return awaitSource(track.reader.stream, percent: track.reader.percent(ofSeconds: secondsWanted))
    }
    return track.reader.needsIndexToBegin ? refine(track) : nil
  }

  private func fill(_ queue: AudioQueue, with track: LoadedTrack, atMost frameLimit: Int) -> Bool {
    guard let buffer = bufferToFill(track) else {
      // All buffers may have been filled while another queue played out.
      if machine.isPreparing, !sequence.queueIsStale { dispatch(.primed) }
      return refine(track)
    }
    let isFirst = sequence.queueIsStale || sequence.joiningFrame != nil && deck.isFilledEmpty
    let frames = isFirst ? deck.frameCount(configuration.firstBufferSeconds, queue) : buffer.frameCapacity
    do throws(TrackError) {
      let bytesPerFrame = queue.format.bytesPerFrame
      let byteCount = try track.read(
        into: .init(rebasing: buffer.bytes[..<(min(frames, buffer.frameCapacity, frameLimit) * bytesPerFrame)]),
        settings.sound)
      buffer.frameCount = byteCount / bytesPerFrame
    } catch {
      deck.giveBack(buffer)
      if error.isWait { return awaitSource(track.reader.stream, percent: track.reader.stream?.awaitedPercent) }
      let isJoined = sequence.joiningFrame == nil
      fail(track, error)
      readRest(behind: track, isJoined: isJoined)
      return true
    }
    guard buffer.frameCount > 0 else {
      deck.giveBack(buffer)
      finishReading(track)
      return true
    }
    return enqueue(buffer, of: track, in: queue)
  }

  private func finishReading(_ track: LoadedTrack) {
    if let damage = track.reader.damage { notices.append(.trackDamaged(track.entry, message: damage.description)) }
    let isJoined = sequence.joiningFrame == nil
    perform(sequence.readToEnd(track, rest: track.reader.continuation, lastQueued: deck.lastTrack))
    readRest(behind: track, isJoined: isJoined)
  }

  /// Indexes a slice of the track, for exact seeks and durations, while there is nothing else to do.
  @discardableResult
  private func refine(_ track: LoadedTrack) -> Bool {
    guard track.reader.isRefinable else { return false }
    if track.reader.advanceIndex() {
      notices.append(.informationRefined)
      if track === sequence.shownTrack { nameSound(of: track) }
    }
    return track.reader.isRefinable
  }

  // MARK: Waiting for the network

  /// Reports the reason for which the source waits. Returns false: there is nothing to do until bytes arrive.
  private func awaitSource(_ stream: NetworkByteSource?, percent: Int?) -> Bool {
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

  /// Seconds of a network stream that must have arrived before a buffer is filled: more after an underrun, or the next one
  /// would follow at once; less if little is queued, so that the audio of a slow link is queued in time.
  private var secondsWanted: Double {
    if machine.hasRunDry { return configuration.refillSeconds }
    guard !sequence.queueIsStale, let queued = deck.queuedSeconds else { return configuration.firstArrivingSeconds }
    return queued < 2 * configuration.bufferSeconds
      ? configuration.firstArrivingSeconds / 2 : configuration.bufferSeconds
  }

  /// Returns to normal speed when all that arrived of a station is read: faster playback would cause repeated underruns.
  private func slowDownIfLive(_ track: LoadedTrack) {
    guard settings.speed > 1, track.isLive else { return }
    changeSpeed(1)
    notices.append(.slowedToLive)
  }

  /// If a track that faded in ended or failed before the track that fades out, the latter is read to its end.
  private func readRest(behind track: LoadedTrack, isJoined: Bool) {
    guard sequence.isIdle, let leaving = track.leavingBehindEnd(isMixed: isJoined) else { return }
    sequence.readOn(leaving)
  }
}
