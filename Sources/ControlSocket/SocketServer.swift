public import AudioModel
internal import CGlibcExtras
public import Glibc

/// A socket that waits for clients.
public protocol ClientListener: AnyObject {
  /// The descriptor to poll for POLLIN.
  var descriptor: CInt { get }
  /// Clients of this socket at one time. One more takes the place of the oldest one that was not admitted, or is turned
  /// away.
  var clientLimit: Int { get }
  /// The time that a client has until it must be admitted; `nil` if each client is.
  var admissionTime: TimeSpan? { get }
  /// Called with the descriptor of each client.
  func prepare(client: CInt)
}

extension ClientListener {
  /// Only the limit of the server.
  public var clientLimit: Int { .max }
  /// Each client is admitted.
  public var admissionTime: TimeSpan? { nil }
  public func prepare(client: CInt) {}
}

/// Clients on several listening sockets, served from one `poll`: nothing waits for a client.
///
/// Lines come in through `nextLine`; the owner takes one after the other, so that a client cannot ask faster than it is
/// answered. Main thread.
public final class SocketServer {
  /// Limits on what clients may use.
  public struct Limits: Sendable {
    /// Clients of one listener at one time; more are turned away. Clients in one language do not take the places of
    /// those in another.
    public var clientCount = 64
    /// Bytes of a line.
    public var lineByteCount = 1 << 16
    /// Bytes that wait for a client that does not read, without the last answer. A client that has more is dropped.
    public var backlogByteCount = 1 << 20
    /// True if a client that has gone is served to its last line, without answers. The owner has to take its lines.
    public var servesGoneClients = false

    public init() {}
  }

  public typealias ClientID = Int

  public enum Event: Sendable, Hashable {
    /// A client has connected to the listener with this index.
    case opened(ClientID, listener: Int)
    /// A client has ended its connection, broken a limit, or not read its answers.
    case closed(ClientID)
  }

  private struct Client {
    var descriptor: CInt
    /// The index of its listener.
    var listener: Int
    var input: [UInt8] = []
    /// Bytes of `input` that hold no line end.
    var searchedCount = 0
    var output: [UInt8] = []
    /// Bytes of `output` that were sent.
    var sentCount = 0
    /// The client has sent everything.
    var isInputOver = false
    /// The client reads no answers any longer.
    var isGone = false
    /// The connection ends when everything has been sent.
    var isEnding = false
    /// A client that is not admitted until then is dropped; `nil` for one that is.
    var admissionEnd: MonotonicTime?

    var backlog: Int { output.count - sentCount }

    mutating func takeLine() -> [UInt8]? {
      guard let end = input[searchedCount...].firstIndex(of: 0x0a) else {
        searchedCount = input.count
        return nil
      }
      searchedCount = 0
      var line: [UInt8]
      if end == input.count - 1 {
        // The whole: a buffer that has held much is given back.
        line = input
        input = []
        line.removeLast()
      } else {
        line = Array(input[..<end])
        input.removeSubrange(...end)
      }
      if line.last == 0x0d { line.removeLast() }
      return line
    }

    mutating func take(_ count: Int) -> [UInt8]? {
      guard input.count >= count else { return nil }
      defer { input.removeFirst(count) }
      searchedCount = 0
      return Array(input.prefix(count))
    }
  }

  private let limits: Limits
  /// Removed ones are `nil`: indices stay.
  private var listeners: [(any ClientListener)?] = []
  private var clients: [ClientID: Client] = [:]
  private var order: [ClientID] = []
  /// The clients of the last `poll`: some may be gone when its results are handled.
  private var polledOrder: [ClientID] = []
  private var nextID = 0
  private var closed: [ClientID] = []
  private var gone: [ClientID] = []
  /// Given up for a moment to turn a client away when the process has no descriptors left: left in the listener's
  /// queue, it would end each poll at once.
  private var reserve = makeReserve()

  public init(limits: Limits = Limits()) { self.limits = limits }

  deinit {
    for client in clients.values { close(client.descriptor) }
    if reserve >= 0 { close(reserve) }
  }

  private static func makeReserve() -> CInt { Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }

  /// Accepts clients of a listener; returns its index.
  public func add(_ listener: any ClientListener) -> Int {
    listeners.append(listener)
    return listeners.count - 1
  }

  /// Closes a listener, and drops its clients.
  public func remove(listener index: Int) {
    guard listeners.indices.contains(index) else { return }
    listeners[index] = nil
    for id in order where clients[id]?.listener == index { drop(id) }
  }

  // MARK: Polling

  /// Descriptors and events to poll for. `handle` takes the results in the same order.
  public func makePolled() -> [pollfd] {
    polledOrder = order
    return listeners.map { pollfd(fd: $0?.descriptor ?? -1, events: Int16(POLLIN), revents: 0) }
      + order.map { id in
        guard let client = clients[id] else { return pollfd(fd: -1, events: 0, revents: 0) }
        if client.isGone { return pollfd(fd: -1, events: 0, revents: 0) }
        let reads = !client.isInputOver && !client.isEnding && client.input.count < limits.lineByteCount
        let events = (reads ? POLLIN : 0) | (client.backlog > 0 ? POLLOUT : 0)
        // A client that only hangs up is noticed in any case.
        return pollfd(fd: client.descriptor, events: Int16(events), revents: 0)
      }
  }

  /// The time for `dropSilent`, if no client is admitted or goes before.
  public var deadline: MonotonicTime? { order.lazy.compactMap { self.clients[$0]?.admissionEnd }.min() }

  /// Admits a client, which has shown that it may stay.
  public func admit(_ id: ClientID) { clients[id]?.admissionEnd = nil }

  /// Drops clients that had to be admitted until now.
  public func dropSilent(at now: MonotonicTime) {
    for id in order { if let end = clients[id]?.admissionEnd, end <= now { drop(id) } }
  }

  /// Accepts, reads and writes as `poll` allows.
  public func handle(_ results: ArraySlice<pollfd>, at now: MonotonicTime) -> [Event] {
    guard results.count >= listeners.count + polledOrder.count else { return [] }
    let firstClient = results.startIndex + listeners.count
    for (index, id) in polledOrder.enumerated() {
      let result = results[firstClient + index]
      guard result.revents != 0, clients[id] != nil else { continue }
      if result.revents & Int16(POLLIN) != 0 { read(id) }
      if result.revents & Int16(POLLOUT) != 0 { flush(id) }
      if result.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0, result.revents & Int16(POLLIN) == 0 { leave(id) }
    }
    var events = takeClosed()
    for index in listeners.indices where results[results.startIndex + index].revents != 0 {
      events += accept(index, now).map { .opened($0, listener: index) }
    }
    return events + takeClosed()
  }

  /// True if clients were dropped since the last `takeClosed`.
  public var hasClosed: Bool { !closed.isEmpty }

  /// Clients that were dropped since the last call.
  public func takeClosed() -> [Event] {
    defer { closed = [] }
    return closed.map { .closed($0) }
  }

  /// Clients that have gone since the last call, whose lines are to be taken.
  public func takeGone() -> [ClientID] {
    defer { gone = [] }
    return gone
  }

  /// Clients that may have a whole line, in the order of their connection.
  public var readable: [ClientID] { order.filter(isReadable) }

  /// True if a client may have a whole line.
  public func isReadable(_ id: ClientID) -> Bool {
    clients[id].map { !$0.input.isEmpty || $0.isInputOver || $0.isGone } ?? false
  }

  private func accept(_ index: Int, _ now: MonotonicTime) -> [ClientID] {
    guard let listener = listeners[index] else { return [] }
    var accepted: [ClientID] = []
    for _ in 0..<16 {
      let descriptor = Self.accept(listener)
      if descriptor < 0, errno == EMFILE || errno == ENFILE, turnAway(listener) { continue }
      guard descriptor >= 0 else { break }
      if clients.values.count(where: { $0.listener == index }) >= listener.clientLimit,
        let silent = order.first(where: { clients[$0].map { $0.listener == index && $0.admissionEnd != nil } ?? false })
      {
        drop(silent)
        accepted.removeAll { $0 == silent }
      }
      guard clients.values.count(where: { $0.listener == index }) < min(listener.clientLimit, limits.clientCount) else {
        close(descriptor)
        continue
      }
      listener.prepare(client: descriptor)
      clients[nextID] = Client(descriptor: descriptor, listener: index)
      clients[nextID]?.admissionEnd = listener.admissionTime.map { now + $0 }
      order.append(nextID)
      accepted.append(nextID)
      nextID += 1
    }
    return accepted
  }

  private static func accept(_ listener: any ClientListener) -> CInt {
    segue_accept4(listener.descriptor, nil, nil, SEGUE_SOCK_CLOEXEC | CInt(O_NONBLOCK))
  }

  /// Ends the connection of the next client. Returns false if that did not work.
  private func turnAway(_ listener: any ClientListener) -> Bool {
    if reserve < 0 { reserve = Self.makeReserve() }
    guard reserve >= 0 else { return false }
    close(reserve)
    let descriptor = Self.accept(listener)
    if descriptor >= 0 { close(descriptor) }
    reserve = Self.makeReserve()
    return descriptor >= 0
  }

  /// False if there is nothing to read.
  @discardableResult
  private func read(_ id: ClientID) -> Bool {
    guard let descriptor = clients[id]?.descriptor else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 {
        clients[id]?.input += buffer[..<count]
      } else if count == 0 {
        // It may still wait for answers.
        clients[id]?.isInputOver = true
      } else if errno != EAGAIN, errno != EINTR {
        leave(id)
      }
      return count > 0
    }
  }

  /// A client has gone, maybe right after its last line.
  private func leave(_ id: ClientID) {
    guard limits.servesGoneClients, let client = clients[id], !client.isEnding else { return drop(id) }
    guard !client.isGone else { return }
    clients[id]?.isGone = true
    clients[id]?.output = []
    clients[id]?.sentCount = 0
    gone.append(id)
  }

  // MARK: Lines

  /// The next line of a client without its end (LF or CR LF); `nil` while there is none.
  ///
  /// A client that has sent its last line and got all answers is closed.
  ///
  /// - Parameter byteCount: So many bytes are wanted instead of a line.
  public func nextLine(of id: ClientID, byteCount: Int? = nil) -> [UInt8]? {
    while let place = clients.index(forKey: id), !clients.values[place].isEnding {
      let line = byteCount.map { clients.values[place].take($0) } ?? clients.values[place].takeLine()
      if let line { return line }
      let client = clients.values[place]
      if client.input.count >= limits.lineByteCount {
        drop(id)
      } else if client.isInputOver {
        end(id)
      } else if !client.isGone {
        return nil
      } else if !read(id) {
        // Nothing is left of what the system had kept.
        drop(id)
      }
    }
    return nil
  }

  // MARK: Answers

  /// Sends bytes, at once as far as the client takes them. Drops a client that has not read what it was sent before.
  public func send(_ bytes: [UInt8], to id: ClientID) {
    guard let client = clients[id], !client.isEnding, !client.isGone else { return }
    guard client.backlog <= limits.backlogByteCount else { return drop(id) }
    if client.backlog == 0 {
      clients[id]?.output = bytes
      clients[id]?.sentCount = 0
    } else {
      // A client that is always a little behind: what was sent must not pile up.
      if client.sentCount >= client.backlog {
        clients[id]?.output.removeFirst(client.sentCount)
        clients[id]?.sentCount = 0
      }
      clients[id]?.output += bytes
    }
    flush(id)
  }

  /// Bytes in memory for a client, and how many of them are not yet sent: for tests.
  func outputByteCounts(_ id: ClientID) -> (held: Int, unsent: Int) {
    clients[id].map { ($0.output.count, $0.backlog) } ?? (0, 0)
  }

  /// True if answers to a client wait to be sent: its next line can wait as well.
  public func hasBacklog(_ id: ClientID) -> Bool { clients[id].map { $0.backlog > 0 } ?? false }

  /// Ends the connection when everything has been sent.
  public func end(_ id: ClientID) {
    clients[id]?.isEnding = true
    flush(id)
  }

  /// Gives up the descriptor of a client, which is another server's from now on. What it has sent so far is lost.
  public func release(_ id: ClientID) -> CInt? {
    guard let client = clients.removeValue(forKey: id) else { return nil }
    order.removeAll { $0 == id }
    return client.descriptor
  }

  /// Serves the client of a descriptor, which another server has given up.
  public func adopt(_ descriptor: CInt) -> ClientID {
    defer { nextID += 1 }
    clients[nextID] = Client(descriptor: descriptor, listener: -1)
    order.append(nextID)
    return nextID
  }

  /// Sends what can be sent at once, and closes all connections and listeners.
  public func endAll() {
    listeners = []
    for id in order { end(id) }
    for id in order { drop(id) }
  }

  private func flush(_ id: ClientID) {
    while let client = clients[id], client.backlog > 0 {
      let count = client.output.withUnsafeBytes { bytes in
        Glibc.send(
          client.descriptor, bytes.baseAddress.map { $0 + client.sentCount }, client.backlog, CInt(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { leave(id) }
        return
      }
      clients[id]?.sentCount += count
    }
    clients[id]?.output = []
    clients[id]?.sentCount = 0
    if clients[id]?.isEnding == true { drop(id) }
  }

  private func drop(_ id: ClientID) {
    guard let client = clients.removeValue(forKey: id) else { return }
    close(client.descriptor)
    order.removeAll { $0 == id }
    closed.append(id)
  }
}
