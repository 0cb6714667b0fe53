internal import AudioModel
internal import AudioOutput
internal import SignalProcessing

/// Fills the audio queues, follows their time, hands over between them, and replaces audio that is queued already. Used
/// by the feeder's thread only.
final class QueueDriver {
  private let core: PlaybackCore
  private let deck: QueueDeck
  /// The settings that queued audio was read with, until it is read again.
  private(set) var soundChange: EarlierSound?

  init(_ core: PlaybackCore) { (self.core, deck) = (core, core.deck) }

  private var isStale: Bool { core.sequence.queueIsStale }

  // MARK: Filling

  /// The queue for a track's format. A queue of another format plays out while the next is filled, or ends at once if
  /// its audio is stale.
  func queueReady(for track: LoadedTrack) -> AudioQueue? {
    if isStale, deck.queues.outgoing?.format == track.format { deck.recall() }
    if isStale, deck.queues.incomingLoss != nil { deck.close() }
    if let format = deck.queues.filled?.format {
      if format == track.format { return deck.filled }
      if isStale {
        deck.close()
      } else if deck.queues.filled?.isEmpty ?? true {
        deck.closeIncoming()
      } else if !retireQueue() {
        return nil
      }
    }
    do throws(AudioQueueError) {
      let queue = try deck.open(track.format) { applySpeed(to: $0) }
      if core.machine.state == .playing, deck.hasTimeForLeadIn { deck.beginLeadIn() }
      // The queue replaces an empty one: it does not wait for a hand-over.
      if deck.queues.outgoing == nil, core.machine.drivesOutput { core.startQueues() }
      return queue
    } catch {
      core.fail(track, .output(error))
      return nil
    }
  }

  /// Lets the queue play out, to continue with another. Only one queue is prepared at a time.
  private func retireQueue() -> Bool {
    // Even a short queue is complete now. The one before it may stand still after an underrun.
    core.dispatch(.primed)
    return deck.queues.outgoing == nil && deck.retire()
  }

  /// True if there is a buffer to fill. One is kept back, so that the audio after a seek or a change of sound can be
  /// read before the stale audio is dropped.
  func hasRoom(for track: LoadedTrack) -> Bool {
    track.fadeOut != nil || deck.hasBuffers(keeping: isStale ? 0 : 1)
  }

  /// A buffer that can be filled. A fade-out on its own stream is queued as a whole, in additional buffers.
  func bufferToFill(_ track: LoadedTrack) -> AudioQueueBuffer? {
    if track.fadeOut != nil { return deck.newBuffer() }
    return hasRoom(for: track) ? deck.queues.filled?.freeBuffers.popLast() : nil
  }

  func enqueue(_ buffer: AudioQueueBuffer, of track: LoadedTrack, in queue: AudioQueue) -> Bool {
    let joiningFrame = core.sequence.joiningFrame
    if isStale { deck.drop(pauses: core.machine.isPreparing) }
    guard let time = deck.enqueue(buffer) else {
      deck.queues.giveBack(buffer)
      return false
    }
    if let joiningFrame {
      let isAlone = deck.queues.filled?.isEmpty ?? true
      deck.queues.filled?.timeline.append(track, trackFrame: joiningFrame, atQueueFrame: time)
      core.perform(core.sequence.joined(isAlone: isAlone, isHeard: deck.queues.outgoing == nil))
    }
    // A short track alone would cause an underrun before the next one is ready. Without a free buffer nothing more
    // comes.
    let readyFrames = time + Int64(buffer.frameCount) - queue.currentTime
    let configuration = core.configuration
    let isArriving = track.reader.packets.input.isArriving
    let seconds = isArriving ? configuration.firstArrivingSeconds : configuration.firstBufferSeconds
    if readyFrames >= deck.frameCount(heardFor: seconds, queue) || !deck.hasBuffers(keeping: 1) {
      core.dispatch(.primed)
    }
    return true
  }

  // MARK: The audible track

  /// False for stale audio, and for a queue that is about to be replaced: the audible track is another one.
  private var isFollowed: Bool { !isStale && !core.sequence.isEntering }

  /// The time for the next `followTimeline`.
  var deadline: MonotonicTime? { isFollowed ? deck.deadline : nil }

  /// Announces each track that has begun since the last call, and hands over to the next queue when that is due.
  func followTimeline() {
    guard isFollowed else { return }
    while let track = deck.advance() { core.perform(core.sequence.began(track)) }
    if deck.isHandOverDue {
      // The last of several very short tracks may begin and end within the lead.
      while let track = deck.advance(toEnd: true) { core.perform(core.sequence.began(track)) }
      deck.handOver()
      beginIncoming()
    }
    // A track that faded out is closed after the overlap.
    if deck.queues.audible?.timeline.segments.first?.track.fadeIn != nil, let heard = deck.heard,
      heard.frame >= heard.track.fadeInEnd
    {
      heard.track.fadeIn = nil
    }
  }

  /// The device has played the outgoing queue to its end.
  func outgoingHasEnded() {
    if let error = deck.endOutgoing() {
      core.handleLoss(error)
    } else if let filled = deck.queues.filled, !filled.isEmpty {
      beginIncoming()
    } else {
      // The next track is missing, or not ready yet.
      deck.close()
      core.dispatch(core.machine.wantsFrames ? .starved : .drained)
    }
  }

  /// The next queue becomes the audible one.
  private func beginIncoming() {
    if isFollowed, let first = deck.queues.audible?.timeline.segments.first {
      core.perform(core.sequence.began(first.track))
    }
    guard core.machine.drivesOutput else { return }
    core.startQueues()
    // It holds the last track, which was read to its end.
    if !core.machine.wantsFrames { deck.filled?.stop(immediately: false) }
  }

  /// The clock runs again after a pause: the queue that was prepared meanwhile gets a lead-in.
  func leadInAgain() {
    if deck.queues.leadIn == nil, deck.filled != nil, core.machine.state == .playing, deck.hasTimeForLeadIn {
      core.prepareAgain()
    }
  }

  // MARK: Removing queued audio

  /// Sets the entry after another one. Other tracks that were queued after it are removed, unless they are about to
  /// play.
  func follow(_ id: QueueEntry.ID, with entry: QueueEntry?) {
    if let correction = core.sequence.correction(after: id, next: entry, queued: deck.queues.tracks),
      correction.index.map({ takeBack(behind: $0) }) ?? true
    {
      core.perform(core.sequence.correct(correction))
    }
    core.perform(core.sequence.follow(id, with: entry))
  }

  /// Removes everything that is queued or read after a track. Returns true if that was possible.
  private func takeBack(behind index: Int) -> Bool {
    guard !isStale, !deck.queues.segments(from: index).segments.isEmpty else {
      core.sequence.forgetSuccessor()
      return true
    }
    guard let taken = deck.takeBack(behind: index) else { return false }
    core.sequence.tookBack(behind: taken.track, isWhole: taken.isWhole)
    do throws(TrackError) {
      if try taken.track.removeOverlap(with: taken.next, core.settings.sound) { core.sequence.readOn(taken.track) }
    } catch { core.fail(taken.track, error) }
    return true
  }

  // MARK: Settings
  //
  // A change is audible as soon as the device allows: the audio that it has not played yet is read again, replaced, and
  // fades into the new sound.

  func perform(_ effect: SettingsEffect) {
    switch effect {
    case .sendVolume: core.output.setVolume(core.settings.outputVolume, isMuted: core.settings.isMuted)
    case .readAgain(let change): soundChange = soundChange ?? change
    case .changeSpeed(let change): changeSpeed(change)
    case .changeCrossfade: changeCrossfade()
    }
  }

  /// The crossfade was changed. An overlap that plays already continues; one that is queued is removed.
  private func changeCrossfade() {
    guard !isStale, let segments = deck.queues.audible?.timeline.segments, let first = segments.first,
      first.track.fadeOut != nil || segments.dropFirst().first?.track.fadeIn != nil
    else { return }
    if takeBack(behind: 0) { core.perform(core.sequence.askForNext(after: first.track)) }
  }

  private func changeSpeed(_ change: EarlierSound) {
    deck.recall()
    guard let queue = deck.filled else { return }
    applySpeed(to: queue)
    if core.settings.speed != change.speed { soundChange = soundChange ?? change }
  }

  /// Sets the speed of a queue, or publishes the error.
  private func applySpeed(to queue: AudioQueue) {
    do throws(AudioQueueError) { try queue.setRate(core.settings.speed) } catch {
      core.publisher.add(.soundUnchanged(error))
      _ = core.settings.apply(.speed(queue.rate))
    }
  }

  /// Reads queued audio again that is not about to play: once for all changes that came together.
  func applySoundChange() {
    guard let change = soundChange else { return }
    soundChange = nil
    let settings = core.settings
    let fades = change.sound != settings.sound
    guard fades || change.speed != settings.speed else { return }
    // Audio that replaces stale audio will be read with the new sound anyway.
    guard !core.sequence.isMoving, !isStale else { return }
    deck.recall()
    switch deck.readAgain(afterSeconds: readingSeconds * change.speed, settings.sound, fades: fades) {
    case .done(let track): core.perform(core.sequence.readAgain(track))
    case .failed(let track, let error): core.fail(track, error)
    case .impossible, .late: break
    }
  }
}

/// Seconds that play while audio is read again: reading takes some milliseconds, on a busy machine more.
private let readingSeconds = 0.25
