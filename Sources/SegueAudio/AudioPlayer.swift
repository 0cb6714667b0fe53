internal import Threads

/// Plays files, addresses and playlists in the background, one after the other without a gap.
///
/// ```swift
/// let player = AudioPlayer(applicationName: "my player")
/// player.play([MediaLocation("song.mp3"), MediaLocation("http://host/radio")])
/// for await snapshot in player.snapshots() { print(snapshot.state, player.position) }
/// ```
/// Every call returns at once, on any thread. The player ends with its last reference. `PlaybackEngine` below it has
/// all commands, and leaves the list to its owner.
public final class AudioPlayer: Sendable {
  /// The engine, for commands without a function here. Its notices go to `notices()`.
  public let engine: PlaybackEngine
  /// The network for addresses.
  public let network: Network
  private let ownsNetwork: Bool
  private let bell: Mailbox<Bool>
  /// Answers about the list are sent under its lock, so that the engine gets none that a change has overtaken.
  private let list = Guarded(PlayList())
  private let listeners: Guarded<Listeners>

  private struct Listeners {
    var snapshots: [Int: AsyncStream<PlaybackSnapshot>.Continuation] = [:]
    var notices: [Int: AsyncStream<PlaybackNotice>.Continuation] = [:]
    var nextNumber = 0
  }

  /// A stopped player. `output` is the sound server by default; mixers show `applicationName`. A `network` may be that
  /// of several players; without one the player has its own, and ends it.
  public init(
    applicationName: String, output: (any AudioOutput)? = nil, network: Network? = nil,
    configuration: PlaybackEngine.Configuration = PlaybackEngine.Configuration()
  ) {
    let bell = Mailbox<Bool>()
    let listeners = Guarded(Listeners())
    (self.bell, self.listeners, ownsNetwork) = (bell, listeners, network == nil)
    let network = network ?? Network()
    self.network = network
    engine = PlaybackEngine(
      output: output ?? PulseOutput(applicationName: applicationName), network: network, configuration: configuration
    ) { bell.post(true) }
    _ = WorkerThread(named: "player") { [weak self] in
      while bell.take(until: nil).allSatisfy(\.self), let player = self { player.passOn() }
      // Outside the lock: a sequence that ends takes the lock to remove itself.
      let last = listeners.withLock { $0 }
      last.snapshots.values.forEach { $0.finish() }
      last.notices.values.forEach { $0.finish() }
    }
  }

  /// Ends playback. Sequences of snapshots and notices end.
  deinit {
    bell.post(false)
    // On another thread: the engine's own thread may release the player last.
    _ = WorkerThread(named: "closing") { [engine, network = ownsNetwork ? network : nil] in
      engine.shutDown()
      network?.shutDown()
    }
  }

  // MARK: The list

  /// Plays these entries, the first one from `seconds` on.
  public func play(_ locations: [MediaLocation], from seconds: Double = 0) {
    list.withLock { list in start(list.replace(with: locations), from: seconds, &list) }
  }

  /// Plays an entry, or stops without one.
  private func start(_ entry: QueueEntry?, from seconds: Double, _ list: inout PlayList) {
    if let entry { list.lastPlayed = entry.id }
    send(
      entry.map { .play($0, from: seconds) } ?? .stop, expecting: (entry?.id, entry == nil ? 0 : seconds), &list)
  }

  /// Sends a command, until which the engine's snapshot shows what was before.
  private func send(_ command: PlaybackCommand, expecting outcome: PlayList.Outcome, _ list: inout PlayList) {
    engine.send(command)
    list.expected = (outcome, engine.mark())
    list.jumpCount += 1
  }

  /// The outcome of the commands that the engine has not reached yet.
  private func expected(_ list: PlayList) -> PlayList.Outcome? {
    list.expected.flatMap { engine.markReached < $0.mark ? $0.outcome : nil }
  }

  /// The entry that plays, or will once the commands so far have taken effect.
  private func current(_ list: PlayList) -> QueueEntry.ID? {
    expected(list).map(\.id) ?? engine.snapshot.entry?.id
  }

  /// Plays one file or address.
  public func play(_ location: MediaLocation, from seconds: Double = 0) { play([location], from: seconds) }

  /// Adds entries after the last one.
  public func append(_ locations: [MediaLocation]) {
    list.withLock { list in
      if let last = list.append(locations) { engine.send(.setNext(list.entry(after: last), after: last)) }
    }
  }

  /// Plays the entry after the current one; stops if there is none.
  public func skip() {
    list.withLock { list in
      guard let current = current(list) else { return }
      start(list.entry(after: current), from: 0, &list)
    }
  }

  // MARK: Commands

  /// Pauses and keeps the position.
  public func pause() { engine.send(.pause) }

  /// Plays: after a pause from there; after a stop the same entry from its start; after the end the first one.
  public func play() {
    list.withLock { list in
      let isStopped = expected(list).map { $0.id == nil } ?? (engine.snapshot.state == .stopped)
      guard isStopped else { return engine.send(.resume) }
      let isOver = expected(list) == nil && engine.snapshot.reason == .finished
      guard let entry = list.entry(isOver ? nil : list.lastPlayed) else { return }
      start(entry, from: 0, &list)
    }
  }

  /// Continues after a pause, and only then: a stopped player stays so.
  public func resume() { engine.send(.resume) }

  /// Stops; `play` starts again.
  public func stop() {
    list.withLock { list in
      list.lastPlayed = current(list) ?? list.lastPlayed
      start(nil, from: 0, &list)
    }
  }

  /// Seeks to so many seconds into the track; exact to the frame for files. `position` is that place from now on.
  public func seek(to seconds: Double) {
    list.withLock { list in
      guard let id = current(list) else { return }
      let isKnown = engine.snapshot.entry?.id == id
      let end = isKnown ? duration ?? .infinity : .infinity
      send(.seek(to: seconds), expecting: (id, max(0, min(seconds, end))), &list)
    }
  }

  /// Sets the volume, 0...1, in the sound server.
  public func setVolume(_ volume: Double) { engine.send(.set(.volume(volume))) }

  // MARK: Observing

  /// The visible state of the player now.
  public var snapshot: PlaybackSnapshot { engine.snapshot }

  /// Seconds into the track now; right after a command the place that it leads to.
  public var position: Double { place.position }

  /// The duration of the track in seconds; `nil` if it is unknown.
  public var duration: Double? { engine.snapshot.information.duration }

  /// The current snapshot, and each later one that differs by more than the expected position. A slow reader gets the
  /// newest one. The sequence ends with the player.
  public func snapshots() -> AsyncStream<PlaybackSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PlaybackSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    let number = listeners.withLock { listeners in
      listeners.nextNumber += 1
      listeners.snapshots[listeners.nextNumber] = continuation
      return listeners.nextNumber
    }
    continuation.onTermination = { [listeners] _ in _ = listeners.withLock { $0.snapshots.removeValue(forKey: number) }
    }
    continuation.yield(engine.snapshot)
    return stream
  }

  /// The position at each interval while it moves; a slow reader gets the newest one. The sequence ends with the player.
  ///
  /// Source: `AVPlayer.addPeriodicTimeObserver`.
  public func positions(every interval: Duration) -> AsyncStream<Double> {
    moves(every: interval, .bufferingNewest(1)) { [$1] }
  }

  /// Each of these places of a track, in seconds, within 0.05 s after playback has come to it; a seek comes to none. The
  /// sequence ends with the player.
  ///
  /// Source: `AVPlayer.addBoundaryTimeObserver`.
  public func passes(_ places: [Double]) -> AsyncStream<Double> {
    let places = places.sorted()
    return moves(every: .milliseconds(50), .unbounded) { last, position in
      places.filter { last < $0 && $0 <= position }
    }
  }

  /// The places that `choose` returns for the position before, or to which a command has led since, and the position now,
  /// at each interval in which it moved.
  private func moves(
    every interval: Duration, _ policy: AsyncStream<Double>.Continuation.BufferingPolicy,
    choose: @escaping @Sendable (Double, Double) -> [Double]
  ) -> AsyncStream<Double> {
    let (stream, continuation) = AsyncStream.makeStream(of: Double.self, bufferingPolicy: policy)
    // Before the task runs, which may be late.
    let start = place
    let task = Task { [weak self] in
      var last = start
      while let place = self?.place, !Task.isCancelled {
        let isMoved = place.jumpCount != last.jumpCount
        // The next track began by itself.
        let before = isMoved ? place.jumpTarget : last.position > place.position ? -1 : last.position
        if place.position != last.position || isMoved {
          for found in choose(before, place.position) { continuation.yield(found) }
        }
        last = place
        try? await Task.sleep(for: max(interval, .milliseconds(1)))
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// The position, the number of commands that have changed it, and where the last one led.
  private var place: (position: Double, jumpCount: Int, jumpTarget: Double) {
    list.withLock { list in
      (expected(list)?.position ?? engine.position, list.jumpCount, list.expected?.outcome.position ?? 0)
    }
  }

  /// The notices from now on, each once and in order. The sequence ends with the player.
  public func notices() -> AsyncStream<PlaybackNotice> {
    let (stream, continuation) = AsyncStream.makeStream(of: PlaybackNotice.self)
    let number = listeners.withLock { listeners in
      listeners.nextNumber += 1
      listeners.notices[listeners.nextNumber] = continuation
      return listeners.nextNumber
    }
    continuation.onTermination = { [listeners] _ in _ = listeners.withLock { $0.notices.removeValue(forKey: number) } }
    return stream
  }

  /// Answers the engine, and passes on its snapshots and notices.
  private func passOn() {
    let (notices, snapshot) = (engine.takeNotices(), engine.snapshot)
    for notice in notices {
      switch notice {
      case .needsNext(let entry):
        list.withLock { engine.send(.setNext($0.entry(after: entry), after: entry)) }
      case .trackBegan(let entry, _): list.withLock { $0.began(entry) }
      case .foundPlaylist(let entry, let locations):
        list.withLock { engine.send(.setNext($0.expand(entry, to: locations), after: entry.id)) }
      default: break
      }
    }
    // Continuations are called outside the lock: they may end at once and take it.
    let listeners = listeners.withLock { $0 }
    for notice in notices { listeners.notices.values.forEach { $0.yield(notice) } }
    listeners.snapshots.values.forEach { $0.yield(snapshot) }
  }
}

/// The entries of an `AudioPlayer`, in order.
struct PlayList {
  private var entries: [QueueEntry] = []
  private var nextID = 1
  /// The entry that plays, `nil` for none, and the place in seconds.
  typealias Outcome = (id: QueueEntry.ID?, position: Double)
  /// The outcome of the last command. Until the engine has reached the mark, its snapshot shows what was before.
  var expected: (outcome: Outcome, mark: Int)?
  /// The number of commands so far.
  var jumpCount = 0
  /// The entry that began last.
  var lastPlayed: QueueEntry.ID?

  /// Takes note of the entry that the engine said it began. `stop` knew better: the engine may have said so before.
  mutating func began(_ entry: QueueEntry) {
    if expected?.outcome.id != nil { lastPlayed = entry.id }
  }

  private mutating func entry(_ location: MediaLocation, depth: Int = 0) -> QueueEntry {
    defer { nextID += 1 }
    return QueueEntry(id: nextID, location: location, playlistDepth: depth)
  }

  /// Replaces all entries. Returns the first one.
  mutating func replace(with locations: [MediaLocation]) -> QueueEntry? {
    entries = locations.map { entry($0) }
    return entries.first
  }

  /// Adds entries after the last one. Returns that one: the engine may have been told that nothing follows it.
  mutating func append(_ locations: [MediaLocation]) -> QueueEntry.ID? {
    defer { entries += locations.map { entry($0) } }
    return entries.last?.id
  }

  /// The entry with that number; the first one if there is none.
  func entry(_ id: QueueEntry.ID?) -> QueueEntry? { entries.first { $0.id == id } ?? entries.first }

  func entry(after id: QueueEntry.ID) -> QueueEntry? {
    entries.firstIndex { $0.id == id }.flatMap { $0 + 1 < entries.count ? entries[$0 + 1] : nil }
  }

  /// Adds the contents of a playlist after its entry. Returns the entry that follows it. The depth of nested playlists
  /// has a limit.
  mutating func expand(_ playlist: QueueEntry, to locations: [MediaLocation]) -> QueueEntry? {
    guard let place = entries.firstIndex(where: { $0.id == playlist.id }) else { return nil }
    if playlist.playlistDepth < 4 {
      entries.insert(contentsOf: locations.map { entry($0, depth: playlist.playlistDepth + 1) }, at: place + 1)
    }
    return entry(after: playlist.id)
  }
}
