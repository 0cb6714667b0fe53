internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Containers
internal import SignalProcessing
internal import Streaming

/// Opens, seeks and reads tracks, and passes their audio to the queues. Used by the feeder's thread only.
final class SourceDriver {
  private typealias Sequence = PlaybackCore.Sequence

  private let core: PlaybackCore
  private let queues: QueueDriver
  private let deck: QueueDeck
  /// The time at which the wait for the next entry ends.
  private(set) var deadline: MonotonicTime?

  init(_ core: PlaybackCore, _ queues: QueueDriver) { (self.core, self.queues, deck) = (core, queues, core.deck) }

  private var configuration: PlaybackEngine.Configuration { core.configuration }
  private var isStale: Bool { core.sequence.queueIsStale }
  private var mayRead: Bool { core.machine.wantsFrames && core.recovery.time == nil }

  // MARK: Moving and opening

  /// Moves the source to its target, or does a slice of the work before that. Returns true if there is more.
  func move() -> Bool {
    guard core.sequence.isMoving, mayRead, let step = core.sequence.nextMove() else { return false }
    switch step {
    case .open(let opening):
      guard isReadyToOpen(opening), open(opening) else { return false }
    case .move(let track, let frame):
      let needsIndex = track.reader.needsIndex(toSeekTo: track.shaped.trackFrame(of: frame))
      guard needsIndex ? index(track) : move(track, toFrame: frame) else {
        return awaitBytes(of: track.reader, percent: nil)
      }
    case .wait, .awaitNext, .begin, .read, .end: break
    }
    return core.sequence.isMoving
  }

  /// Indexes a slice of a track that cannot move yet. Returns false if bytes of its file are missing.
  private func index(_ track: LoadedTrack) -> Bool {
    refine(track)
    return track.reader.isRefinable || track.reader.isIndexed
  }

  /// Moves a track. Returns false if bytes of its file are missing.
  private func move(_ track: LoadedTrack, toFrame frame: Int64) -> Bool {
    do throws(TrackError) {
      let format = core.streamFormat(for: track.reader.pcmFormat)
      let entered = try track.enter(atFrame: frame, in: format, core.settings.sound)
      core.perform(core.sequence.moved(track, toFrame: entered, isEstimated: track.reader.positionIsEstimated))
    } catch {
      guard !error.isWait else { return false }
      core.perform(
        core.sequence.failedToMove(
          track, error, isEstimated: track.reader.positionIsEstimated, lastQueued: deck.queues.lastTrack))
    }
    return true
  }

  /// True if an entry can be opened now. The feeder waits for networks and disks without blocking.
  private func isReadyToOpen(_ request: Sequence.Opening) -> Bool {
    switch core.opener.prepare(request, after: deck.queues.filled?.lastTrack, core.settings.sound) {
    case .ready: return true
    case .connecting: core.dispatch(.sourceWaits(.connecting))
    case .awaitsDisk: core.dispatch(.sourceWaits(.diskStalled))
    case .arriving(let stream): return awaitBytes(of: stream, percent: stream.awaitedPercent)
    }
    return false
  }

  /// Opens an entry, or the rest of one. Returns false if its first bytes have not arrived.
  private func open(_ request: Sequence.Opening) -> Bool {
    let previous = deck.queues.filled?.lastTrack
    switch core.opener.open(request, after: previous, core.settings.sound, format: core.streamFormat) {
    case .opened(let track):
      if request.part != nil { follow(track) }
      core.perform(core.sequence.opened(track, for: request))
    case .failed(let error, let locations):
      core.perform(core.sequence.failedToOpen(request, error, locations: locations, lastQueued: deck.queues.lastTrack))
    case .ended: if let part = request.part { core.perform(core.sequence.ended(part)) }
    case .waits:
      let reader = request.part?.reader
      return awaitBytes(of: reader, percent: reader?.stream?.awaitedPercent)
    }
    return true
  }

  // MARK: Reading

  /// Fills one buffer, or does a slice of other work. Returns true if there is more to do at once.
  func feed() -> Bool {
    let before = deadline
    deadline = nil
    guard mayRead, !core.sequence.isMoving else { return false }
    switch core.sequence.nextStep(lastQueued: deck.queues.lastTrack) {
    case .wait, .move: return false
    case .awaitNext:
      awaitNext(until: before)
      return false
    case .end: return queueTail() ?? endSource()
    case .open(let opening):
      guard isReadyToOpen(opening), open(opening) else { return false }
      // The rest of an entry may be entered at the target of a seek.
      return move() || true
    case .begin(let track):
      follow(track)
      core.sequence.begin(track)
      return true
    case .read(let track): return read(track)
    }
  }

  /// Prepares a track that follows what is queued.
  private func follow(_ track: LoadedTrack) {
    track.beginFadeIn(after: deck.queues.lastTrack)
    if let last = deck.queues.filled?.lastTrack { track.shaped.continueEffects(of: last.shaped) }
  }

  /// Returns false: there is nothing more to do.
  private func endSource() -> Bool {
    core.dispatch(core.sequence.end(isQueueEmpty: deck.queues.audible?.isEmpty ?? true))
    return false
  }

  /// Queues a buffer of what effects make of the silence behind the last track. Returns `nil` at the end of that, else true
  /// if there is more to do at once.
  private func queueTail() -> Bool? {
    guard !isStale, core.machine.wantsFrames, let track = deck.queues.filled?.lastTrack, track.shaped.hasTail,
      let queue = deck.filled
    else { return nil }
    guard let buffer = queues.bufferToFill(track) else {
      if core.machine.isPreparing { core.dispatch(.primed) }
      return false
    }
    buffer.frameCount = track.shaped.readTail(into: buffer.bytes) / queue.format.bytesPerFrame
    return queues.enqueue(buffer, of: track, in: queue)
  }

  /// Waits for the answer to `needsNext`, while audio is queued and for some seconds more. `time`: the end of a wait
  /// that has begun. Without an answer the list has ended.
  private func awaitNext(until time: MonotonicTime?) {
    guard core.machine.isPreparing else { return }
    let now = configuration.now()
    let limit = time ?? now + configuration.answerLimit
    if now < limit { deadline = limit } else { _ = endSource() }
  }

  private func read(_ track: LoadedTrack) -> Bool {
    let frameLimit: Int
    switch core.sequence.crossfadeStep(
      of: track, seconds: core.settings.crossfadeSeconds, bufferSeconds: configuration.bufferSeconds)
    {
    case .read(let limit): frameLimit = limit
    case .wait: return false
    case .mix(let next, let frameCount):
      if track.cross(with: next, frameCount: frameCount) { core.sequence.begin(next) }
      return true
    case .open(let opening):
      // A network stream that opens too late follows without a crossfade.
      guard isReadyToOpen(opening) else {
        frameLimit = .max
        break
      }
      return open(opening)
    }
    guard let queue = queues.queueReady(for: track) else { return false }
    if deck.queues.leadIn == .silence, !isStale { return deck.feedSilence() }
    return prepare(track) ?? fill(queue, with: track, atMost: frameLimit)
  }

  /// Prepares a track for reading. Returns `nil` if it can be read now, or if no buffer is free: then nothing more is
  /// asked of the network, as in a pause. Else true if there is more to do at once.
  private func prepare(_ track: LoadedTrack) -> Bool? {
    guard queues.hasRoom(for: track) else { return nil }
    do throws(TrackError) {
      if let (frame, seconds) = try track.shaped.passLoss() {
        core.perform(core.sequence.skipped(toFrame: frame, seconds: seconds))
      }
    } catch {
      core.fail(track, error)
      return true
    }
    let arrival = track.reader.packets.arrival
    guard arrival.isReady(seconds: secondsWanted, inSteps: core.machine.state == .waiting) else {
      slowDownIfLive(track)
      return awaitBytes(of: track.reader, percent: arrival.percent(ofSeconds: secondsWanted))
    }
    guard track.reader.needsIndexToBegin else { return nil }
    return index(track) || awaitBytes(of: track.reader, percent: nil)
  }

  private func fill(_ queue: AudioQueue, with track: LoadedTrack, atMost frameLimit: Int) -> Bool {
    guard let buffer = queues.bufferToFill(track) else {
      // All buffers may have been filled while another queue played out.
      if core.machine.isPreparing, !isStale { core.dispatch(.primed) }
      return refine(track)
    }
    track.join(core.sequence.successor)
    let isFirst = isStale || core.sequence.joiningFrame != nil && deck.queues.filled?.isEmpty ?? true
    let frames = isFirst ? deck.frameCount(heardFor: configuration.firstBufferSeconds, queue) : buffer.frameCapacity
    do throws(TrackError) {
      let bytesPerFrame = queue.format.bytesPerFrame
      let byteCount = try track.read(
        into: .init(rebasing: buffer.bytes[..<(min(frames, buffer.frameCapacity, frameLimit) * bytesPerFrame)]),
        core.settings.sound)
      buffer.frameCount = byteCount / bytesPerFrame
    } catch {
      deck.queues.giveBack(buffer)
      if error.isWait { return awaitBytes(of: track.awaitedReader, percent: track.reader.stream?.awaitedPercent) }
      let isJoined = core.sequence.joiningFrame == nil
      core.fail(track, error)
      readRest(behind: track, isJoined: isJoined)
      return true
    }
    guard buffer.frameCount > 0 else {
      deck.queues.giveBack(buffer)
      finishReading(track)
      return true
    }
    return queues.enqueue(buffer, of: track, in: queue)
  }

  private func finishReading(_ track: LoadedTrack) {
    if let damage = track.reader.damage { core.publisher.add(.trackDamaged(track.entry, damage)) }
    let isJoined = core.sequence.joiningFrame == nil
    core.perform(core.sequence.readToEnd(track, rest: track.reader.continuation, lastQueued: deck.queues.lastTrack))
    readRest(behind: track, isJoined: isJoined)
  }

  /// If a track that faded in ended or failed before the track that fades out, the latter is read to its end.
  private func readRest(behind track: LoadedTrack, isJoined: Bool) {
    guard core.sequence.isIdle, let outgoing = track.outgoingBehindEnd(isMixed: isJoined) else { return }
    core.sequence.readOn(outgoing)
  }

  /// Indexes a slice of the track, for exact seeks and durations, while there is nothing else to do.
  @discardableResult
  private func refine(_ track: LoadedTrack) -> Bool {
    track.reader.followGrowth()
    guard track.reader.isRefinable else { return false }
    if track.reader.advanceIndex() {
      core.publisher.add(.informationRefined)
      if track === core.sequence.shownTrack { core.nameSound(of: track) }
    }
    return track.reader.isRefinable
  }

  /// Finds the present end of the file that is heard, if that takes no longer than this.
  func lookForGrowth(within limit: TimeSpan = .milliseconds(200)) {
    guard let track = core.sequence.seekableTrack(heard: deck.heard?.track) else { return }
    let end = configuration.now() + limit
    while refine(track), configuration.now() < end {}
  }

  // MARK: Waiting for networks and disks

  /// Reports the reason for which the source waits. Returns false: there is nothing to do until bytes arrive.
  private func awaitBytes(of reader: TrackReader?, percent: Int?) -> Bool {
    if let reason = reader?.fileWait { core.dispatch(.sourceWaits(reason)) }
    return awaitBytes(of: reader?.stream, percent: percent)
  }

  private func awaitBytes(of stream: NetworkByteSource?, percent: Int?) -> Bool {
    guard let stream, !stream.isComplete else { return false }
    let reason: PlaybackReason =
      if let delay = stream.reconnectionDelay {
        stream.isServerBusy
          ? .serverBusy(seconds: Int(delay.rounded(.up))) : .reconnecting(seconds: Int(delay.rounded(.up)))
      } else {
        stream.isOpen ? .buffering(percent: percent) : .connecting
      }
    let before = core.machine.reason
    core.dispatch(.sourceWaits(reason))
    if let percent, core.machine.reason != before, core.machine.reason == reason {
      core.publisher.add(.buffered(percent: percent))
    }
    return false
  }

  /// Seconds of a network stream that must have arrived before a buffer is filled: more after an underrun, or the next
  /// one would follow at once; less if little is queued, so that the audio of a slow link is queued in time.
  private var secondsWanted: Double {
    if core.machine.hasRunDry { return configuration.refillSeconds }
    guard !isStale, let queued = deck.queuedSeconds else { return configuration.firstArrivingSeconds }
    return queued < 2 * configuration.bufferSeconds
      ? configuration.firstArrivingSeconds / 2 : configuration.bufferSeconds
  }

  /// Returns to normal speed when all that arrived of a station is read: faster playback would cause repeated
  /// underruns.
  private func slowDownIfLive(_ track: LoadedTrack) {
    guard core.settings.speed > 1, track.isLive else { return }
    if let effect = core.settings.apply(.speed(1)) { queues.perform(effect) }
    core.publisher.add(.slowedToLive)
  }
}
