internal import AudioModel
package import Commands
package import ControlSocket
internal import Encoding
internal import Glibc
internal import Library
package import Playback
internal import Player
internal import RemoteProtocols
internal import Threads

/// The server of the stream: a thread that encodes while there are listeners, and else sleeps.
package final class StreamServer: Sendable {
  /// Clients at one time.
  static let listenerLimit = 32

  private struct State {
    var title = StreamTitle()
    var isOver = false
    var listenerCount = 0
    var failure: String?
  }

  private let state = Guarded(State())
  private let bell = WakeDescriptor()
  private let thread = Guarded<WorkerThread?>(nil)

  /// Serves the clients of `listener`.
  ///
  /// - Parameter ring: Called on the thread when `listenerCount` or `failure` have changed.
  package init(
    _ settings: StreamSettings, _ listener: NetworkListener, _ makeReader: @escaping @Sendable () -> SoundReader,
    _ ring: @escaping @Sendable () -> Void
  ) {
    let thread = WorkerThread(named: "stream") { [self] in
      let loop = StreamLoop(settings, listener, makeReader())
      while !state.withLock({ $0.isOver || $0.failure != nil }) {
        loop.wait(bell)
        let title = state.withLock { $0.title }
        var failure: String?
        do throws(EncodingError) { try loop.turn(title, at: .now) } catch { failure = error.description }
        let isNews = state.withLock { state in
          defer { (state.listenerCount, state.failure) = (loop.listenerCount, failure) }
          return state.listenerCount != loop.listenerCount || failure != nil
        }
        if isNews { ring() }
      }
      loop.close()
    }
    self.thread.withLock { $0 = thread }
  }

  /// The clients that listen.
  var listenerCount: Int { state.withLock { $0.listenerCount } }
  /// The reason why the stream has ended by itself.
  var failure: String? { state.withLock { $0.failure } }

  /// Sets the title of the sound from now on.
  func setTitle(_ title: StreamTitle) { state.withLock { $0.title = title } }

  /// Ends all connections. Returns when the port is free.
  package func close() {
    state.withLock { $0.isOver = true }
    bell.ring()
    thread.withLock { $0.take() }?.join()
  }
}

/// The clients of the stream, and its encoder while some of them listen. Used by the stream's thread.
private final class StreamLoop {
  private enum Client {
    case asking(StreamRequest)
    /// With titles, or without.
    case listening(StreamTitles?)

    var isListening: Bool { if case .listening = self { true } else { false } }
  }

  /// Sound that a new listener gets at once, so that its player can begin and bridges delays of the network.
  private static let leadTime = TimeSpan.seconds(2)
  private static let turnTime = TimeSpan.milliseconds(250)

  private let settings: StreamSettings
  private let reader: SoundReader
  private let server: SocketServer
  private var clients: [SocketServer.ClientID: Client] = [:]
  private var stream: SoundStream?
  /// The pieces of the lead.
  private var recent: [SoundStream.Piece] = []
  private var title = StreamTitle()
  private var nextPiece: MonotonicTime?

  package init(_ settings: StreamSettings, _ listener: NetworkListener, _ reader: SoundReader) {
    (self.settings, self.reader) = (settings, reader)
    var limits = SocketServer.Limits()
    limits.lineByteCount = 1 << 13
    limits.backlogByteCount = 1 << 21
    server = SocketServer(limits: limits)
    _ = server.add(listener)
  }

  var listenerCount: Int { clients.values.count(where: \.isListening) }

  /// Sleeps until there is something to do, and takes what the clients sent.
  func wait(_ bell: WakeDescriptor) {
    var polled = [pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)] + server.makePolled()
    let deadline = [nextPiece, server.deadline].compactMap(\.self).min()
    guard poll(&polled, nfds_t(polled.count), deadline?.pollTimeout ?? -1) > 0 else { return }
    if polled[0].revents != 0 { bell.silence() }
    for case .opened(let id, _) in take(server.handle(polled[1...], at: .now)) {
      clients[id] = .asking(
        StreamRequest(
          for: StreamRequest.Offer(
            mediaType: settings.format.mediaType, password: settings.password, hostName: hostName,
            bitRate: settings.format == .flac ? nil : settings.bitRate * 1000)))
    }
  }

  /// Forgets clients that are gone.
  @discardableResult
  private func take(_ events: [SocketServer.Event]) -> [SocketServer.Event] {
    for case .closed(let id) in events { clients[id] = nil }
    return events
  }

  /// Answers requests, and sends the next piece of the stream when it is due.
  package func turn(_ title: StreamTitle, at now: MonotonicTime) throws(EncodingError) {
    self.title = title
    server.dropSilent(at: now)
    for id in server.readable {
      while case .asking(var request) = clients[id], let line = server.nextLine(of: id) {
        let answer = request.take(line)
        clients[id] = .asking(request)
        if let answer { try give(answer, to: id, at: now) }
      }
    }
    take(server.takeClosed())
    if let time = nextPiece, time <= now { try sendPiece(at: now) }
    take(server.takeClosed())
    if listenerCount == 0 { (stream, recent, nextPiece) = (nil, [], nil) }
  }

  private func give(_ answer: StreamRequest.Answer, to id: SocketServer.ClientID, at now: MonotonicTime)
    throws(EncodingError)
  {
    switch answer {
    case .end(let bytes):
      server.send(bytes, to: id)
      server.end(id)
      clients[id] = nil
    case .stream(let head, let hasTitles):
      if stream == nil {
        stream = SoundStream(settings.format, bitRate: settings.bitRate * 1000, start: now - Self.leadTime)
        reader.begin(secondsAgo: Self.leadTime.inSeconds)
        try sendPiece(at: now)
      }
      server.admit(id)
      server.send(head, to: id)
      clients[id] = .listening(hasTitles ? StreamTitles() : nil)
      let lead = recent.drop { $0.bytes.isEmpty }
      if let first = lead.first { send(lead.reduce(first.header) { $0 + $1.bytes }, to: id) }
    }
  }

  private func sendPiece(at now: MonotonicTime) throws(EncodingError) {
    nextPiece = now + Self.turnTime
    let heard = reader.read()
    guard let piece = try stream?.encode(heard.pieces, isUnbroken: heard.isUnbroken, title: title, until: now) else {
      return
    }
    recent.removeAll { $0.time <= now - Self.leadTime }
    recent.append(piece)
    guard !piece.bytes.isEmpty else { return }
    for id in clients.keys { send(piece.bytes, to: id) }
  }

  private func send(_ bytes: [UInt8], to id: SocketServer.ClientID) {
    guard case .listening(var titles) = clients[id] else { return }
    let sent = titles?.insert(title.line, into: bytes) ?? bytes
    clients[id] = .listening(titles)
    server.send(sent, to: id)
  }

  package func close() { server.endAll() }
}
