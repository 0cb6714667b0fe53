internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Playback

/// The play queue of a session: obeys what is said about the queue and the place in it.
final class SessionQueue {
  private let engine: any PlayerEngine
  private let desk: Desk?
  private let listening: ListeningLog?
  private let observers: SessionObservers
  private let now: () -> MonotonicTime
  private var feed = QueueFeed()
  /// The changes of the library that are not answered yet.
  private var askedLibraryChanges = 0
  /// The playlist file that the queue was loaded from, or saved to.
  var file: BytePath?
  /// The mark of the engine behind the last track that was requested.
  private var startMark = 0
  /// The listener's choice in place of the queue, until it is heard.
  private var trial: Trial?

  private struct Trial {
    /// The number of its first entry.
    let firstID: QueueEntry.ID
    /// The state that was left.
    let state: PlaybackState
    /// The file of the queue that was left.
    let file: BytePath?
    /// 1, and more if it follows choices that were not heard either.
    let changeCount: Int
    /// The last entry so far that cannot be played, and the reason.
    var failure: String?
  }

  /// - Parameters:
  ///   - locations: The initial queue.
  ///   - loaded: The file that it was loaded from.
  init(
    _ locations: [MediaLocation], loaded: BytePath?, _ engine: any PlayerEngine, _ desk: Desk?,
    _ listening: ListeningLog?, _ observers: SessionObservers, now: @escaping () -> MonotonicTime
  ) {
    (self.engine, self.desk, self.listening, self.observers, self.now) = (engine, desk, listening, observers, now)
    feed.queue.append(locations)
    file = loaded
  }

  /// The entries in their order, and the modes.
  var list: PlayQueue { feed.queue }

  private var playing: QueueEntry? { engine.snapshot.state == .stopped ? nil : engine.snapshot.entry }

  /// The place of playback, or of the cursor while nothing plays. A station has no places.
  private var place: QueueHistory.Place? {
    guard let playing else { return list.current.map { QueueHistory.Place(id: $0.id, seconds: 0) } }
    let isLive = engine.snapshot.stream?.isLive == true
    return QueueHistory.Place(id: playing.id, seconds: isLive ? 0 : max(0, engine.snapshot.position(at: now())))
  }

  private var openedIDs: [QueueEntry.ID] { engine.snapshot.openedIDs }

  // MARK: Playing

  /// Plays an entry, or reports that there is none. Without a place in seconds, a long track continues where it was left.
  func play(_ entry: QueueEntry?, from seconds: Double? = nil, orSay refusal: String = "no more tracks") {
    guard let entry else { return observers.refuse(refusal) }
    let start = seconds ?? listening?.start(of: entry.location) ?? 0
    engine.send(.play(entry, from: start))
    startMark = engine.mark()
    let isContinued = seconds == nil && start > 0
    if isContinued { observers.say("continued at \(timeText(start)); restart plays from the start") }
  }

  func play(_ id: QueueEntry.ID, from seconds: Double? = nil) {
    if let index = list.index(of: id) { play(feed.jump { $0.select(index: index) }, from: seconds) }
  }

  func playFromStart() { play(feed.selectCurrent(playing: playing) ?? feed.queue.next(), from: 0) }

  /// Starts to play, or sends a command to the engine if a track is loaded.
  func start(or command: PlaybackCommand) {
    if engine.snapshot.state == .stopped {
      play(feed.selectCurrent() ?? feed.queue.next())
    } else {
      engine.send(command)
    }
  }

  func next() { play(feed.queue.next()) }

  func previous() { play(feed.jump { $0.previous() }, orSay: "no track before this one") }

  func select(place: Int) -> QueueEntry? { feed.queue.select(index: place) }

  /// True until the engine has the track that was requested last.
  var isStarting: Bool { engine.markReached < startMark }

  // MARK: The list

  func edit(_ edit: QueueEdit) {
    let count = list.entries.count
    trial = nil
    perform(feed.edit(opened: openedIDs) { $0.apply(edit) })
    switch edit {
    case .clear: file = nil
    case .choose(_, let id): readTags(of: [id])
    default: break
    }
    let removed = count - list.entries.count
    if removed > 0 { observers.say("\(counted(removed, "track", grouped)) removed") }
  }

  /// True if the listener changed the library after the queue: `undo` is for that change.
  var isLibraryChangedLast: Bool { feed.libraryChangeCount > 0 }

  func noteLibraryChange(_ step: Int) {
    feed.noteLibraryChange(step)
    askedLibraryChanges += abs(step)
  }

  /// Takes the answer to an act, which may be one of the library.
  func noteAnswer(isRefused: Bool) {
    guard askedLibraryChanges > 0 else { return }
    askedLibraryChanges -= 1
    if isRefused { feed.noteLibraryChange(-1) }
  }

  func undo() { restore("undo") { $0.undo(playing: playing?.id, at: $1, opened: openedIDs) } }

  func redo() { restore("redo") { $0.redo(playing: playing?.id, at: $1, opened: openedIDs) } }

  private func restore(
    _ verb: String, _ restore: (inout QueueFeed, QueueHistory.Place?) -> [QueueFeed.Effect]?
  ) {
    let (old, state) = (Set(list.entries.lazy.map(\.id)), engine.snapshot.state)
    let left = place
    trial = nil
    guard let effects = restore(&feed, left) else {
      return observers.refuse(verb == "redo" ? "nothing to redo in the queue" : "nothing to \(verb)")
    }
    let new = Set(list.entries.lazy.map(\.id))
    // The list of another file, such as the one before `load`.
    if old.isDisjoint(with: new) { file = nil }
    perform(effects)
    let (gone, come) = (old.subtracting(new).count, new.subtracting(old).count)
    let (added, removed) = verb == "undo" ? (gone, come) : (come, gone)
    observers.say("\(verb == "undo" ? "undone" : "redone"): \(Self.words(added: added, removed: removed))")
    resume(as: state)
  }

  /// Plays on from the place that the history leads back to, paused if it was.
  private func resume(as state: PlaybackState) {
    guard let place = feed.restored, state != .stopped else { return }
    play(list.current, from: place.seconds)
    if state == .paused { engine.send(.pause) }
  }

  private static func words(added: Int, removed: Int) -> String {
    switch (added, removed) {
    case (0, 0): "order of the queue changed"
    case (_, 0): "\(counted(added, "track", grouped)) added"
    case (0, _): "\(counted(removed, "track", grouped)) removed"
    default: "\(counted(removed, "track", grouped)) replaced by \(grouped(added))"
    }
  }

  func changeModes(_ change: (inout PlayQueue) -> Void) { perform(feed.changeModes(opened: openedIDs, change)) }

  /// Adds media that were found.
  ///
  /// - Parameters:
  ///   - place: The one of them that plays first, for `.list`.
  ///   - seconds: The place in it, as in `play`.
  ///   - bookmark: The one at which the listener left the book that they are, if they are to begin as that says.
  ///   - match: What words have found.
  func add(
    _ locations: [MediaLocation], _ destination: Command.Destination, from place: Int = 0, at seconds: Double? = nil,
    bookmark: Int? = nil, match: String? = nil
  ) {
    guard !locations.isEmpty else { return }
    var (place, seconds, match, bookmark) = (place, seconds, match, bookmark)
    if list.isShuffled || !list.entries.isEmpty && !destination.replacesQueue { bookmark = nil }
    if bookmark != nil, let playing, let row = locations.firstIndex(of: playing.location) {
      (bookmark, seconds) = (row, self.place?.seconds)
    }
    if let bookmark { (place, match) = (bookmark, Self.sentence(on: bookmark, of: locations.count, match)) }
    if case .list = destination, list.entries.map(\.location) == locations {
      return play(list.entries[place].id, from: seconds)
    }
    var first: QueueEntry?
    let hadEntries = !list.entries.isEmpty
    trial =
      destination.replacesQueue
      ? Trial(
        firstID: list.nextID, state: trial?.state ?? engine.snapshot.state, file: trial.map(\.file) ?? file,
        changeCount: 1 + (trial?.changeCount ?? 0)) : nil
    let effects = feed.edit(leaving: destination.replacesQueue ? self.place : nil, opened: openedIDs) { queue in
      switch destination {
      case .turn(let placement):
        queue.insert(locations, placement)
        if let bookmark { queue.select(index: bookmark) }
      case .whole:
        queue.apply(.replace(locations))
        // As if the listener chose it: a stop after the track is not meant for the one before.
        var ahead = queue
        first = queue.isShuffled ? ahead.next() : queue.entries[place]
      case .list:
        queue.apply(.replace(locations))
        first = queue.entries[place]
      }
    }
    perform(effects)
    if let first { play(first.id, from: seconds) }
    let tracks = counted(locations.count, "track")
    switch destination {
    case .turn: observers.say("\(tracks) added" + (match.map { ": " + $0 } ?? ""))
    case .list where hadEntries, .whole where hadEntries:
      observers.say((match.map { "playing \($0), " } ?? tracks + " ") + "in place of the queue" + undoHint())
    case .list, .whole: if let match { observers.say("playing " + match) }
    }
  }

  /// `part 3 of 12, where you left it`.
  static func sentence(on bookmark: Int, of count: Int, _ match: String? = nil) -> String {
    (match.map { $0 + ", " } ?? "") + "part \(bookmark + 1) of \(count), where you left it"
  }

  // MARK: Events

  /// Follows the events of the engine. Returns the place of a stop that the listener asked for; and if nothing of a
  /// choice can be played, the reason, after going back to what played before.
  func hear(
    _ notices: [PlaybackNotice], _ snapshot: PlaybackSnapshot
  ) -> (stop: PlayQueue.StopPoint?, failure: String?) {
    (perform(feed.handle(notices, opened: snapshot.openedIDs)), goBack(notices, snapshot))
  }

  /// True while it is not known whether something of a choice can be played.
  var isTrying: Bool { trial != nil }

  /// Goes back to the queue before a choice that has failed.
  private func goBack(_ notices: [PlaybackNotice], _ snapshot: PlaybackSnapshot) -> String? {
    for notice in notices {
      guard let trial else { return nil }
      switch notice {
      case .trackBegan(let entry, _) where entry.id >= trial.firstID: self.trial = nil
      case .trackFailed(let entry, let error) where entry.id >= trial.firstID:
        self.trial?.failure = "\(entry.location): \(error.text(.reason))"
      case .state(.stopped, .failed, _) where trial.failure != nil:
        self.trial = nil
        for _ in 0..<trial.changeCount { perform(feed.undo(playing: nil, opened: openedIDs) ?? []) }
        file = trial.file
        resume(as: trial.state)
        return trial.failure
      case .state(.stopped, _, _) where snapshot.state == .stopped && !isStarting: self.trial = nil
      default: break
      }
    }
    return nil
  }

  func note(_ facts: TrackFacts, of id: QueueEntry.ID) { perform(feed.note(facts, of: id, opened: openedIDs)) }

  @discardableResult
  private func perform(_ effects: [QueueFeed.Effect]) -> PlayQueue.StopPoint? {
    var stop: PlayQueue.StopPoint?
    for effect in effects {
      switch effect {
      case .send(let command): engine.send(command)
      case .showQueue: observers.notify { $0.show(list) }
      case .readTags(let ids): readTags(of: ids)
      case .stopped(let point): stop = point
      }
    }
    return stop
  }

  private func readTags(of ids: [QueueEntry.ID]) {
    var wanted = Set(ids)
    // The entries are often at the beginning of a long list.
    let entries = list.entries.lazy.prefix { _ in !wanted.isEmpty }.filter { wanted.remove($0.id) != nil }
    desk?.ask(.facts(Array(entries)), from: .session(request: nil))
  }
}
