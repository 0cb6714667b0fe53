internal import AudioModel
public import ByteIO
public import Database

/// Makes the playlists of a server the same here and there. The changes of a run are one that can be undone
/// (docs/decisions/0064-playlists-places-and-queues-of-servers.md).
public struct PlaylistSync {
  /// The playlists that a run looks at.
  public enum Extent: Sendable {
    /// Those that have changed here.
    case changedHere
    /// Also those that the server lists in another way than before.
    case listed
    /// Also those of which the server does not say when they were changed.
    case all
  }

  private typealias Row = ServedLists.Row

  /// A playlist before a run.
  private struct Item {
    var row: Row
    var isDeleted: Bool
    /// True if a change here is to be sent.
    var isWanted: Bool
  }

  private enum Answer {
    case playlist(ServerPlaylist)
    case gone
  }

  private struct News {
    /// By the numbers of the lists here.
    var answers: [Int64: Answer] = [:]
    var new: [ServerPlaylist] = []
  }

  /// A change to be sent.
  private struct Sending {
    var row: Row
    /// `nil` to delete it there.
    var state: ServedLists.State?
    /// The tracks that the server has; `nil` if it does not have the list.
    var former: [String]?
    var hasNewTracks = true
  }

  private let library: MusicLibrary
  private let root: BytePath
  private let served: ServedLists
  private var store: PlaylistStore { PlaylistStore(library) }
  /// More than any listener has: a list without an end must end.
  private static let listLimit = 10_000
  /// New ones that a run takes; the next one takes more. They are in memory together, and in one transaction.
  private static let newLimit = 500
  /// Seconds after which the server gets again what it has refused.
  private static let rest: Int64 = 86_400
  private var restMark: String { "refused playlists \(root)" }
  /// Seconds since 1970.
  var now = MusicLibrary.now

  /// - Parameter root: That of the server.
  public init(_ library: MusicLibrary, of root: BytePath) {
    (self.library, self.root, served) = (library, root, ServedLists(library))
  }

  /// Throws if the database cannot be used.
  public func run(_ server: some ServerPlaylists, _ extent: Extent) throws(DatabaseError) -> SyncOutcome {
    var outcome = SyncOutcome()
    guard let lock = FolderLock(library.folder.appending(BytePath("playlists.lock"))) else {
      outcome.isBusy = true
      return outcome
    }
    defer { lock.unlock() }
    let items = try library.listener.transaction { () throws(DatabaseError) in try self.items() }
    if extent == .changedHere, !items.contains(where: \.isWanted) { return outcome }
    let news: News
    do throws(ServerFailure) { news = try Self.news(of: server, extent, items) } catch {
      outcome.failure = error
      return outcome
    }
    let sendings = try merge(news, items, &outcome)
    var isSilent = false
    for var sending in sendings where !isSilent {
      do throws(ServerFailure) { try send(&sending, to: server) } catch {
        if error.isRefusalOfContent {
          let name = sending.state?.name ?? sending.row.ownName
          outcome.refusals.append("\(root) does not take the playlist \(name): \(error)")
          sending.row.refusal = error.description
          sending.row.seen = sending.state?.changed ?? sending.row.seen
          sending.row.sending = nil
          if try library.listener.property(restMark) == nil {
            try library.listener.setProperty(restMark, String(now))
          }
        } else {
          outcome.failure = outcome.failure ?? error
          // A fault of the server (500) may be one of this playlist.
          isSilent = error.status != 500 && error != Self.hasChanged
        }
      }
      try served.keepSent(sending.row)
    }
    return outcome
  }

  private func items() throws(DatabaseError) -> [Item] {
    var items: [Item] = []
    let refused = try library.listener.property(restMark).flatMap { Int64($0) }
    let isRested = refused.map { $0 <= now - Self.rest } ?? false
    if isRested { try library.listener.setProperty(restMark, nil) }
    for var row in try served.rows(of: root) {
      if isRested, row.refusal != nil {
        (row.refusal, row.seen) = (nil, 0)
        try served.keep(row)
      }
      guard let head = try served.head(of: row.list) else {
        // The server may have one whose answer was lost.
        let isWanted = (!row.remote.isEmpty || row.sending != nil) && row.isOwn && row.refusal == nil
        items.append(Item(row: row, isDeleted: true, isWanted: isWanted))
        continue
      }
      var isWanted = false
      let isToBeMade = row.remote.isEmpty && row.refusal == nil
      if isToBeMade || head.changed != row.seen, let state = try served.state(of: row.list, on: root) {
        if row.isChanged(state) || row.remote.isEmpty {
          isWanted = state.canBeSent && row.isOwn
        } else {
          row.seen = head.changed
          try served.keep(row)
        }
      }
      items.append(Item(row: row, isDeleted: false, isWanted: isWanted))
    }
    return items
  }

  // MARK: Asking

  private static func news(
    of server: some ServerPlaylists, _ extent: Extent, _ items: [Item]
  ) throws(ServerFailure) -> News {
    var news = News()
    var listed: [String: ServerPlaylist] = [:]
    let listsAll = extent != .changedHere || items.contains { $0.row.remote.isEmpty && $0.row.sending != nil }
    if listsAll {
      let known = Set(items.map(\.row.remote))
      for playlist in try server.all().prefix(listLimit) where listed.updateValue(playlist, forKey: playlist.id) == nil
      {
        guard !known.contains(playlist.id), news.new.count < newLimit else { continue }
        if case .playlist(let new)? = try answer(of: server, playlist.id) { news.new.append(new) }
      }
    }
    for item in items where !item.row.remote.isEmpty && (item.isWanted || !item.isDeleted) {
      let row = item.row
      var isNews = false
      if extent != .changedHere {
        let now = listed[row.remote]
        isNews =
          now?.name != row.name || now?.count != row.count || now?.version != row.version
          || extent == .all && now?.version == nil
      }
      if item.isWanted || isNews { news.answers[row.list] = try answer(of: server, row.remote) }
    }
    return news
  }

  /// `nil` for one that the server does not show.
  private static func answer(of server: some ServerPlaylists, _ id: String) throws(ServerFailure) -> Answer? {
    do throws(ServerFailure) { return try server.playlist(id).map { .playlist($0.withoutFacts) } ?? .gone } catch {
      guard error.isRefusalOfContent || error.status == 500 else { throw error }
      return nil
    }
  }

  // MARK: Taking

  /// Takes what has changed there. Returns the changes to be sent.
  private func merge(_ news: News, _ items: [Item], _ outcome: inout SyncOutcome) throws(DatabaseError) -> [Sending] {
    let (sendings, count) = try library.listener.transaction { () throws(DatabaseError) -> ([Sending], Int) in
      let last = try library.lastAct()
      var (news, count, sendings) = (news, 0, [Sending]())
      let current = Set(try served.rows(of: root))
      for item in items {
        var row = item.row
        var answer = news.answers[row.list]
        guard item.isWanted || answer != nil else { continue }
        let adopted = row.remote.isEmpty ? adopt(&row, &news.new) : nil
        // A row that was undone while the server was asked is for the next run.
        guard current.contains(item.row) else { continue }
        if let adopted, item.isDeleted { answer = .playlist(adopted) }
        let (sending, isTaken) =
          if let state = try served.state(of: row.list, on: root) {
            try merge(row, state, answer, item)
          } else {
            try mergeDeleted(row, answer)
          }
        if isTaken { count += 1 }
        guard var sending else { continue }
        // Not every server replaces tracks.
        if let adopted, sending.former == nil { sending.former = adopted.trackIDs }
        if sending.hasNewTracks { sending.row.sending = sending.state?.tracks }
        // The name by which it is found there if the answer is lost (`adopt`).
        if sending.row.remote.isEmpty, let name = sending.state?.name { sending.row.ownName = name }
        try served.keep(sending.row)
        sendings.append(sending)
      }
      for playlist in news.new where try take(playlist) { count += 1 }
      try library.joinActs(after: last, as: "take playlists from \(root): \(counted(count, "playlist"))")
      return (sendings, count)
    }
    outcome.takenCount = count
    return sendings
  }

  /// Finds a playlist that the server has made without an answer that arrived.
  private func adopt(_ row: inout Row, _ new: inout [ServerPlaylist]) -> ServerPlaylist? {
    guard let sending = row.sending else { return nil }
    let place = new.firstIndex { $0.isOwn && $0.name == row.ownName && sending.starts(with: $0.trackIDs) }
    guard let place else { return nil }
    let playlist = new.remove(at: place)
    (row.remote, row.name, row.tracks) = (playlist.id, playlist.name, Row.sum(of: playlist.trackIDs))
    row.ownTracks = row.tracks
    return playlist
  }

  /// A playlist that was deleted here: it is deleted there unless it has changed there, which brings it back.
  private func mergeDeleted(
    _ row: Row, _ answer: Answer?
  ) throws(DatabaseError) -> (sending: Sending?, isTaken: Bool) {
    var row = row
    if case .playlist(let playlist)? = answer { row.noteSent(playlist.trackIDs) }
    switch answer {
    case .playlist(let playlist) where playlist.name != row.name || Row.sum(of: playlist.trackIDs) != row.tracks:
      try served.remove(row.list)
      return (nil, try take(playlist))
    case .playlist(let playlist):
      row.isOwn = playlist.isOwn
      if playlist.isOwn { return (Sending(row: row, state: nil), false) }
    case .gone: (row.remote, row.sending) = ("", nil)
    case nil: if row.remote.isEmpty { row.sending = nil }
    }
    try served.keepSent(row)
    return (nil, false)
  }

  private func merge(
    _ row: Row, _ state: ServedLists.State, _ answer: Answer?, _ item: Item
  ) throws(DatabaseError) -> (sending: Sending?, isTaken: Bool) {
    var row = row
    switch answer {
    case .playlist(let playlist): return try merge(row, state, playlist)
    case .gone:
      (row.remote, row.version, row.sending) = ("", nil, nil)
      if row.isChanged(state) {
        if item.isWanted { return (Sending(row: row, state: state), false) }
        try served.keep(row)
        return (nil, false)
      }
      guard case .done = try store.perform(.delete([state.name])) else { return (nil, false) }
      // Undoing makes it again there, too; that of another listener only here.
      if row.isOwn { try served.keep(row) } else { try served.remove(row.list) }
      return (nil, true)
    // One that the server only does not show is not sent.
    case nil: return (item.row.remote.isEmpty ? Sending(row: row, state: state) : nil, false)
    }
  }

  private func merge(
    _ row: Row, _ state: ServedLists.State, _ playlist: ServerPlaylist
  ) throws(DatabaseError) -> (sending: Sending?, isTaken: Bool) {
    var (row, state) = (row, state)
    let theirs = playlist.trackIDs
    row.noteSent(theirs)
    let hasNewTracks = state.strangerCount > 0 || Row.sum(of: state.tracks) != row.ownTracks
    let hasNewName = state.name != row.ownName && state.name != playlist.name
    let wasRefused = row.refusal != nil && state.changed == row.seen
    let canSend = state.canBeSent && playlist.isOwn && !wasRefused
    let merge = PlaylistMerge(
      isChangedHere: hasNewTracks, isChangedThere: Row.sum(of: theirs) != row.tracks,
      areSame: state.strangerCount == 0 && state.tracks == theirs, canSend: canSend)
    var isTaken = false
    if merge.copies {
      let name = try freeName("\(playlist.name) (from \(root.server ?? "server"))")
      // A list that cannot be copied is not replaced.
      guard try isDone(.create(name, entries(of: playlist))) else { return (nil, false) }
      isTaken = true
    }
    if merge.takes { isTaken = try isDone(.replace(state.name, entries(of: playlist))) }
    if playlist.name != row.name, state.name == row.ownName, playlist.name != state.name {
      isTaken = try isDone(.rename(state.name, to: try freeName(playlist.name))) || isTaken
    }
    if isTaken, let new = try served.state(of: row.list, on: root) { state = new }
    (row.isOwn, row.version, row.count) = (playlist.isOwn, playlist.version, playlist.count)
    (row.name, row.tracks) = (playlist.name, Row.sum(of: theirs))
    // The one here is now a change of theirs.
    if merge.copies { row.ownTracks = Row.sum(of: theirs) }
    if merge.sends || hasNewName && canSend {
      return (Sending(row: row, state: state, former: theirs, hasNewTracks: merge.sends), isTaken)
    }
    if merge.takes || !hasNewTracks || state.tracks == theirs {
      // Both sides agree; a name that the server does not take stays here.
      row.ownTracks = Row.sum(of: state.tracks)
      (row.seen, row.sending) = (state.changed, nil)
      if !hasNewName { (row.ownName, row.refusal) = (state.name, nil) }
    }
    try served.keep(row)
    return (nil, isTaken)
  }

  /// Makes a playlist of one of the server.
  private func take(_ playlist: ServerPlaylist) throws(DatabaseError) -> Bool {
    let name = try freeName(playlist.name)
    guard try isDone(.create(name, entries(of: playlist))), let list = try served.list(named: name),
      let state = try served.state(of: list, on: root)
    else { return false }
    var row = Row(list: list, root: root, remote: playlist.id, name: playlist.name, ownName: name)
    (row.tracks, row.ownTracks) = (Row.sum(of: playlist.trackIDs), Row.sum(of: state.tracks))
    (row.version, row.count, row.seen, row.isOwn) = (playlist.version, playlist.count, state.changed, playlist.isOwn)
    try served.keep(row)
    return true
  }

  private func isDone(_ edit: PlaylistEdit) throws(DatabaseError) -> Bool {
    if case .done = try store.perform(edit) { true } else { false }
  }

  private func entries(of playlist: ServerPlaylist) -> [CollectedEntry] {
    playlist.tracks.map { track in
      CollectedEntry(
        location: MediaLocation(libraryPath: root.appending(BytePath(track.id))), title: track.tags.first(.title))
    }
  }

  private func freeName(_ name: String) throws(DatabaseError) -> String {
    guard try served.list(named: name) != nil else { return name }
    let source = " (from \(root.server ?? "server"))"
    let base = name.hasSuffix(source) ? name : name + source
    var (free, number) = (base, 1)
    while try served.list(named: free) != nil {
      number += 1
      free = "\(base) \(number)"
    }
    return free
  }

  // MARK: Sending

  private static let hasChanged = ServerFailure("the playlist has changed there meanwhile")

  private func send(_ sending: inout Sending, to server: some ServerPlaylists) throws(ServerFailure) {
    guard let state = sending.state else {
      let now = try server.playlist(sending.row.remote)
      if let now, Row.sum(of: now.trackIDs) != sending.row.tracks { throw Self.hasChanged }
      do throws(ServerFailure) { try server.delete(sending.row.remote) } catch { if error.code != 70 { throw error } }
      (sending.row.remote, sending.row.sending) = ("", nil)
      return
    }
    if sending.row.remote.isEmpty {
      // Old servers do not say what they made: only what was not there before is replaced.
      let known = Set(try server.all().map(\.id))
      var id = try server.create(state.name)
      if id == nil {
        id = try server.all().last { $0.isOwn && $0.name == state.name && !known.contains($0.id) }?.id
      }
      guard let id else { throw ServerFailure("the server does not say which playlist it made") }
      (sending.row.remote, sending.row.name, sending.row.tracks) = (id, state.name, Row.sum(of: []))
      // An undo may have made the list again with the tracks of the last comparison: the server has none of them yet.
      sending.row.ownTracks = sending.row.tracks
      // Not every server replaces tracks.
      sending.former = []
    } else if state.name != sending.row.ownName {
      try server.rename(sending.row.remote, to: state.name)
    }
    var (removedCount, removed) = (0, Set<String>())
    if sending.hasNewTracks {
      let change = sending.former.flatMap { PlaylistChange(from: $0, to: state.tracks) }
      // The list that was compared may be older than the fetch of many lists. Additions leave all of it there.
      if let former = sending.former, change?.removed.isEmpty != true,
        try server.playlist(sending.row.remote)?.trackIDs != former
      {
        throw Self.hasChanged
      }
      if let change {
        try server.edit(sending.row.remote, change)
        let former = sending.former ?? []
        (removedCount, removed) = (change.removed.count, Set(change.removed.map { former[$0] }))
      } else {
        try server.replace(sending.row.remote, with: state.tracks)
      }
    }
    // The server need not have taken all of it: Funkwhale removes one track for each request. Tracks that another program
    // has added meanwhile stay.
    var now = try? server.playlist(sending.row.remote)
    while let theirs = now?.trackIDs, let rest = PlaylistChange(from: theirs, to: state.tracks), rest.added.isEmpty,
      !rest.removed.isEmpty, rest.removed.count < removedCount,
      rest.removed.allSatisfy({ removed.contains(theirs[$0]) })
    {
      // If the rest is lost, what is there now is no change there.
      sending.row.tracks = Row.sum(of: theirs)
      try server.edit(sending.row.remote, rest)
      removedCount = rest.removed.count
      now = try? server.playlist(sending.row.remote)
    }
    (sending.row.name, sending.row.tracks) = (
      now?.name ?? state.name, Row.sum(of: now?.trackIDs ?? state.tracks)
    )
    (sending.row.version, sending.row.count) = (now?.version, now?.count ?? state.tracks.count)
    (sending.row.ownName, sending.row.ownTracks) = (state.name, Row.sum(of: state.tracks))
    (sending.row.seen, sending.row.sending, sending.row.refusal) = (state.changed, nil, nil)
  }
}

extension ServerPlaylist {
  fileprivate var trackIDs: [String] { tracks.map(\.id) }

  /// With the titles of its tracks only: all that are new are in memory together.
  fileprivate var withoutFacts: ServerPlaylist {
    var playlist = self
    for place in tracks.indices {
      playlist.tracks[place].tags = CatalogueTags()
      playlist.tracks[place].tags.add(tracks[place].tags.first(.title), .title)
    }
    return playlist
  }
}
