internal import AudioModel
internal import ByteIO
package import Database
internal import Glibc
package import Library

// Playlists, places in long tracks, and the play queue.
extension LibraryServers {
  /// Takes what is new in the playlists, places and stations of a server. A failure comes again when something is sent.
  static func take(
    from account: ServerAccount, isQuick: Bool, _ library: MusicLibrary, _ connection: ServerConnection
  ) throws(DatabaseError) {
    _ = try syncLists(account, library, connection, isQuick ? .listed : .all)
    _ = try syncPlaces(account, library, connection, sendsOnly: false)
    let queue: ServerQueue?
    do throws(ServerFailure) {
      switch account.kind {
      case .openSubsonic:
        // Older servers do not know stations.
        let request = SubsonicRequest.address("getInternetRadioStations", of: account)
        if let answer = try? SubsonicAnswer(connection.ask(request)) {
          ServerStations(folder: library.folder).save(answer.stations, of: account)
        }
        queue = try Self.queue(of: account, connection).kept()
      }
    } catch { return }
    try ServerQueues(library).take(queue, of: account.root)
  }

  /// Sends a server the play queue that waits for it, unless another program has kept one there later
  /// (`ServerQueues.isLater`).
  static func sendQueue(
    to account: ServerAccount, _ library: MusicLibrary, _ connection: ServerConnection
  ) throws(DatabaseError) -> Told {
    let (queues, root) = (ServerQueues(library), account.root)
    guard let waiting = try queues.waiting(for: root) else { return Told() }
    let server =
      switch account.kind {
      case .openSubsonic: queue(of: account, connection)
      }
    let age = Int64(time(nil)) - (waiting.changed ?? 0)
    // After a month nobody goes on where it ended; the server may be another one of that name.
    var isWanted = age < 30 * 86_400
    var failure: ServerFailure?
    if isWanted, age > oldAge {
      var theirs: ServerQueue?
      do throws(ServerFailure) { theirs = try server.kept() } catch {
        // Some servers refuse the question if they have none.
        if !error.isRefusal || error.isUnknown { failure = error }
      }
      isWanted = failure == nil
      if let theirs { isWanted = try !queues.isLater(theirs, than: waiting, on: root) }
    }
    if isWanted {
      try queues.noteSending(waiting, to: root)
      switch Result(catching: { () throws(ServerFailure) in try server.keep(waiting) }) {
      case .success(let sent): try queues.noteSent(sent, to: root)
      case .failure(let error): failure = error
      }
    }
    var told = Told()
    if let failure, !told.take(failure, ofQueueTo: root) { return told }
    try queues.finish(waiting, for: root)
    return told
  }

  private static func queue(of account: ServerAccount, _ connection: ServerConnection) -> SubsonicQueue {
    SubsonicQueue(
      account: account, ask: SubsonicRequest.checking(connection.ask, of: account),
      post: SubsonicRequest.checking(connection.post, of: account))
  }

  /// Seconds after which a queue that waits is compared with that of the server.
  private static let oldAge: Int64 = 10

  /// Tells servers all that the listener has changed since they were told last: the queue, ratings, love, playlists, and
  /// places in long tracks. Blocks.
  package static func tell(_ library: MusicLibrary, _ connection: ServerConnection) throws(DatabaseError) -> Told {
    let accounts = (try? ServerAccounts(folder: library.folder))?.all ?? []
    let served = try library.roots().compactMap { root in
      root.path.isOnServer && root.state != .forgotten ? accounts.first { $0.root == root.path } : nil
    }
    var told = Told()
    for account in served { told.add(try sendQueue(to: account, library, connection)) }
    told.add(try tellRatings(of: library, connection))
    for account in served {
      told.add(try syncLists(account, library, connection, .changedHere), "playlists", of: account.root)
      told.add(try syncPlaces(account, library, connection, sendsOnly: true), "places", of: account.root)
    }
    return told
  }

  private static func syncLists(
    _ account: ServerAccount, _ library: MusicLibrary, _ connection: ServerConnection, _ extent: PlaylistSync.Extent
  ) throws(DatabaseError) -> SyncOutcome {
    let sync = PlaylistSync(library, of: account.root)
    return switch account.kind {
    case .openSubsonic:
      try sync.run(
        SubsonicPlaylists(
          account: account, ask: SubsonicRequest.checking(connection.ask, of: account),
          post: SubsonicRequest.checking(connection.post, of: account)), extent)
    }
  }

  private static func syncPlaces(
    _ account: ServerAccount, _ library: MusicLibrary, _ connection: ServerConnection, sendsOnly: Bool
  ) throws(DatabaseError) -> SyncOutcome {
    let sync = PlaceSync(library, of: account.root)
    let outcome =
      switch account.kind {
      case .openSubsonic:
        try sync.run(
          SubsonicPlaces(account: account, ask: SubsonicRequest.checking(connection.ask, of: account)),
          sendsOnly: sendsOnly
        ) { track in
          ResumePoints.areKept(
            duration: track.duration ?? 0, genres: track.tags[.genres], leastDuration: ResumePoints.usualDuration)
        }
      }
    if outcome.takenCount > 0 { try ResumePoints.save(of: library) }
    return outcome
  }
}

extension LibraryServers.Told {
  /// Takes the failure to send a queue. Returns false if it waits on.
  fileprivate mutating func take(_ failure: ServerFailure, ofQueueTo root: BytePath) -> Bool {
    if failure.isLogin {
      refusals.append("\(root) gets no queue: \(failure)")
    } else if !failure.isRefusal {
      delays.append("\(root) gets the queue later: \(failure)")
    } else if !failure.isUnknown {
      // Not every server keeps queues.
      refusals.append("\(root) does not take the queue: \(failure)")
    }
    return failure.isRefusal
  }

  fileprivate mutating func add(_ other: Self) {
    refusals += other.refusals
    delays += other.delays
  }

  fileprivate mutating func add(_ outcome: SyncOutcome, _ things: String, of root: BytePath) {
    refusals += outcome.refusals
    hasTaken = hasTaken || outcome.takenCount > 0
    isBusy = isBusy || outcome.isBusy
    guard let failure = outcome.failure else { return }
    if failure.isLogin {
      refusals.append("\(root) gets no \(things): \(failure)")
    } else {
      delays.append("\(root) gets \(things) later: \(failure)")
    }
  }
}
