internal import AudioModel
internal import ByteIO
package import Database
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
        queue = try SubsonicQueue(account: account, ask: connection.ask).kept()
      }
    } catch { return }
    try ServerQueues(library).take(queue, of: account.root)
  }

  /// Sends a server the play queue. Returns false if that is to be tried again. Blocks.
  static func keep(
    _ kept: QueueMachine.Kept, _ library: MusicLibrary, _ connection: ServerConnection
  ) throws(DatabaseError) -> Bool {
    guard let account = (try? ServerAccounts(folder: library.folder))?.all.first(where: { $0.root == kept.root }) else {
      return true
    }
    var queue = kept.queue
    do throws(ServerFailure) {
      switch account.kind {
      case .openSubsonic:
        queue.tracks = SubsonicQueue.fitting(queue.tracks)
        try SubsonicQueue(account: account, ask: connection.ask).keep(queue)
      }
    } catch {
      // Not every server keeps queues.
      return error.isRefusal || error.isLogin || error.code == 501
    }
    try ServerQueues(library).noteSent(queue, to: kept.root)
    return true
  }

  /// Tells servers all that the listener has changed since they were told last: ratings, love, playlists, and places in
  /// long tracks. Blocks.
  package static func tell(_ library: MusicLibrary, _ connection: ServerConnection) throws(DatabaseError) -> Told {
    var told = try tellRatings(of: library, connection)
    let accounts = (try? ServerAccounts(folder: library.folder))?.all ?? []
    for root in try library.roots() where root.path.isOnServer && root.state != .forgotten {
      guard let account = accounts.first(where: { $0.root == root.path }) else { continue }
      told.add(try syncLists(account, library, connection, .changedHere), "playlists", of: root.path)
      told.add(try syncPlaces(account, library, connection, sendsOnly: true), "places", of: root.path)
    }
    return told
  }

  private static func syncLists(
    _ account: ServerAccount, _ library: MusicLibrary, _ connection: ServerConnection, _ extent: PlaylistSync.Extent
  ) throws(DatabaseError) -> SyncOutcome {
    let sync = PlaylistSync(library, of: account.root)
    return switch account.kind {
    case .openSubsonic: try sync.run(SubsonicPlaylists(account: account, ask: connection.ask), extent)
    }
  }

  private static func syncPlaces(
    _ account: ServerAccount, _ library: MusicLibrary, _ connection: ServerConnection, sendsOnly: Bool
  ) throws(DatabaseError) -> SyncOutcome {
    let sync = PlaceSync(library, of: account.root)
    let outcome =
      switch account.kind {
      case .openSubsonic:
        try sync.run(SubsonicPlaces(account: account, ask: connection.ask), sendsOnly: sendsOnly) { track in
          ResumePoints.areKept(
            duration: track.duration ?? 0, genres: track.tags[.genres], leastDuration: ResumePoints.usualDuration)
        }
      }
    if outcome.takenCount > 0 { try ResumePoints.save(of: library) }
    return outcome
  }
}

extension LibraryServers.Told {
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
