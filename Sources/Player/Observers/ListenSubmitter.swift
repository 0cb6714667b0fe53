internal import AudioModel
public import ByteIO
public import Commands
internal import Desk
internal import Glibc
public import Playback
public import Streaming
internal import Threads

/// Sends listens to ListenBrainz and Last.fm, or to other servers with their interfaces, while the settings ask for it,
/// and plays of tracks on servers of music to these. Main thread; other threads use the disk and the network.
public final class ListenSubmitter: PlayerObserver {
  private let workers: [ListenWorker]
  /// Those of servers of music.
  private var serverWorkers: [ListenSite: ListenWorker] = [:]
  private let makeWorker: (ListenSite) -> ListenWorker
  private let folder: BytePath
  private var hasBegun = false
  private let say: (String) -> Void
  private var machine = ListeningMachine()
  /// The servers in use, by the workers' order.
  private var servers: [WebAddress?]
  private var announced: QueueEntry.ID?

  /// - Parameters:
  ///   - folder: Keeps listens that could not be sent yet.
  ///   - configuration: The folder of `listenbrainz-token` and `lastfm`.
  ///   - library: The folder of the library; `nil` without one.
  ///   - bell: Called on another thread when there is a message.
  ///   - say: Shows a message to the listener. Main thread.
  public init(
    network: Network, folder: BytePath, configuration: BytePath, library: BytePath?,
    bell: @escaping @Sendable () -> Void, say: @escaping (String) -> Void
  ) {
    makeWorker = {
      ListenWorker($0, network: network, folder: folder, configuration: configuration, library: library, bell: bell)
    }
    workers = ListenSite.services.map(makeWorker)
    servers = workers.map { _ in nil }
    (self.folder, self.say) = (folder, say)
  }

  public func show(_ settings: Settings) {
    let new = workers.map { $0.site.server(settings) }
    // A track that began before is not for a service.
    if !isInUse, new.contains(where: { $0 != nil }) { (machine, announced) = (ListeningMachine(), nil) }
    for (worker, (old, new)) in zip(workers, zip(servers, new)) where new != old { worker.use(new) }
    servers = new
  }

  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    let listens = machine.handle(snapshot, notices, now: .now, clock: Int64(time(nil)))
    submit(listens)
    if notices.contains(where: { if case .trackBegan = $0 { true } else { false } }) { announced = nil }
    if let entry = snapshot.entry, entry.id != announced, snapshot.state == .playing,
      ListeningMachine.follows(entry.location)
    {
      announced = entry.id
      if !hasBegun { for site in ListenSite.waitingServers(folder) { worker(site).handle(.due) } }
      hasBegun = true
      tellServer(of: entry.location.libraryPath)
      let track = ListenText(snapshot.information.tags, beganAt: nil, duration: snapshot.information.duration)
      send(.playing(track), duration: snapshot.information.duration)
    }
    for worker in allWorkers { for sentence in worker.takeRemarks() { say(sentence) } }
  }

  private var isInUse: Bool { servers.contains { $0 != nil } }
  private var allWorkers: [ListenWorker] { workers + serverWorkers.values }

  /// Keeps and sends the last listen.
  public func finish() { submit(machine.finish(now: .now)) }

  /// Waits until all listens are on the disk and answers that are under way have come, at most two seconds.
  public func settle() {
    let deadline = MonotonicTime.now + .seconds(2)
    for worker in allWorkers { worker.settle(within: deadline - .now) }
  }

  private func submit(_ listens: [Listen]) {
    for listen in listens where !listen.isSkip {
      tellServer(of: listen.path, beganAt: listen.beganAt)
      let text = ListenText(listen.tags, beganAt: listen.beganAt, heard: listen.heard, duration: listen.duration)
      if let text { send(.heard(text), duration: listen.duration) }
    }
  }

  /// Sends a play, or without a time that a track plays now, to the server of the track.
  private func tellServer(of track: BytePath?, beganAt: Int64? = nil) {
    guard let track, track.isOnServer else { return }
    let play = ListenText(track: track.lastComponent.description.removingPercentEscapes, beganAt: beganAt)
    worker(.server(track.parent.lastComponent.description)).handle(beganAt == nil ? .playing(play) : .heard(play))
  }

  private func worker(_ site: ListenSite) -> ListenWorker {
    if let known = serverWorkers[site] { return known }
    let worker = makeWorker(site)
    serverWorkers[site] = worker
    worker.use(site.server(Settings()))
    return worker
  }

  private func send(_ event: ListenQueue.Event, duration: Double?) {
    for (worker, server) in zip(workers, servers) where server != nil && worker.site.wants(duration: duration) {
      worker.handle(event)
    }
  }
}
