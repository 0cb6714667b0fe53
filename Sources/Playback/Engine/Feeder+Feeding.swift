internal import AudioModel
internal import AudioOutput
internal import AudioSession
internal import ByteIO
internal import Containers
internal import Streaming
internal import Threads

// From the source into the queue.
extension Feeder {
  /// Moves the source to where it was asked to go, or does a slice of the work before that. Returns whether there is more.
  func makeMove() -> Bool {
    guard let move, machine.wantsFrames, rebuildTime == nil else { return false }
    switch move {
    case .open(let entry, let seconds):
      guard isReadyToOpen(entry) else { return false }
      self.move = nil
      // What is heard is opened again for a part before.
      let isSeek = shown?.entry == entry
      guard let track = open(entry) else {
        dropQueue()
        break
      }
      shown = track
      if isSeek {
        self.move = .seek(track, to: seconds)
      } else if seconds > 0, track.reader.stream?.isLive != true {
        self.move = .enter(track, at: seconds)
      } else {
        // A station has no place from before: it begins live.
        enter(track, atFrame: track.enteredFrame)
      }
      announcesTrack = !isSeek
    case .enter(let track, let seconds), .seek(let track, let seconds):
      let frame = track.frame(atSeconds: seconds)
      // In a part before.
      if frame < 0 {
        self.move = .open(track.entry, from: seconds)
        break
      }
      if track.reader.needsIndex(toSeekTo: frame) {
        refine(track)
        break
      }
      self.move = nil
      enter(track, bySeekTo: seconds)
      guard case .seek = move else { break }
      announcesTrack = false
      notices.append(.seeked(to: position, isEstimated: track.reader.placeIsEstimated))
    }
    return self.move != nil
  }

  /// Fills one buffer, or does a slice of other work. Returns whether there is more to do at once.
  func feed() -> Bool {
    guard machine.wantsFrames, rebuildTime == nil, move == nil else { return false }
    guard let track = reading else { return goOn() }
    let approach = approach(track)
    guard case .read(let frameLimit) = approach else { return approach == .again }
    guard let queue = queueReady(for: track) else { return false }
    if case .silence = outgoing?.leadIn, !dropsQueued { return feedSilence(queue) }
    // One is kept back, so that a seek, or another sound, can be read before what is queued is dropped.
    let hasRoom = track.exit != nil || freeBuffers.count > (dropsQueued ? 0 : 1)
    do throws(TrackError) { if hasRoom { try passLoss(track) } } catch {
      fail(track.entry, error)
      return true
    }
    guard track.reader.isReady(seconds: secondsWanted, inSteps: machine.state == .waiting) else {
      slowDownIfLive(track)
      return awaitSource(track.reader.stream, percent: track.reader.percent(ofSeconds: secondsWanted))
    }
    if track.reader.needsIndexToBegin { return refine(track) }
    guard let buffer = bufferToFill(track, queue) else {
      // It may have been filled for another that was to play out first.
      if machine.isPreparing, !dropsQueued { dispatch(.primed) }
      return refine(track)
    }
    do throws(TrackError) {
      let bytesPerFrame = queue.format.bytesPerFrame
      let isFirst = entering != nil && timeline.segments.isEmpty || dropsQueued
      let frames = isFirst ? frameCount(configuration.firstBufferSeconds, queue) : buffer.frameCapacity
      let byteCount = try track.read(
        into: .init(rebasing: buffer.bytes[..<(min(frames, buffer.frameCapacity, frameLimit) * bytesPerFrame)]), sound)
      buffer.frameCount = byteCount / bytesPerFrame
    } catch {
      freeBuffers.append(buffer)
      if error.isWait { return awaitSource(track.reader.stream, percent: track.reader.stream?.awaitedPercent) }
      fail(track.entry, error)
      readRest(behind: track)
      return true
    }
    guard buffer.frameCount > 0 else {
      freeBuffers.append(buffer)
      finishReading(track)
      readRest(behind: track)
      return true
    }
    return enqueue(buffer, of: track, in: queue)
  }

  /// Notices when the next track begins to be heard.
  func followTimeline() {
    guard !dropsQueued else { return }
    // What is queued is not heard any more.
    if case .enter = move { return }
    if let time = outgoing?.queue.currentTime {
      while let segment = outgoing?.timeline.advance(toQueueFrame: time) { begin(segment.track) }
      handOverIfDue()
    } else if let time = queue?.currentTime {
      while let segment = timeline.advance(toQueueFrame: time) { begin(segment.track) }
    }
    // What left is closed once nothing of it is heard any more.
    if audibleTimeline.segments.first?.track.entrance != nil, let heard, heard.frame >= heard.track.entranceEnd {
      heard.track.entrance = nil
    }
  }

  /// When the feeder has to look again without being told.
  var deadline: UInt64? {
    if let rebuildTime { return rebuildTime }
    let next = outgoing.map { $0.timeline.nextBoundary } ?? timeline.nextBoundary
    guard let audibleQueue, let next else { return handOverTime }
    return time(of: next, in: audibleQueue).map { $0 &+ 500_000 }
  }

  // MARK: The queue

  /// The queue for a track's format. Where the old one has another format, it plays out while the next is filled, or ends
  /// at once if its sound is not wanted any more.
  private func queueReady(for track: LoadedTrack) -> AudioQueue? {
    if dropsQueued, outgoing?.queue.format == track.reader.pcmFormat { recallQueue() }
    if let queue {
      if queue.format == track.reader.pcmFormat { return queue }
      if dropsQueued {
        closeQueue()
      } else if timeline.segments.isEmpty {
        closeIncoming()
      } else if !retireQueue() {
        return nil
      }
    }
    let number = queueNumber
    do throws(AudioQueueError) {
      let queue = try AudioQueue(
        format: track.reader.pcmFormat, output: output, buffering: configuration.output, keepsUnheard: false,
        now: configuration.now
      ) {
        [mailbox] event in mailbox.post(.queue(event, number: number))
      }
      try queue.setTimePitchAlgorithm(.spectral)
      applySpeed(to: queue)
      for _ in 0...configuration.bufferCount {
        let capacity = frameCount(configuration.bufferSeconds, queue)
        freeBuffers.append(try queue.allocateBuffer(frameCapacity: capacity))
      }
      self.queue = queue
      queueEnd = 0
      beginLeadIn()
      // One that takes the place of a queue of which nothing was left.
      if outgoing == nil, machine.drivesOutput { startQueue() }
      return queue
    } catch {
      fail(track.entry, .output(error))
      return nil
    }
  }

  private func enqueue(_ buffer: AudioQueueBuffer, of track: LoadedTrack, in queue: AudioQueue) -> Bool {
    if dropsQueued { dropQueue() }
    guard let time = try? queue.enqueue(buffer) else {
      // The device is gone, as an event on its way says.
      freeBuffers.append(buffer)
      return false
    }
    queueEnd = time + Int64(buffer.frameCount)
    if let frame = entering {
      entering = nil
      let isAlone = timeline.segments.isEmpty
      timeline.append(track, trackFrame: frame, atQueueFrame: time)
      if isAlone { pendingPosition = nil }
      if isAlone, announcesTrack, outgoing == nil { begin(track) }
      announcesTrack = false
    }
    // A short track alone would run dry before the next is there. Where no buffer is left, nothing more will come.
    let readyFrames = time + Int64(buffer.frameCount) - queue.currentTime
    let seconds = track.reader.isArriving ? configuration.firstArrivingSeconds : configuration.firstBufferSeconds
    if readyFrames >= frameCount(seconds, queue) || freeBuffers.count <= 1 {
      dispatch(.primed)
    }
    return true
  }

  /// Nothing of what is queued is heard any more; time goes on counting.
  func dropQueue() {
    closeOutgoing()
    queue?.reset()
    // It would begin with the first frames, which nobody waits for: `primed` starts it.
    if machine.isPreparing { queue?.pause() }
    timeline.removeAll()
    dropsQueued = false
  }

  func startQueue() {
    // Whether the server grants it turns out at once or never: it mutes the stream, which is an interruption.
    try? session.activate {}
    // `queueInvalidated`: the device is gone, as an event on its way says.
    try? audibleQueue?.start()
    try? lastOutgoing?.queue.start()
    // A queue that was not running when its end was asked for has forgotten that.
    outgoing?.queue.stop(immediately: false)
  }

  func closeQueue() {
    closeOutgoing()
    queue?.dispose()
    forgetQueue()
  }

  private func closeOutgoing() {
    outgoing?.queue.dispose()
    outgoing = nil
    closeLastOutgoing()
  }

  func closeLastOutgoing() {
    lastOutgoing?.queue.dispose()
    lastOutgoing = nil
  }

  func closeSource() {
    move = nil
    opening = nil
    reading = nil
    entering = nil
    beyond = nil
    lastOpened = nil
    successor = nil
    dropsQueued = false
    rebuildTime = nil
  }

  func frameCount(_ seconds: Double, _ queue: AudioQueue) -> Int {
    max(1, min(Int(Double(queue.format.sampleRate) * seconds), maximumBufferByteCount / queue.format.bytesPerFrame))
  }
}

/// Half a second of 8 channels at 384 kHz and more: headers may claim 32 channels at 3 MHz.
private let maximumBufferByteCount = 1 << 23
