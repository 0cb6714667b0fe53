internal import AudioModel
internal import AudioOutput
internal import Threads

/// How the next queue gets ready while another plays out.
enum LeadIn {
  /// It plays silence until it is known which of its frames is heard at the end of the other.
  case silence
  /// Its first track begins at that frame.
  case aligned
}

// Two streams of one device can be joined to the sample, though neither can be started at a given moment: the next one is
// started early, with silence, and once both clocks are known its track is put where the other ends. Where that cannot be
// (paused, too short, no clock), the next queue is held and started in time.
extension Feeder {
  /// Starts the next queue with silence, if there is time for that.
  func beginLeadIn() {
    guard hasTimeForLeadIn else { return }
    outgoing?.leadIn = .silence
    try? queue?.start()
  }

  private var hasTimeForLeadIn: Bool {
    guard machine.state == .playing, let outgoing, let joint = time(of: outgoing.joint, in: outgoing.queue) else {
      return false
    }
    return joint > configuration.now() &+ 500_000_000
  }

  /// Queues silence, up to some time behind the other's end. Returns whether it did.
  func feedSilence(_ queue: AudioQueue) -> Bool {
    guard let outgoing, let joint = time(of: outgoing.joint, in: outgoing.queue) else { return false }
    let missing = Double(joint) / 1e9 + 1 - Double(configuration.now()) / 1e9
    let goal = queue.currentTime + Int64(missing * Double(queue.format.sampleRate))
    guard queueEnd < goal, let buffer = freeBuffers.popLast() else { return false }
    buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    buffer.frameCount = buffer.frameCapacity
    guard let time = try? queue.enqueue(buffer) else { return false }
    queueEnd = time + Int64(buffer.frameCount)
    return true
  }

  /// Both clocks are known: what follows the silence begins when the other queue ends.
  func align() {
    guard let queue, let outgoing, case .silence = outgoing.leadIn else { return }
    if let joint = time(of: outgoing.joint, in: outgoing.queue), queue.clock.isAdvancing,
      case let frame = queue.clock.frame(atNanoseconds: joint), frame < queueEnd, queue.takeBack(from: frame)
    {
      queueEnd = frame
      self.outgoing?.leadIn = .aligned
    } else {
      // Too late, or the device holds too much: it is started in time instead.
      queue.pause()
      queue.reset()
      self.outgoing?.leadIn = nil
    }
  }

  /// A pause comes between: the streams will not go on in step.
  func dropLeadIn() { if outgoing?.leadIn != nil { dropIncoming() } }

  /// The clock goes on after a pause: what was prepared meanwhile gets its lead-in after all.
  func leadInAgain() { if outgoing?.leadIn == nil, queue != nil, hasTimeForLeadIn { dropIncoming() } }

  /// The next track is prepared anew.
  private func dropIncoming() {
    guard let last = outgoing?.timeline.last else { return }
    let next = timeline.segments.first?.track.entry ?? reading?.entry
    closeIncoming()
    reading = nil
    entering = nil
    if last.track.rest == nil {
      lastOpened = last.track.entry
      following = .some(next)
    } else {
      askForNext(after: last.track)
    }
    // It may have been read to its end.
    dispatch(.sourceContinues)
  }
}
