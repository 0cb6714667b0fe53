internal import AudioModel
internal import AudioOutput

/// The preparation of the next queue while another queue plays out.
enum LeadIn: Sendable, Hashable {
  /// The next queue plays silence until both clocks are known.
  case silence
  /// The first track of the next queue begins at the frame at which the other queue ends.
  case aligned
}

/// The queues of a hand-over between formats: one is filled, one may play out before it, one may render its last
/// frames.
///
/// A pure value: it decides which queue plays, and returns the queues that its owner has to dispose of.
struct PlayingQueues<Handle, Buffer, Track> {
  typealias Queue = PlayingQueue<Handle, Buffer, Track>

  /// The place of a queue in the hand-over.
  enum Role { case filled, outgoing, retired }

  /// A queue that plays to its end while the next track, of another format, is opened and queued.
  private struct Outgoing {
    var queue: Queue
    var leadIn: LeadIn?
    var incomingLoss: AudioOutputError?
  }

  var filled: Queue?
  private var leaving: Outgoing?
  /// The queue that played out last: the sound server has not confirmed its end.
  private(set) var retired: Queue?
  private(set) var nextNumber = 0

  init() {}

  // MARK: Facts

  /// The queue that plays out before `filled` is heard.
  var outgoing: Queue? { leaving?.queue }

  /// The queue that plays, or would play if playback were not paused.
  var audible: Queue? { leaving?.queue ?? filled }

  /// The preparation of `filled` while `outgoing` plays; `nil`: it is started at its turn.
  var leadIn: LeadIn? { leaving?.leadIn }

  /// The error with which `filled` failed before its turn. Once `outgoing` is gone, nothing reports it.
  var incomingLoss: AudioOutputError? { leaving?.incomingLoss }

  /// The tracks that are queued, in playing order.
  var tracks: [Track] {
    ((leaving?.queue.timeline.segments ?? []) + (filled?.timeline.segments ?? [])).map(\.track)
  }

  /// The track that was queued last.
  var lastTrack: Track? { filled?.lastTrack ?? leaving?.queue.lastTrack }

  /// The track that is heard at a time of the audible queue, and its frame.
  func heard(at time: Int64) -> (track: Track, frame: Int64)? {
    leaving.map { $0.queue.timeline.heard(atQueueFrame: time) } ?? filled?.timeline.heard(atQueueFrame: time)
  }

  /// The same for a time that may lie a little before the last `advance`.
  func heard(backAt time: Int64) -> (track: Track, frame: Int64)? {
    leaving.map { $0.queue.timeline.heard(backAtQueueFrame: time) } ?? filled?.timeline.heard(backAtQueueFrame: time)
  }

  /// The queue time of the next track on the audible queue.
  var nextBoundary: Int64? { leaving.map { $0.queue.timeline.nextBoundary } ?? filled?.timeline.nextBoundary }

  /// The role of the queue with that number. Without a filled queue, the number of the next one has its role.
  func role(ofNumber number: Int) -> Role? {
    if number == filled?.number ?? nextNumber { return .filled }
    if number == leaving?.queue.number { return .outgoing }
    return number == retired?.number ? .retired : nil
  }

  // MARK: The filled queue

  /// A queue was opened under the number `nextNumber`.
  mutating func open(_ handle: Handle, format: PCMFormat, freeBuffers: [Buffer]) {
    filled = Queue(handle, number: nextNumber, format: format)
    filled?.freeBuffers = freeBuffers
    nextNumber += 1
  }

  mutating func giveBack(_ buffer: Buffer, to role: Role = .filled) {
    if role == .outgoing { leaving?.queue.freeBuffers.append(buffer) }
    if role == .filled { filled?.freeBuffers.append(buffer) }
  }

  /// Returns the next track that has begun by that time. Call it until it returns `nil`.
  mutating func advance(to time: Int64) -> Track? {
    if leaving != nil { return leaving?.queue.timeline.advance(toQueueFrame: time)?.track }
    return filled?.timeline.advance(toQueueFrame: time)?.track
  }

  // MARK: The hand-over

  /// Lets the filled queue play out, so that another one can be opened. Returns it; `nil` if another queue still plays
  /// out.
  mutating func retire() -> Queue? {
    guard leaving == nil, let queue = filled else { return nil }
    leaving = Outgoing(queue: queue)
    filled = nil
    return queue
  }

  /// Fills the queue again that was playing out. Returns the queue that was prepared to follow it.
  mutating func recall() -> Queue? {
    guard let leaving else { return nil }
    defer { (filled, self.leaving) = (leaving.queue, nil) }
    return filled
  }

  /// Forgets the filled queue. Returns it.
  mutating func closeFilled() -> Queue? {
    defer { filled = nil }
    leaving?.leadIn = nil
    leaving?.incomingLoss = nil
    return filled
  }

  /// Forgets the queue that plays out, and the one before. Returns both.
  mutating func closeOutgoing() -> [Queue] {
    defer { (leaving, retired) = (nil, nil) }
    return [leaving?.queue, retired].compactMap { $0 }
  }

  mutating func closeRetired() -> Queue? {
    defer { retired = nil }
    return retired
  }

  mutating func setLeadIn(_ leadIn: LeadIn?) { leaving?.leadIn = leadIn }

  mutating func setIncomingLoss(_ error: AudioOutputError) { leaving?.incomingLoss = error }

  /// The outgoing queue is about to end: the filled queue takes over. Returns the queue that was retired before.
  mutating func handOver() -> Queue? {
    defer { (leaving, retired) = (nil, leaving?.queue) }
    return retired
  }

  /// The device has played out the outgoing queue. Returns it, and the error of the queue that was to follow.
  mutating func outgoingEnded() -> (queue: Queue?, incomingLoss: AudioOutputError?) {
    defer { leaving = nil }
    return (leaving?.queue, leaving?.incomingLoss)
  }
}

extension PlayingQueues where Track: SequenceTrack {
  /// The time of the outgoing queue at which the filled one has to start: without a lead-in a little early, as the
  /// message to the server and its mixing take time.
  var handOverFrame: Int64? {
    leaving.map { $0.queue.handOverFrame - ($0.leadIn == nil ? Int64($0.queue.format.sampleRate / 500) : 0) }
  }

  /// True if the filled queue has to start at that time of the outgoing queue.
  func isHandOverDue(at time: Int64) -> Bool {
    guard let handOverFrame, filled?.isEmpty == false, incomingLoss == nil else { return false }
    return time >= handOverFrame
  }

  /// The segments from an index of `tracks` on, and the queue that holds them.
  func segments(from index: Int) -> (segments: ArraySlice<Timeline<Track>.Segment>, isOutgoing: Bool) {
    let outgoing = leaving?.queue.timeline.segments ?? []
    if index < outgoing.count { return (outgoing[index...], true) }
    let segments = filled?.timeline.segments ?? []
    return (segments[min(index - outgoing.count, segments.count)...], false)
  }

  // MARK: Invariants

  /// The rules that are broken; empty unless there is a bug.
  func violations(isStopped: Bool, isPaused: Bool, isRebuilding: Bool) -> [String] {
    let frames = filled?.timeline.segments.map(\.queueFrame) ?? []
    let rules = [
      ("segments are in order", zip(frames, frames.dropFirst()).allSatisfy { $0 <= $1 }),
      ("the last segment begins before the end of the queue", frames.last.map { $0 <= filled?.end ?? 0 } ?? true),
      ("a queue that plays out plays something", leaving?.queue.isEmpty != true),
      (
        "queues have numbers of their own",
        filled == nil || leaving?.queue.number != filled?.number && retired?.number != filled?.number
      ),
      ("a lead-in leads to a queue", leadIn == nil || filled != nil),
      ("a paused player has no lead-in", leadIn == nil || !isPaused),
      ("while the output is rebuilt there is no queue", !isRebuilding || filled == nil && leaving == nil),
      ("a stopped player has no queue", !isStopped || filled == nil && leaving == nil && retired == nil),
      ("few buffers", filled?.freeBuffers.count ?? 0 <= 64),
    ]
    return rules.compactMap { $0.1 ? nil : $0.0 }
  }
}
