internal import ByteIO
internal import Commands
internal import Playback

/// The play queue as the source of the engine: it answers which entry follows each entry that the engine reads.
///
/// Pure: the owner performs the effects.
struct QueueFeed {
  enum Effect: Equatable {
    case send(PlaybackCommand)
    case showQueue
    /// The tags of these entries are needed: `note` takes them.
    case readTags([QueueEntry.ID])
    /// Playback has stopped because the listener asked for a stop there.
    case stopped(PlayQueue.StopPoint)
  }

  var queue = PlayQueue()
  private var history = QueueHistory()
  /// The changes of the library by the listener since the last one of the list: `undo` is for these first.
  private(set) var libraryChangeCount = 0
  private var album = AlbumSearch()
  /// The entry that began last; `nil` if the listener has left it for another place of the list. It may be consumed when the
  /// next one begins.
  private var begun: QueueEntry.ID?

  // MARK: The listener
  //
  // `opened`: the entries that the engine has opened (`PlaybackSnapshot.openedIDs`). It is sent the new successor of
  // each.

  /// Changes the list so that the change can be undone.
  ///
  /// - Parameter left: The place of playback, if the change is to play something else.
  mutating func edit(
    leaving left: QueueHistory.Place? = nil, opened: [QueueEntry.ID], _ change: (inout PlayQueue) -> Void
  ) -> [Effect] {
    history.change(&queue, leaving: left, change)
    libraryChangeCount = 0
    return announcement(opened)
  }

  /// The listener has changed the library (1), or has undone that (-1).
  mutating func noteLibraryChange(_ step: Int) { libraryChangeCount = max(0, libraryChangeCount + step) }

  /// Undoes the latest change of the list; `nil` if there is none.
  mutating func undo(
    playing id: QueueEntry.ID?, at place: QueueHistory.Place? = nil, opened: [QueueEntry.ID]
  ) -> [Effect]? {
    guard history.undo(&queue, playing: id, at: place) else { return nil }
    return announcement(opened)
  }

  /// Redoes the change that was undone last; `nil` if there is none.
  mutating func redo(
    playing id: QueueEntry.ID?, at place: QueueHistory.Place? = nil, opened: [QueueEntry.ID]
  ) -> [Effect]? {
    guard history.redo(&queue, playing: id, at: place) else { return nil }
    return announcement(opened)
  }

  /// The place to which the last `undo` or `redo` leads back.
  var restored: QueueHistory.Place? { history.restored }

  mutating func changeModes(opened: [QueueEntry.ID], _ change: (inout PlayQueue) -> Void) -> [Effect] {
    change(&queue)
    return announcement(opened)
  }

  mutating func note(_ facts: TrackFacts, of id: QueueEntry.ID, opened: [QueueEntry.ID]) -> [Effect] {
    album.note(facts, of: id)
    return queue.stopPoint == .album ? endAlbum(opened) : []
  }

  /// Looks for the end of the current album if playback stops there.
  private mutating func followAlbum(_ opened: [QueueEntry.ID]) -> [Effect] {
    guard queue.stopPoint == .album else { return [] }
    let unread = album.begin(queue.upcoming(limit: AlbumSearch.limit))
    return (unread.isEmpty ? [] : [.readTags(unread)]) + endAlbum(opened)
  }

  private mutating func endAlbum(_ opened: [QueueEntry.ID]) -> [Effect] {
    guard album.end != queue.albumEnd else { return [] }
    queue.albumEnd = album.end
    return successors(of: opened)
  }

  /// Returns the current entry because the listener chose it, and forgets an earlier failure of it.
  ///
  /// - Parameter playing: The entry that plays: it counts although it was removed.
  mutating func selectCurrent(playing: QueueEntry? = nil) -> QueueEntry? {
    if let playing, queue.index(of: playing.id) == nil { return playing }
    return queue.currentIndex.flatMap { queue.select(index: $0) }
  }

  /// The listener goes to an entry that need not be the following one: the one that plays is not consumed.
  mutating func jump(_ move: (inout PlayQueue) -> QueueEntry?) -> QueueEntry? {
    begun = nil
    return move(&queue)
  }

  private mutating func announcement(_ opened: [QueueEntry.ID]) -> [Effect] {
    [.showQueue] + successors(of: opened) + followAlbum(opened)
  }

  private func successors(of opened: [QueueEntry.ID]) -> [Effect] {
    // An entry that was removed has a successor only while it plays.
    opened.filter { $0 == opened.first || queue.index(of: $0) != nil }.map(successor)
  }

  private func successor(of id: QueueEntry.ID) -> Effect { .send(.setNext(queue.peekNext(after: id), after: id)) }

  // MARK: The engine

  /// Follows the events of the engine.
  mutating func handle(_ notices: [PlaybackNotice], opened: [QueueEntry.ID]) -> [Effect] {
    // Failed entries first: an entry must not follow itself.
    for case .trackFailed(let entry, _) in notices { queue.markFailed(entry.id) }
    var effects: [Effect] = []
    var expanded: Set<QueueEntry.ID> = []
    for case .foundPlaylist(let entry, let locations) in notices {
      guard let index = queue.index(of: entry.id) else { continue }
      history.expand(index, of: &queue, into: locations)
      effects += announcement(opened.filter { $0 != entry.id })
      effects.append(.send(.setNext(queue.entries[index], after: entry.id)))
      expanded.insert(entry.id)
    }
    for notice in notices {
      // The engine has the successor of an expanded playlist already.
      if case .needsNext(let id) = notice, expanded.contains(id) { continue }
      effects += handle(notice, opened)
    }
    if notices.contains(where: { if case .trackFailed = $0 { true } else { false } }) { effects += followAlbum(opened) }
    return effects
  }

  private mutating func handle(_ notice: PlaybackNotice, _ opened: [QueueEntry.ID]) -> [Effect] {
    switch notice {
    case .trackBegan(let entry, _):
      follow(entry)
      let ended = begun == entry.id ? nil : begun
      begun = entry.id
      return consume(ended, opened) + followAlbum(opened)
    case .needsNext(let id): return [successor(of: id)]
    case .state(.stopped, let reason, _):
      let ended = reason == .finished ? begun : nil
      begun = nil
      return (reason == .finished && queue.stopsAfterCurrent ? stop(opened) : []) + consume(ended, opened)
    default: break
    }
    return []
  }

  /// Playback has stopped although entries follow: it resumes with the following one.
  private mutating func stop(_ opened: [QueueEntry.ID]) -> [Effect] {
    let point = queue.stopPoint
    queue.stopPoint = .none
    queue.next(.ended)
    if point == .each { queue.stopPoint = point }
    return [.stopped(point)] + announcement(opened)
  }

  /// Removes an entry that has been played, if such entries leave the list. Can be undone.
  private mutating func consume(_ id: QueueEntry.ID?, _ opened: [QueueEntry.ID]) -> [Effect] {
    guard let id, queue.consumption != .off, queue.index(of: id) != nil else { return [] }
    return edit(opened: opened) { $0.consume(id) }
  }

  /// After a gapless transition the engine plays the next entry already.
  private mutating func follow(_ entry: QueueEntry) {
    guard queue.current?.id != entry.id else { return }
    if queue.peekNext()?.id == entry.id {
      queue.next(.ended)
    } else if let index = queue.index(of: entry.id) {
      queue.select(index: index)
    }
  }
}
