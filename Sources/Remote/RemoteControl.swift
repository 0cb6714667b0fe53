package import AudioModel
package import ByteIO
package import Commands
package import ControlSocket
package import Desk
package import Glibc
package import Library
package import Playback
package import Player
package import RemoteProtocols
internal import Threads

/// The clients of the player, served by the main loop: on sockets, each in its dialect, and on the session bus.
///
/// Opens after the first sound, so that it does not delay that.
package final class RemoteControl: PlayerObserver {
  private unowned let session: PlayerSession
  private let ring: @Sendable () -> Void
  private let server: SocketServer
  private let desk: Desk
  private let folders: UserFolders
  private let program: (version: String, start: MonotonicTime)
  private var bus: DesktopBus?
  private var dialects: [Dialect] = []
  private var connections: [SocketServer.ClientID: any RemoteConnection] = [:]
  private var player = PlayerSnapshot()
  /// The snapshot that the connections know.
  private var shown = PlayerSnapshot()
  private var news = News()
  /// The track whose cover was asked for last, and whether that was answered.
  private var coverQuestion: (id: QueueEntry.ID, isAnswered: Bool)?
  /// The folder for covers: that of the sockets, once it is known that nobody else may enter it.
  package var coverFolder: BytePath?
  /// Sockets that the starter of the program has opened.
  private var passed: [LocalListener]
  /// The time to open the sockets; `nil` once they are open.
  private var opening: MonotonicTime?
  private var work = Work()
  /// The stream and the page, while they are served.
  private var web: Web?

  /// The changes and events that clients are told next.
  private struct News {
    var events: [EventMembers] = []
    var changes: PlayerChanges = []
    var lastBegan: QueueEntry.ID?
  }

  private struct Work {
    /// True if connections may have lines that were not read yet.
    var hasLines = false
    /// True if anything but a question of a client needs a whole turn.
    var needsTurn = false
  }

  /// A language of clients; the raw value is the name of its socket.
  private enum Dialect: String, CaseIterable {
    case control, cmus, mpd, networkMPD, web

    /// Those that have a socket in the folder of sockets.
    static let local: [Dialect] = [.control, .cmus, .mpd]
  }

  /// - Parameters:
  ///   - desk: Answers the questions of clients.
  ///   - passed: Sockets that are already open, by the names of dialects.
  ///   - isAboutToPlay: True if the first sound is to come.
  ///   - version: The program's, for clients.
  ///   - ring: Wakes the main loop; called on other threads.
  package init(
    session: PlayerSession, folders: UserFolders, desk: Desk, passed: [LocalListener],
    isAboutToPlay: Bool, version: String, ring: @escaping @Sendable () -> Void
  ) {
    program = (version, .now)
    (self.session, self.folders, self.desk, self.ring, self.passed) = (session, folders, desk, ring, passed)
    var limits = SocketServer.Limits()
    limits.servesGoneClients = true
    server = SocketServer(limits: limits)
    player.folder = BytePath(".").absolute
    opening = .now + .milliseconds(isAboutToPlay ? 1000 : 50)
  }

  /// True if clients can reach the player, or never will.
  package var isOpen: Bool { opening == nil }
  /// True if `segue ctl` finds this player first.
  package private(set) var isFirst = false

  // MARK: The player

  package func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    player.snapshot = snapshot
    player.played.note(isPlaying: snapshot.state == .playing, at: .now)
    if hasClients { news.events += notices.compactMap { $0.eventMembers(current: snapshot.entry) } }
    for notice in notices {
      switch notice {
      case .seeked, .clockCorrected: news.changes.insert(.position)
      case .trackBegan(let entry, _):
        // The same again, by `repeat one` or from its start.
        if entry.id == news.lastBegan { news.changes.insert(.position) }
        news.lastBegan = entry.id
      case .state(.playing, _, _) where opening != nil: opening = .zero
      default: break
      }
    }
  }

  package func say(_ text: String, isLogged: Bool) {
    if hasClients { news.events.append(eventMembers(said: text)) }
  }

  package func complain(_ failure: CollectionFailure) { say(failure.description, isLogged: false) }

  package func show(_ queue: PlayQueue) {
    if !queue.isListed(like: player.queue) { player.queueVersion += 1 }
    player.queue = queue
    if !player.givenTags.isEmpty { player.givenTags = player.givenTags.filter { queue.index(of: $0.key) != nil } }
    guard player.facts.count > 2 * queue.entries.count + 1000 else { return }
    let present = Set(queue.entries.lazy.map(\.id))
    player.facts = player.facts.filter { present.contains($0.key) }
  }

  package func show(_ settings: Settings) {
    let old = player.settings
    player.settings = settings
    if settings.charset != old.charset { player.facts = [:] }
    let isChanged = (settings.remoteMPD, settings.remoteMPDPassword) != (old.remoteMPD, old.remoteMPDPassword)
    if isChanged, opening == nil { listenOnNetwork() }
  }

  package func show(_ news: PlayerNews) { if case .outputs(let outputs) = news { player.outputs = outputs } }

  /// Shows clients the stream that is served.
  package func show(_ stream: StreamStatus?) { player.stream = stream }

  /// Serves the clients of a listener as those of the HTTP server.
  func serve(_ listener: NetworkListener, _ web: Web) {
    self.web = web
    _ = server.add(listener)
    dialects.append(.web)
  }

  /// Ends the HTTP server, but not the stream of those who listen.
  func endWeb() {
    web = nil
    removeListeners(of: .web)
  }

  private func removeListeners(of dialect: Dialect) {
    for index in dialects.indices where dialects[index] == dialect { server.remove(listener: index) }
  }

  /// Opens the socket of the setting `remote-mpd`, in place of an earlier one.
  private func listenOnNetwork() {
    removeListeners(of: .networkMPD)
    guard let address = player.settings.remoteMPD else { return }
    guard address.isLoopback || !player.settings.remoteMPDPassword.isEmpty else {
      return session.say(
        "remote-mpd is off: \(address) is open to others and needs a password, set remote-mpd-password=… in config")
    }
    do throws(ByteIOError) {
      _ = server.add(try NetworkListener(host: address.host, port: address.port))
      dialects.append(.networkMPD)
    } catch {
      // The sandbox knows the port of the start.
      let advice = error.errno == EACCES ? "; another port is used from the next start on" : ""
      session.say("remote-mpd is off: cannot \(error.operation) \(address): \(error.reason)\(advice)")
    }
  }

  package func show(_ answer: Answer) {
    switch answer {
    case .facts(let facts, let id): player.facts[id] = facts
    case .library(.scanning(.some)) where !player.scan.isRunning:
      player.scan = (player.scan.number + 1, true)
      news.changes.insert(.scan)
    case .library(.scanning(nil)):
      player.scan.isRunning = false
      news.changes.insert(.scan)
      lookForLibrary()
    // A scan writes the index again and again: clients hear of its end.
    case .library(.changed) where !player.scan.isRunning: lookForLibrary()
    default: break
    }
  }

  /// Asks for the library again, if a client knows it.
  private func lookForLibrary() {
    guard libraryClientCount > 0 else { return }
    desk.ask(.librarySummary, from: .client(Self.libraryClient))
  }

  // MARK: The loop

  /// Descriptors to poll; `handle` takes the results.
  package func makePolled() -> [pollfd] {
    [bus?.polled ?? pollfd(fd: -1, events: 0, revents: 0)] + server.makePolled()
  }

  /// The time for `turn` even if nothing happens.
  package var deadline: MonotonicTime? { work.hasLines ? .zero : opening ?? server.deadline }

  package func handle(_ results: ArraySlice<pollfd>) {
    if bus?.takeConnection() == true || results.first.map({ $0.revents != 0 }) == true {
      work.needsTurn = true
      bus?.handle { current }
    }
    let results = results.dropFirst()
    guard results.contains(where: { $0.revents != 0 }) else { return }
    for event in server.handle(results, at: .now) {
      work.needsTurn = true
      switch event {
      case .opened(let id, let listener): open(id, dialects[listener])
      case .closed(let id): forget(id)
      }
    }
    noteGone()
    work.hasLines = true
  }

  /// Serves requests after `handle`, if nothing else has happened. Returns true if they were all answered and have
  /// changed nothing.
  package func answerQuestions() -> Bool {
    guard work.hasLines, !work.needsTurn else { return false }
    serve()
    return !work.needsTurn && !server.hasClosed
  }

  /// Reports changes and serves requests. Once per turn of the loop, after all events were handled.
  package func turn() {
    work.needsTurn = false
    if let opening, opening <= .now { open() }
    guard hasClients else {
      work.hasLines = false
      return
    }
    server.dropSilent(at: .now)
    takeAnswers()
    askForCover()
    if let (id, isAnswered) = coverQuestion, isAnswered, id == player.entry?.id { bus?.notify(player) }
    report()
    if work.hasLines { serve() }
    forgetClosed()
  }

  private func takeAnswers() {
    for case (.client(let id), let answer) in desk.take(forClients: true) {
      switch answer {
      case _ where id == Self.coverClient: takeCover(answer)
      case .facts(let facts, let entryID): player.facts[entryID] = player.facts[entryID] ?? facts
      case .librarySummary(let library, let playlists):
        take(library, playlists, isFirst: id != Self.libraryClient && libraryClientCount == 1)
        deliver(answer: .done, to: id)
      case .playlistsChanged:
        news.changes.insert(.playlists)
        deliver(answer: .done, to: id)
      default: deliver(answer: answer, to: id)
      }
    }
  }

  private func deliver(answer: Answer, to id: SocketServer.ClientID) {
    guard id != Self.libraryClient else { return }
    work.hasLines = true
    deliver(.found(answer), to: id)
  }

  private var libraryClientCount: Int { connections.values.count(where: \.followsLibrary) }

  /// - Parameter isFirst: True if no client knows the library yet.
  private func take(_ library: LibrarySnapshot?, _ playlists: Int, isFirst: Bool) {
    let old = player.library
    (player.library, player.playlists) = (library, playlists)
    guard !isFirst else {
      shown.playlists = playlists
      return
    }
    if library?.music != old?.music || library?.revision != old?.revision { news.changes.insert(.library) }
    if library?.change != old?.change { news.changes.insert(.ratings) }
  }

  /// Those that ask for covers and for the library are no connections.
  private static let (coverClient, libraryClient) = (-1, -2)

  /// Asks for the cover of the track, which applets on the bus show.
  private func askForCover() {
    // One question at a time: whoever skips many tracks sees the cover of the last one.
    guard coverQuestion?.isAnswered != false, bus?.isConnected == true, player.isLoaded, let entry = player.entry,
      coverQuestion?.id != entry.id
    else { return }
    coverQuestion = (entry.id, isAnswered: false)
    desk.ask(.coverFile(player.whole(entry.location), folder: coverFolder), from: .client(Self.coverClient))
  }

  private func takeCover(_ answer: Answer) {
    guard let id = coverQuestion?.id else { return }
    coverQuestion?.isAnswered = true
    if case .file(let file) = answer { player.cover = (id, file) } else { player.cover = nil }
    news.changes.insert(.cover)
  }

  /// The music folder of the settings, and the saved playlists.
  private var places: MPDPlaces {
    let music = player.settings.music
    return MPDPlaces(
      music: (music.isEmpty ? folders.music : folders.expanded(BytePath(music))).absolute,
      playlists: folders.playlists, current: player.folder)
  }

  private var hasClients: Bool { !connections.isEmpty || bus?.isConnected == true }

  /// Opens the sockets. A player without them plays as well.
  private func open() {
    opening = nil
    bus = DesktopBus(session, ring: ring)
    defer { listenOnNetwork() }
    guard let folder = folders.runtime else { return }
    do throws(ByteIOError) {
      for dialect in Dialect.local {
        // Only the first player has the sockets of other players' clients, which look in one place.
        let (isOwn, name) = (dialect == .control, BytePath(dialect.rawValue))
        var listener = passed.first { $0.path.lastComponent == name }
        if listener == nil { listener = try LocalListener.open(dialect.rawValue, in: folder, isShared: isOwn) }
        guard let listener else { continue }
        _ = server.add(listener)
        if isOwn { isFirst = listener.path.lastComponent == name }
        dialects.append(dialect)
      }
      passed = []
      coverFolder = folder.appending(BytePath("covers"))
    } catch { session.say("no remote control: \(folder): \(error)") }
  }

  private func open(_ id: SocketServer.ClientID, _ dialect: Dialect) {
    if !hasClients { shown = current }
    connections[id] = connection(dialect)
    deliver(.opened, to: id)
  }

  /// The status, as clients of the control socket get it.
  package var status: JSON { current.status }

  private func connection(_ dialect: Dialect) -> (any RemoteConnection)? {
    switch dialect {
    case .mpd: MPDConnection(places: places, start: program.start)
    case .networkMPD:
      MPDConnection(
        places: places, start: program.start, access: .network(password: player.settings.remoteMPDPassword))
    case .control: ControlConnection(program: program.version, process: getpid())
    case .cmus: CmusConnection()
    case .web: web.map { WebConnection($0.offer, program: program.version, process: getpid()) }
    }
  }

  private var current: PlayerSnapshot {
    // Its cursor moves without a word.
    player.queue = session.queue
    player.volume = session.volume
    player.isMuted = session.isMuted
    player.now = .now
    return player
  }

  /// Tells the connections what has changed since they were told last.
  private func report() {
    let now = current
    let (changes, events) = (now.changes(since: shown).union(news.changes), news.events)
    (news.changes, news.events, shown) = ([], [], now)
    // They are not compared, and a second holder would make each change a copy.
    shown.facts = [:]
    guard !changes.isEmpty || !events.isEmpty else { return }
    bus?.report(now, hasSeeked: changes.contains(.position))
    for id in connections.keys.sorted() {
      if !events.isEmpty { deliver(.events(events), to: id) }
      if !changes.isEmpty { deliver(.changed(changes), to: id) }
    }
  }

  /// Serves some lines of each client, so that none keeps the loop from the others.
  private func serve() {
    work.hasLines = false
    for id in connections.keys.sorted() where connections[id]?.isPaused == true || server.isReadable(id) {
      var count = 0
      while let (isPaused, isBusy) = connections[id].map({ ($0.isPaused, $0.isBusy) }), !isBusy, !server.hasBacklog(id)
      {
        guard count < (isPaused ? 1 : 64) else {
          work.hasLines = true
          break
        }
        count += 1
        let byteCount = connections[id]?.awaitedByteCount
        guard let event = isPaused ? .resumed : server.nextLine(of: id, byteCount: byteCount).map(RemoteEvent.line)
        else { break }
        deliver(event, to: id)
      }
    }
    noteGone()
  }

  private func noteGone() {
    for id in server.takeGone() {
      work.hasLines = true
      deliver(.left, to: id)
    }
  }

  private func forgetClosed() {
    for case .closed(let id) in server.takeClosed() { forget(id) }
    noteGone()
  }

  private func forget(_ id: SocketServer.ClientID) {
    guard let connection = connections.removeValue(forKey: id), !connection.channels.isEmpty else { return }
    gatherChannels()
  }

  private func gatherChannels() { player.channels = Set(connections.values.flatMap(\.channels)) }

  private func deliver(_ event: RemoteEvent, to id: SocketServer.ClientID) {
    // Taken out: a second holder would make each change a copy.
    guard var connection = connections.removeValue(forKey: id) else { return }
    let channels = connection.channels
    let effects = connection.handle(event, current)
    connections[id] = connection
    if connection.channels != channels {
      work.needsTurn = true
      gatherChannels()
    }
    if connection.isAdmitted { server.admit(id) }
    for effect in effects { perform(effect, of: id) }
  }

  private func perform(_ effect: RemoteEffect, of id: SocketServer.ClientID) {
    if case .send(let bytes) = effect { return server.send(bytes, to: id) }
    work.needsTurn = true
    switch effect {
    case .send: break
    case .perform(let command):
      session.perform(command) { [unowned self] answer in
        work.hasLines = true
        deliver(.answered(answer), to: id)
      }
    case .ask(let inquiry): desk.ask(inquiry, from: .client(id))
    case .giveTags(let tags, let entryID):
      player.givenTags[entryID] = tags.isEmpty ? nil : tags
      player.queueVersion += 1
    case .publish(let text, let channel):
      for other in connections.keys.sorted() { deliver(.message(text, channel: channel), to: other) }
    case .listen(let answer): perform(answer(session.levels), of: id)
    case .stream(let head, let hasTitles):
      guard let web, let descriptor = server.release(id) else { return }
      forget(id)
      web.adopt(descriptor, head, hasTitles)
    case .close: server.end(id)
    }
  }

  /// Sends the last answers, ends all connections, and takes the sockets away.
  package func close() {
    server.endAll()
    // Sends the reply to `Quit`, too.
    bus?.close()
    bus = nil
  }
}
