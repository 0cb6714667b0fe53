internal import AudioModel
internal import ByteIO
internal import Containers
internal import Streaming

/// The order in which tracks are opened, sought, read and queued.
///
/// A pure value: it does no work, and knows no clock, no thread and no audio queue. Its owner asks for the next step
/// (`nextStep`), performs it, and reports the outcome; each method returns the effects that the owner has to perform.
struct TrackSequence<Track: SequenceTrack> {
  typealias Effect = SequenceEffect<Track>
  typealias Opening = SequenceOpening<Track>
  typealias Step = SequenceStep<Track>

  private var move: Move?
  private var source = Source.idle
  private var readAhead: ReadAhead?
  /// The next track, opened before the end of the track that is read.
  private(set) var successor: Track?
  private var hasFailed = false
  private var current: Current?
  /// The position (seconds) while no queue determines it: a seek target, the start of a track, the end.
  private(set) var pendingPosition: Double?

  init() {}

  // MARK: Facts

  var currentEntry: QueueEntry? { current?.entry }
  var shownTrack: Track? { current?.track }
  var isMoving: Bool { move != nil }
  /// True if the queue holds audio from before a seek.
  var queueIsStale: Bool { transition?.isStale == true }

  /// True if playback is about to enter a track, so that the queue determines neither the position nor the entry.
  var isEntering: Bool {
    switch move {
    case .open, .enter: true
    case .seek, nil: false
    }
  }

  /// The frame with which the track that is read joins the queue; `nil` within the track.
  var joiningFrame: Int64? { transition?.frame }

  var readTrack: Track? { if case .reading(let track, _) = source { track } else { nil } }

  /// True if no track is being read.
  var isIdle: Bool { if case .idle = source { true } else { false } }

  private var transition: Transition? {
    switch source {
    case .idle: nil
    case .reading(_, let transition), .ended(_, let transition): transition
    }
  }

  /// The track to which a seek applies: the audible one, even if the next one is being read already; `nil` while
  /// another entry is opened.
  func seekableTrack(heard: Track?) -> Track? {
    switch move {
    case .enter(let track, _, _): track
    // An earlier part of an entry has the bounds of the entry.
    case .open(let entry, _): current?.entry == entry ? current?.track : nil
    case .seek, nil: queueIsStale ? readTrack : heard ?? readTrack
    }
  }

  /// The entries that have been opened, in playing order: the owner of the play queue knows what follows each.
  func openedIDs(queued: [Track]) -> [QueueEntry.ID] {
    var entries = (queued + [readTrack, successor].compactMap { $0 }).map(\.entry)
    if let readAhead { entries.append(readAhead.entry) }
    var ids: [QueueEntry.ID] = []
    for entry in entries where !ids.contains(entry.id) { ids.append(entry.id) }
    return ids
  }

  // MARK: Commands

  /// Obeys a request. `heard`: the audible track; an unknown end is shown as `position`.
  mutating func obey(_ request: SourceRequest, heard: Track?, position: Double) {
    switch request {
    case .play(let entry, let seconds): play(entry, from: seconds)
    case .seek(let seconds): seek(to: seconds, heard: heard, position: position)
    }
  }

  mutating func play(_ entry: QueueEntry, from seconds: Double) {
    move = .open(entry, from: seconds)
    current = Current(entry: entry)
    pendingPosition = seconds.isFinite ? seconds : 0
  }

  /// Seeks in the audible track. A seek to an unknown end shows `position` until the source has moved.
  mutating func seek(to seconds: Double, heard: Track?, position: Double) {
    let track = seekableTrack(heard: heard)
    pendingPosition = seconds.isFinite ? seconds : track?.duration ?? position
    switch move {
    case .open(let entry, _): move = .open(entry, from: seconds)
    case .enter(let track, _, let announces): move = .enter(track, at: seconds, announces: announces)
    case .seek(let track, _): move = .seek(track, to: seconds)
    case nil:
      if case .ended(let part, _) = source {
        move = .seek(part, to: seconds)
      } else {
        move = track.map { .seek($0, to: seconds) }
      }
    }
  }

  /// Ends playback; the current entry stays, at that position.
  mutating func stop(at position: Double) {
    (move, source, readAhead, successor) = (nil, .idle, nil, nil)
    pendingPosition = position
  }

  // MARK: Losses of the output

  /// The output is lost: playback will resume at the frame that the device confirmed last, or at a pending seek target.
  mutating func outputLost(confirmed: (track: Track, seconds: Double)?, heard: Track?) -> [Effect] {
    let seconds = pendingPosition ?? confirmed?.seconds ?? 0
    var effects: [Effect] = []
    // The next track was not heard yet.
    if move == nil, pendingPosition == nil, let track = confirmed?.track, track !== current?.track {
      move = .enter(track, at: seconds, announces: false)
      effects = began(track)
    }
    // The listener did not ask for this move.
    if move == nil, let track = seekableTrack(heard: heard) {
      move = .enter(track, at: seconds, announces: track.entry != current?.entry)
    }
    pendingPosition = seconds
    return effects
  }

  /// The device played frames muted: the seek that repeats them is not announced.
  mutating func repeatUnheard(in track: Track) -> [Effect] {
    guard case .seek(_, let seconds) = move else { return [] }
    move = .enter(track, at: seconds, announces: false)
    return track === current?.track ? [] : began(track)
  }

  // MARK: Steps

  /// The next move of the source; `nil` if there is none.
  mutating func nextMove() -> Step? {
    switch move {
    case nil: return nil
    case .open(let entry, let seconds): return .open(Opening(entry: entry, purpose: .start(from: seconds)))
    case .enter(let track, let seconds, _), .seek(let track, let seconds):
      let frame = track.frame(atSeconds: seconds)
      guard frame < 0, track.isContinuation else { return .move(track, toFrame: max(0, frame)) }
      // In an earlier part of the entry, which has to be opened again.
      move = .open(track.entry, from: seconds)
      return nextMove()
    }
  }

  /// The next step when no move is due. `lastQueued`: the track at the end of the queue.
  func nextStep(lastQueued: @autoclosure () -> Track?) -> Step {
    if case .reading(let track, _) = source { return .read(track) }
    if let part = unfinishedPart(lastQueued: lastQueued()) {
      return .open(Opening(entry: part.entry, purpose: .rest(of: part)))
    }
    if let successor { return .begin(successor) }
    switch readAhead?.following {
    case nil: return .wait
    case .unknown: return .awaitNext
    case .end: return .end
    case .entry(let entry): return .open(Opening(entry: entry, purpose: .next))
    }
  }

  /// The event for the end of the last track.
  func end(isQueueEmpty: Bool) -> PlaybackEvent { hasFailed && isQueueEmpty ? .trackFailed : .sourceEnded }

  /// The part of an entry that was read last and is not all of the entry.
  private func unfinishedPart(lastQueued: Track?) -> Track? {
    let part = if case .ended(let part, _) = source { part } else { lastQueued }
    return part?.rest == nil ? nil : part
  }

  // MARK: Opening

  mutating func opened(_ track: Track, for opening: Opening) -> [Effect] {
    hasFailed = false
    switch opening.purpose {
    case .start(let seconds):
      let isSeek = current?.entry == track.entry && current?.track != nil
      let effects = readAhead(of: opening.entry)
      current?.track = track
      move = nil
      if isSeek {
        move = .seek(track, to: seconds)
      } else if seconds > 0, !track.isLive {
        move = .enter(track, at: seconds, announces: true)
      } else {
        // A station has no earlier place: it begins live.
        replaceQueue(with: track, at: track.enteredFrame, announces: true, target: nil)
      }
      return effects
    case .next:
      let effects = readAhead(of: opening.entry)
      successor = track
      return effects
    case .rest:
      if case .ended(_, .replaces(_, let announces, let target)) = source {
        current?.track = track
        source = .idle
        // The target may lie in a gap before this part.
        move = .enter(track, at: max(target ?? 0, track.seconds(atFrame: 0)), announces: announces)
      } else {
        begin(track)
      }
      return []
    }
  }

  /// A track cannot be opened; `locations`: the contents, if it is a playlist.
  mutating func failedToOpen(
    _ opening: Opening, _ error: TrackError, locations: [MediaLocation]?, lastQueued: Track?
  ) -> [Effect] {
    var effects: [Effect] = []
    if opening.part == nil { effects = readAhead(of: opening.entry) }
    switch opening.purpose {
    case .start:
      move = nil
      effects.append(.dropQueue)
      source = .idle
    case .rest: break
    case .next:
      // The track before is read to its end.
      guard case .reading = source else { break }
      hasFailed = true
      return effects + [Self.failure(of: opening.entry, error, locations: locations)]
    }
    return effects + failed(opening.entry, error, locations: locations, lastQueued: lastQueued)
  }

  /// There is no rest of an entry after all.
  mutating func ended(_ part: Track) -> [Effect] {
    defer { source = .idle }
    part.rest = nil
    return queueIsStale ? [.dropQueue] : []
  }

  private mutating func readAhead(of entry: QueueEntry) -> [Effect] {
    readAhead = ReadAhead(entry: entry)
    successor = nil
    return [.notice(.needsNext(after: entry.id))]
  }

  // MARK: Moving

  mutating func moved(_ track: Track, toFrame frame: Int64, isEstimated: Bool) -> [Effect] {
    switch move {
    case .enter(_, let seconds, let announces):
      return replaceQueue(with: track, at: frame, announces: announces, target: seconds)
    case .seek(_, let seconds):
      // The next track may have begun since the request.
      let effects = track.entry == current?.entry ? [] : began(track)
      return effects + replaceQueue(with: track, at: frame, announces: false, target: seconds)
        + [.notice(.seeked(to: pendingPosition ?? 0, isEstimated: isEstimated))]
    case .open, nil: return []
    }
  }

  /// The source cannot move to its target.
  mutating func failedToMove(_ track: Track, _ error: TrackError, isEstimated: Bool, lastQueued: Track?) -> [Effect] {
    var effects: [Effect] = [.dropQueue]
    let isSeek = if case .seek = move { true } else { false }
    move = nil
    effects += failed(track.entry, error, lastQueued: lastQueued)
    if isSeek { effects.append(.notice(.seeked(to: pendingPosition ?? 0, isEstimated: isEstimated))) }
    return effects
  }

  /// Reads a track from that frame; the queue is dropped when the first buffer from there is ready.
  @discardableResult
  private mutating func replaceQueue(
    with track: Track, at frame: Int64, announces: Bool, target: Double?
  ) -> [Effect] {
    (move, hasFailed) = (nil, false)
    source = .reading(track, .replaces(frame: frame, announces: announces, target: target))
    pendingPosition = track.seconds(atFrame: frame)
    // After a seek back from the next track, which was read already, into the track that is heard.
    guard readAhead?.entry != track.entry || successor != nil else { return [] }
    return readAhead(of: track.entry)
  }

  // MARK: Reading

  /// Reads the next track: after the end of the track before, or mixed with that end.
  mutating func begin(_ track: Track) {
    successor = nil
    source = .reading(track, .follows(frame: track.enteredFrame, announces: true))
  }

  /// Frames of a station are lost: the next one that is read is `frame`.
  mutating func skipped(toFrame frame: Int64, seconds: Double) -> [Effect] {
    if case .reading(let track, let transition) = source, !transition.isStale {
      source = .reading(track, .follows(frame: frame, announces: transition.announces))
    }
    return [.notice(.shiftLost(seconds: seconds))]
  }

  /// The first buffer after a start, a seek or a transition is queued. `isAlone`: nothing was queued before it;
  /// `isHeard`: it is on the audible queue.
  mutating func joined(isAlone: Bool, isHeard: Bool) -> [Effect] {
    guard case .reading(let track, let transition) = source else { return [] }
    source = .reading(track, .continues)
    guard isAlone else { return [] }
    pendingPosition = nil
    return transition.announces && isHeard ? began(track) : []
  }

  /// A track was read to its end; `rest`: the rest of the entry, in another encoding.
  mutating func readToEnd(_ track: Track, rest: StreamContinuation?, lastQueued: Track?) -> [Effect] {
    guard case .reading(_, let transition) = source else { return [] }
    if let rest, rest != .now || isWorthAsking(after: track, transition) {
      track.rest = rest
      source = transition == .continues ? .idle : .ended(track, transition)
      return []
    }
    // Without these errors a repeated entry would be opened forever.
    let fault: TrackError? =
      if transition.frame == 0 {
        .container(ContainerError(.invalidFile, "no frame of it is to be heard"))
      } else if rest != nil {
        .container(
          ContainerError(.unsupportedDataFormat, "the station sends too little playable audio"))
      } else { nil }
    if let fault { return failed(track.entry, fault, lastQueued: lastQueued) }
    source = .idle
    return transition.isStale ? [.dropQueue] : []
  }

  /// True if a station sent enough audio to be asked for more.
  private func isWorthAsking(after part: Track, _ transition: Transition) -> Bool {
    let seconds = Double(part.nextFrame) / Double(part.format.sampleRate)
    return transition == .continues && (!part.isContinuation || seconds >= 2)
  }

  /// An entry cannot be played; `locations`: its contents, if it is a playlist.
  mutating func failed(
    _ entry: QueueEntry, _ error: TrackError, locations: [MediaLocation]? = nil, lastQueued: Track?
  ) -> [Effect] {
    let drops = queueIsStale
    if let part = unfinishedPart(lastQueued: lastQueued), part.entry == entry { part.rest = nil }
    source = .idle
    hasFailed = true
    return (drops ? [.dropQueue] : []) + [Self.failure(of: entry, error, locations: locations)]
  }

  private static func failure(of entry: QueueEntry, _ error: TrackError, locations: [MediaLocation]?) -> Effect {
    .notice(locations.map { .foundPlaylist(entry, $0) } ?? .trackFailed(entry, error))
  }

  /// Continues to read a track after its last queued frame.
  mutating func readOn(_ track: Track) { source = .reading(track, .continues) }

  /// The queued frames from some frame of a track on are read again, with other sound settings.
  mutating func readAgain(_ track: Track) -> [Effect] {
    source = .reading(track, .continues)
    // A part of the next track was queued already: that track is opened again.
    let asks = readAhead?.entry != track.entry || successor != nil
    return (asks ? readAhead(of: track.entry) : []) + [.report(.sourceContinues)]
  }

  // MARK: The audible track

  mutating func began(_ track: Track) -> [Effect] {
    let isKnown = track.isContinuation && current?.isAnnounced == true && current?.entry == track.entry
    current = Current(entry: track.entry, track: track, isAnnounced: true)
    return [.began(track, isNew: !isKnown)]
  }

  // MARK: The next entry

  /// A correction of the order: everything after `last` is to be read again. `index`: that of `last` among the
  /// tracks that are queued, read and opened, if tracks after it have to be taken back.
  struct Correction {
    var last: QueueEntry
    var index: Int?
  }

  /// The correction that is due if `entry` follows the entry with that id; `nil` if none is.
  func correction(after id: QueueEntry.ID, next entry: QueueEntry?, queued: [Track]) -> Correction? {
    var chain = queueIsStale ? [] : queued
    if case .reading(let track, let transition) = source, transition != .continues { chain.append(track) }
    if let successor { chain.append(successor) }
    guard var index = chain.firstIndex(where: { $0.entry.id == id }) else { return nil }
    while index + 1 < chain.count, chain[index + 1].isContinuation { index += 1 }
    let isReadOn = chain.indices.contains(index + 1)
    guard (isReadOn ? chain[index + 1].entry : readAhead?.entry) != entry, isReadOn || readTrack == nil
    else { return nil }
    return Correction(last: chain[index].entry, index: isReadOn ? index : nil)
  }

  /// Everything after an entry was removed from the queue, whose end comes again.
  mutating func correct(_ correction: Correction) -> [Effect] {
    readAhead = ReadAhead(entry: correction.last, following: readAhead?.following ?? .unknown)
    return correction.index == nil ? [] : [.report(.sourceContinues)]
  }

  /// Drops the next track. Nothing of it is queued.
  mutating func forgetSuccessor() { successor = nil }

  /// The tracks after `track` were removed from the queue. `isWhole`: all of `track` stays queued.
  mutating func tookBack(behind track: Track, isWhole: Bool) {
    let isRead = if case .reading(let read, .continues) = source { read === track } else { false }
    if !isRead || successor == nil || !isWhole { source = .idle }
    successor = nil
  }

  mutating func askForNext(after track: Track) -> [Effect] { readAhead(of: track.entry) }

  /// The entry with that id is followed by `entry`, or is the last one.
  mutating func follow(_ id: QueueEntry.ID, with entry: QueueEntry?) -> [Effect] {
    guard readAhead?.entry.id == id else { return [] }
    readAhead?.following = entry.map { .entry($0) } ?? .end
    return entry == nil ? [] : [.report(.sourceContinues)]
  }

  /// The queue that was filled is closed: the track after `last`, the end of the queue that plays out, is opened again.
  mutating func prepareAgain(after last: Track, next: QueueEntry?) -> [Effect] {
    let next = next ?? readTrack?.entry
    (source, successor) = (.idle, nil)
    guard last.rest == nil else { return readAhead(of: last.entry) + [.report(.sourceContinues)] }
    readAhead = ReadAhead(entry: last.entry, following: next.map { .entry($0) } ?? .end)
    return [.report(.sourceContinues)]
  }

  // MARK: Crossfade

  /// The next step at the end of `track`, which the next track may overlap.
  func crossfadeStep(of track: Track, seconds: Double, bufferSeconds: Double) -> CrossfadeStep<Track> {
    let following = readAhead?.following ?? .unknown
    let plan = CrossfadePlan(
      track: track, successor: successor, following: following, seconds: seconds, bufferSeconds: bufferSeconds)
    return plan.step
  }

  // MARK: Invariants

  /// The rules that are broken; empty unless there is a bug.
  func violations(isStopped: Bool) -> [String] {
    let rules: [(String, Bool)] = [
      ("a stopped player reads nothing", !isStopped || isIdle && successor == nil),
      ("a stopped player moves nowhere", !isStopped || move == nil),
      ("a successor is another reader", successor == nil || successor !== readTrack),
      ("a fade-out lies before what is read next", readTrack.map { $0.fadeOutStart ?? 0 <= $0.nextFrame } ?? true),
      ("the pending place is one", pendingPosition.map { $0.isFinite && $0 >= 0 } ?? true),
      ("the open track belongs to the entry", current?.track.map { $0.entry == current?.entry || move != nil } ?? true),
    ]
    return rules.compactMap { $0.1 ? nil : $0.0 }
  }
}
