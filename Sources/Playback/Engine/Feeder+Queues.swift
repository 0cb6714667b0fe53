internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import SignalProcessing

/// The sound settings and the speed of queued audio, before changes that came together.
struct SoundChange {
  var sound: SoundSettings
  var speed: Double
}

// The queues: filling, hand-over, and removing audio again.
extension Feeder {
  // MARK: Filling

  /// The queue for a track's format. A queue of another format plays out while the next is filled, or ends at once if its
  /// audio is stale.
  func queueReady(for track: LoadedTrack) -> AudioQueue? {
    if sequence.queueIsStale, deck.outgoingFormat == track.format { deck.recall() }
    if let format = deck.filledFormat {
      if format == track.format { return deck.filled }
      if sequence.queueIsStale {
        deck.close()
      } else if deck.isFilledEmpty {
        deck.closeIncoming()
      } else if !retireQueue() {
        return nil
      }
    }
    do throws(AudioQueueError) {
      let queue = try deck.open(track.format) { applySpeed(to: $0) }
      if machine.state == .playing, deck.hasTimeForLeadIn { deck.beginLeadIn() }
      // The queue replaces an empty one: it does not wait for a hand-over.
      if !deck.isHandingOver, machine.drivesOutput { startQueues() }
      return queue
    } catch {
      fail(track, .output(error))
      return nil
    }
  }

  /// Lets the queue play out, to continue with another. Only one queue is prepared at a time.
  private func retireQueue() -> Bool {
    guard !deck.isHandingOver else { return false }
    dispatch(.primed)  // Even a short queue is complete now.
    return deck.retire()
  }

  /// True if there is a buffer to fill. One is kept back, so that the audio after a seek or a change of sound can be read
  /// before the stale audio is dropped.
  func hasRoom(for track: LoadedTrack) -> Bool {
    track.exit != nil || deck.hasBuffers(keeping: sequence.queueIsStale ? 0 : 1)
  }

  /// A buffer that can be filled. A fade-out on its own stream is queued as a whole, in additional buffers.
  func bufferToFill(_ track: LoadedTrack) -> AudioQueueBuffer? {
    if track.exit != nil { return deck.newBuffer() }
    return hasRoom(for: track) ? deck.takeBuffer() : nil
  }

  func enqueue(_ buffer: AudioQueueBuffer, of track: LoadedTrack, in queue: AudioQueue) -> Bool {
    let joiningFrame = sequence.joiningFrame
    if sequence.queueIsStale { deck.drop(pauses: machine.isPreparing) }
    guard let time = deck.enqueue(buffer) else {
      deck.giveBack(buffer)
      return false
    }
    if let joiningFrame {
      let isAlone = deck.isFilledEmpty
      deck.append(track, trackFrame: joiningFrame, atQueueFrame: time)
      perform(sequence.joined(isAlone: isAlone, isHeard: !deck.isHandingOver))
    }
    // A short track alone would cause an underrun before the next one is ready. Without a free buffer nothing more comes.
    let readyFrames = time + Int64(buffer.frameCount) - queue.currentTime
    let seconds = track.reader.isArriving ? configuration.firstArrivingSeconds : configuration.firstBufferSeconds
    if readyFrames >= deck.frameCount(seconds, queue) || !deck.hasBuffers(keeping: 1) { dispatch(.primed) }
    return true
  }

  func startQueues() {
    // The server has no call for permission: if it refuses, it mutes the stream, which is an interruption.
    try? session.activate {}
    deck.start()
  }

  // MARK: The audible track

  /// The time at which a turn is due without a message.
  var deadline: UInt64? { recovery.time ?? deck.deadline }

  /// Announces each track that has begun since the last call, and hands over to the next queue when that is due.
  func followTimeline() {
    // Stale audio, or a queue that is about to be replaced, does not determine the audible track.
    guard !sequence.queueIsStale, !sequence.isEntering else { return }
    while let track = deck.advance() { perform(sequence.began(track)) }
    if deck.isHandOverDue {
      // The last of several very short tracks may begin and end within the lead.
      while let track = deck.advance(toEnd: true) { perform(sequence.began(track)) }
      deck.handOver()
      beginIncoming()
    }
    // A track that faded out is closed after the overlap.
    if deck.audibleSegments.first?.track.entrance != nil, let heard = deck.heard,
      heard.frame >= heard.track.entranceEnd
    {
      heard.track.entrance = nil
    }
  }

  /// The device has played the outgoing queue to its end.
  func outgoingHasEnded() {
    if let error = deck.endOutgoing() {
      handleLoss(error)
    } else if !deck.isFilledEmpty {
      beginIncoming()
    } else {
      // The next track is missing, or not ready yet.
      deck.close()
      dispatch(machine.wantsFrames ? .starved : .drained)
    }
  }

  /// The next queue becomes the audible one.
  private func beginIncoming() {
    if let first = deck.audibleSegments.first { perform(sequence.began(first.track)) }
    guard machine.drivesOutput else { return }
    startQueues()
    // It holds the last track, which was read to its end.
    if !machine.wantsFrames { deck.filled?.stop(immediately: false) }
  }

  // MARK: The lead-in

  /// A pause stops both streams, which would not stay aligned: the lead-in is prepared again.
  func dropLeadIn() { if deck.leadIn != nil { prepareAgain() } }

  /// The clock runs again after a pause: the queue that was prepared meanwhile gets a lead-in.
  func leadInAgain() {
    if deck.leadIn == nil, deck.filled != nil, machine.state == .playing, deck.hasTimeForLeadIn { prepareAgain() }
  }

  /// Closes the queue that was prepared; its track is opened again, even if it was read to its end.
  private func prepareAgain() {
    guard let (last, next) = deck.dropIncoming() else { return }
    perform(sequence.prepareAgain(after: last, next: next))
  }

  // MARK: Removing queued audio

  /// Sets the entry after another one. Other tracks that were queued after it are removed, unless they are about to play.
  func follow(_ id: QueueEntry.ID, with entry: QueueEntry?) {
    if let correction = sequence.correction(after: id, next: entry, queued: deck.tracks),
      correction.place.map({ takeBack(behind: $0) }) ?? true
    {
      sequence.correct(correction)
    }
    perform(sequence.follow(id, with: entry))
  }

  /// Removes everything that is queued or read after a track. Returns true if that was possible.
  private func takeBack(behind place: Int) -> Bool {
    guard !sequence.queueIsStale, !deck.isEmpty(from: place) else {
      sequence.forgetSuccessor()
      return true
    }
    guard let taken = deck.takeBack(behind: place) else { return false }
    sequence.tookBack(behind: taken.track, isWhole: taken.isWhole)
    do throws(TrackError) {
      if try taken.track.leaveOverlap(with: taken.next, settings.sound) { sequence.readOn(taken.track) }
    } catch { fail(taken.track, error) }
    return true
  }

  /// Changes the crossfade. An overlap that plays already continues; one that is queued is removed.
  func changeCrossfade(_ change: (inout PlaybackSettings) -> Void) {
    let before = settings.crossfadeSeconds
    change(&settings)
    let segments = deck.audibleSegments
    guard settings.crossfadeSeconds != before, !sequence.queueIsStale, let first = segments.first,
      first.track.exit != nil || segments.dropFirst().first?.track.entrance != nil
    else { return }
    if takeBack(behind: 0) { perform(sequence.askForNext(after: first.track)) }
  }

  // MARK: Changes of the sound
  //
  // A change is audible as soon as the device allows: the audio that it has not played yet is read again, replaced, and
  // fades into the new sound.

  /// Changes gain, equaliser or balance.
  func changeSound(_ change: (inout PlaybackSettings) -> Void) {
    let before = settings.sound
    change(&settings)
    guard settings.sound != before else { return }
    soundChange = soundChange ?? SoundChange(sound: before, speed: settings.speed)
  }

  /// Changes the speed, within its limits.
  func changeSpeed(_ value: Double) {
    let before = settings.speed
    settings.setSpeed(value)
    guard settings.speed != before else { return }
    deck.recall()
    guard let queue = deck.filled else { return }
    applySpeed(to: queue)
    if settings.speed != before { soundChange = soundChange ?? SoundChange(sound: settings.sound, speed: before) }
  }

  /// Sets the speed of a queue, or publishes the error.
  private func applySpeed(to queue: AudioQueue) {
    do throws(AudioQueueError) { try queue.setRate(settings.speed) } catch {
      notices.append(.soundUnchanged(message: error.description))
      settings.setSpeed(queue.rate)
    }
  }

  /// Reads queued audio again that is not about to play: once for all changes that came together.
  func readAgain(for change: SoundChange) {
    soundChange = nil
    let fades = change.sound != settings.sound
    guard fades || change.speed != settings.speed else { return }
    // Audio that replaces stale audio will be read with the new sound anyway.
    guard !sequence.isMoving, !sequence.queueIsStale else { return }
    deck.recall()
    switch deck.readAgain(afterSeconds: readingSeconds * change.speed, settings.sound, fades: fades) {
    case .done(let track): perform(sequence.readAgain(track))
    case .failed(let track, let error): fail(track, error)
    case .impossible, .late: break
    }
  }
}

/// Seconds that play while audio is read again: reading takes some milliseconds, on a busy machine more.
private let readingSeconds = 0.25
