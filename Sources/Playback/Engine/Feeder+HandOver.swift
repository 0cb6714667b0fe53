internal import AudioModel
internal import AudioOutput
internal import Threads

// From a queue to one of another format: the next one is opened and primed while the first plays out, and is heard from
// the moment at which the first ends (or has begun to fade out), by the clock, not when the device has confirmed that (`Feeder+LeadIn`).
extension Feeder {
  /// What is heard, or would be if it were not paused.
  var audibleQueue: AudioQueue? { outgoing?.queue ?? queue }

  /// Lets the queue play out, to go on with another. Of those that wait only one is prepared.
  func retireQueue() -> Bool {
    guard outgoing == nil, let queue else { return false }
    dispatch(.primed)  // However little is queued: nothing more will be.
    outgoing = OutgoingQueue(
      queue: queue, number: queueNumber, timeline: timeline, freeBuffers: freeBuffers, end: queueEnd)
    forgetQueue()
    queue.stop(immediately: false)
    return true
  }

  /// Goes on with the queue that was to play out; what was prepared to follow it is not wanted.
  func recallQueue() {
    guard let outgoing else { return }
    closeIncoming()
    queue = outgoing.queue
    queueNumber = outgoing.number
    timeline = outgoing.timeline
    freeBuffers = outgoing.freeBuffers
    queueEnd = outgoing.end
    self.outgoing = nil
  }

  /// When the queue that plays out has to be followed (CLOCK_MONOTONIC nanoseconds), while its time passes.
  var handOverTime: UInt64? { outgoing.flatMap { time(of: $0.joint - lead($0), in: $0.queue) } }

  /// When a queue gets to a place on its time line; nil while its time stands still.
  func time(of frame: Int64, in queue: AudioQueue) -> UInt64? {
    let clock = queue.clock
    guard clock.isAdvancing else { return nil }
    let seconds = Double(max(0, frame - clock.frame)) / Double(clock.framesPerSecond)
    return clock.referenceNanoseconds &+ UInt64(seconds * 1e9)
  }

  /// Starts the next queue if the one that plays out is as good as over.
  func handOverIfDue() {
    guard let outgoing, outgoing.queue.clock.isAdvancing, !timeline.segments.isEmpty, outgoing.incomingLoss == nil,
      outgoing.queue.currentTime >= outgoing.joint - lead(outgoing)
    else { return }
    // The last of several very short tracks may begin and end within the lead.
    while let segment = self.outgoing?.timeline.advance(toQueueFrame: .max) { begin(segment.track) }
    self.outgoing = nil
    // Between two very short tracks it still has its last frames to play.
    lastOutgoing?.queue.dispose(immediately: false)
    lastOutgoing = outgoing
    handOver()
  }

  /// The end of a queue that played out, as its device says.
  func outgoingHasEnded() {
    let incomingLoss = outgoing?.incomingLoss
    outgoing?.queue.dispose()
    outgoing = nil
    if let incomingLoss {
      hear(loss: incomingLoss)
    } else if !timeline.segments.isEmpty {
      handOver()
    } else {
      // Nothing is there to follow it, or not yet.
      closeQueue()
      dispatch(machine.wantsFrames ? .starved : .drained)
    }
  }

  /// The next queue is the one that is heard.
  private func handOver() {
    if let first = timeline.segments.first { begin(first.track) }
    guard machine.drivesOutput else { return }
    startQueue()
    // All of it has been read already, and nothing follows.
    if !machine.wantsFrames { queue?.stop(immediately: false) }
  }

  /// Ends what was prepared, of which nothing was heard.
  func closeIncoming() {
    queue?.dispose()
    forgetQueue()
    outgoing?.incomingLoss = nil
  }

  /// The next queue is a new one.
  func forgetQueue() {
    queue = nil
    lastQueueNumber += 1
    queueNumber = lastQueueNumber
    freeBuffers = []
    timeline.removeAll()
    outgoing?.leadIn = nil
  }

  /// From the word to start until sound, where the next queue does not run yet: a message to the server, and mixing.
  private func lead(_ outgoing: OutgoingQueue) -> Int64 {
    outgoing.leadIn == nil ? Int64(outgoing.queue.format.sampleRate / 500) : 0
  }
}
