internal import AudioModel
package import Commands
internal import ControlSocket
internal import Encoding
internal import Glibc
internal import Library
package import Playback
internal import Player
internal import RemoteProtocols
internal import Threads

/// The server of the stream: a thread that encodes while there are listeners, and else sleeps.
package final class StreamServer: Sendable {
  /// Those who listen at one time.
  static let listenerLimit = 32

  struct Newcomer {
    var descriptor: CInt
    var head: [UInt8]
    var hasTitles: Bool
  }

  private struct State {
    var newcomers: [Newcomer] = []
    var title = StreamTitle()
    var isOver = false
    var listenerCount = 0
    var failure: String?
  }

  private let state = Guarded(State())
  private let bell = WakeDescriptor()
  private let thread = Guarded<WorkerThread?>(nil)

  /// - Parameter ring: Called on the thread when `listenerCount` or `failure` have changed.
  package init(
    _ settings: StreamSettings, _ makeReader: @escaping @Sendable () -> SoundReader,
    _ ring: @escaping @Sendable () -> Void
  ) {
    let thread = WorkerThread(named: "stream") { [self] in
      let loop = StreamLoop(settings, makeReader())
      while !state.withLock({ $0.isOver || $0.failure != nil }) {
        loop.wait(bell)
        let (title, newcomers) = state.withLock { state in
          defer { state.newcomers = [] }
          return (state.title, state.newcomers)
        }
        var failure: String?
        do throws(EncodingError) { try loop.turn(title, newcomers, at: .now) } catch { failure = error.description }
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

  var listenerCount: Int { state.withLock { $0.listenerCount } }
  /// The reason why the stream has ended by itself.
  var failure: String? { state.withLock { $0.failure } }

  func setTitle(_ title: StreamTitle) { state.withLock { $0.title = title } }

  /// Sends a client the stream, after this head.
  func adopt(_ descriptor: CInt, _ head: [UInt8], hasTitles: Bool) {
    state.withLock { $0.newcomers.append(Newcomer(descriptor: descriptor, head: head, hasTitles: hasTitles)) }
    bell.ring()
  }

  package func close() {
    state.withLock { $0.isOver = true }
    bell.ring()
    thread.withLock { $0.take() }?.join()
    for newcomer in state.withLock({ $0.newcomers }) { Glibc.close(newcomer.descriptor) }
  }
}

/// Those who listen, and the encoder while there are some. Used by the stream's thread.
private final class StreamLoop {
  private struct Listener {
    /// `nil` without titles.
    var titles: StreamTitles?
  }

  /// Sound that a new listener gets at once, so that its player can begin and bridges delays of the network.
  private static let leadTime = TimeSpan.seconds(2)
  private static let turnTime = TimeSpan.milliseconds(250)

  private let settings: StreamSettings
  private let reader: SoundReader
  private let server: SocketServer
  private var listeners: [SocketServer.ClientID: Listener] = [:]
  private var stream: SoundStream?
  /// The pieces of the lead.
  private var recent: [SoundStream.Piece] = []
  private var title = StreamTitle()
  private var nextPiece: MonotonicTime?

  init(_ settings: StreamSettings, _ reader: SoundReader) {
    (self.settings, self.reader) = (settings, reader)
    var limits = SocketServer.Limits()
    limits.lineByteCount = 1 << 13
    limits.backlogByteCount = 1 << 21
    server = SocketServer(limits: limits)
  }

  var listenerCount: Int { listeners.count }

  /// Sleeps until there is something to do.
  func wait(_ bell: WakeDescriptor) {
    var polled = [pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)] + server.makePolled()
    guard poll(&polled, nfds_t(polled.count), nextPiece?.pollTimeout ?? -1) > 0 else { return }
    if polled[0].revents != 0 { bell.silence() }
    forget(server.handle(polled[1...], at: .now))
  }

  private func forget(_ events: [SocketServer.Event]) {
    for case .closed(let id) in events { listeners[id] = nil }
  }

  /// Takes new listeners, and sends the next piece of the stream when it is due.
  func turn(_ title: StreamTitle, _ newcomers: [StreamServer.Newcomer], at now: MonotonicTime)
    throws(EncodingError)
  {
    self.title = title
    // All are taken before one fails: the server owns their descriptors.
    let added = newcomers.map { ($0, server.adopt($0.descriptor)) }
    for (newcomer, id) in added { try add(newcomer, id, at: now) }
    forget(server.takeClosed())
    if let time = nextPiece, time <= now { try sendPiece(at: now) }
    forget(server.takeClosed())
    if listenerCount == 0 { (stream, recent, nextPiece) = (nil, [], nil) }
  }

  private func add(_ newcomer: StreamServer.Newcomer, _ id: SocketServer.ClientID, at now: MonotonicTime)
    throws(EncodingError)
  {
    guard listenerCount < StreamServer.listenerLimit else { return server.end(id) }
    if stream == nil {
      stream = SoundStream(settings.format, bitRate: settings.bitRate * 1000, start: now - Self.leadTime)
      reader.begin(secondsAgo: Self.leadTime.inSeconds)
      try sendPiece(at: now)
    }
    server.send(newcomer.head, to: id)
    listeners[id] = Listener(titles: newcomer.hasTitles ? StreamTitles() : nil)
    let lead = recent.drop { $0.bytes.isEmpty }
    if let first = lead.first { send(lead.reduce(first.header) { $0 + $1.bytes }, to: id) }
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
    for id in listeners.keys { send(piece.bytes, to: id) }
  }

  private func send(_ bytes: [UInt8], to id: SocketServer.ClientID) {
    let sent = listeners[id]?.titles?.insert(title.line, into: bytes) ?? bytes
    server.send(sent, to: id)
  }

  func close() { server.endAll() }
}
