internal import AudioModel
internal import ByteIO
internal import ControlSocket
internal import Glibc
internal import NCursesTerminal
internal import RemoteProtocols
internal import Sandbox
internal import Threads

/// The player's side of its terminal: the connection to the front there or, without a terminal, a socket on which another
/// front can offer one. Main thread.
final class TerminalDoor {
  /// The name of the socket in the folder of sockets. It exists while the player has no terminal.
  static let socketName = "terminal"
  private static let offerLimit = 8

  enum Event {
    /// A message of the front.
    case signal(CInt), continued(inForeground: Bool)
    case lost
    /// A front offers a terminal: call `accept` or `refuse`.
    case offered(TerminalHandle)
  }

  private let folder: BytePath?
  private var front: PacketLink?
  /// The descriptor of the front's `/proc/PID/stat`; -1 without one.
  private var frontState: CInt = -1
  /// The time at which `isFrontStopped` read it last.
  private var lookedAt = MonotonicTime.zero
  private var listener: LocalListener?
  /// Fronts that have not offered anything yet.
  private var offers: [PacketLink] = []
  private var offering: PacketLink?

  /// - Parameters:
  ///   - folder: The folder of sockets.
  ///   - front: The front that the player has from its start.
  init(folder: BytePath?, front: PacketLink?) {
    self.folder = folder
    if let front { use(front) }
  }

  deinit { if frontState >= 0 { close(frontState) } }

  /// True if the player has a terminal, whose front waits.
  var hasFront: Bool { front != nil }

  // MARK: The loop

  /// The descriptors to poll; `handle` takes the results.
  func makePolled() -> [pollfd] {
    ([front?.descriptor ?? listener?.descriptor ?? -1] + offers.map(\.descriptor)).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
  }

  /// Reads messages as `poll` allows.
  func handle(_ results: some Collection<pollfd>) -> [Event] {
    guard results.contains(where: { $0.revents != 0 }) else { return [] }
    let ready = Set(results.filter { $0.revents != 0 }.map(\.fd))
    var events: [Event] = []
    if let front, ready.contains(front.descriptor) { events += messages(of: front) }
    for link in offers where ready.contains(link.descriptor) {
      offers.removeAll { $0 === link }
      if let handle = offer(of: link) {
        offering = link
        events.append(.offered(handle))
      }
    }
    if let listener, ready.contains(listener.descriptor), let link = PacketLink.accept(from: listener) {
      offers = offers.suffix(Self.offerLimit - 1) + [link]
    }
    return events
  }

  private func messages(of front: PacketLink) -> [Event] {
    var events: [Event] = []
    while true {
      switch front.receive() {
      case .message(let words, let descriptors):
        for descriptor in descriptors { close(descriptor) }
        switch FrontMessage(words: words) {
        case .signal(let number): events.append(.signal(number))
        case .continued(let inForeground): events.append(.continued(inForeground: inForeground))
        case .offer, nil: break
        }
      case .nothing: return events
      case .closed: return events + [.lost]
      }
    }
  }

  private func offer(of link: PacketLink) -> TerminalHandle? {
    guard case .message(let words, let descriptors) = link.receive() else { return nil }
    if case .offer(let variables) = FrontMessage(words: words),
      let handle = TerminalHandle(descriptors: descriptors, variables: variables),
      // A front that has given up this player has left its terminal to the shell.
      case .nothing = link.receive()
    {
      return handle
    }
    for descriptor in descriptors { close(descriptor) }
    return nil
  }

  // MARK: Terminals

  /// Takes the terminal that was offered. No other one can be offered until `leave`.
  func accept() {
    guard let link = offering else { return }
    (offering, offers, listener) = (nil, [], nil)
    use(link)
    order(.ready)
  }

  func refuse(_ reason: String) {
    offering?.send(FrontOrder.refused(reason).words)
    offering = nil
  }

  /// Waits for a terminal from now on. Returns the reason if it cannot.
  func open() -> String? {
    guard listener == nil else { return nil }
    guard let folder else { return "XDG_RUNTIME_DIR is not set: no terminal could return to the player" }
    do throws(ByteIOError) {
      listener = try LocalListener.open(Self.socketName, in: folder, kind: .packets)
      return nil
    } catch { return "no terminal could return to the player: \(folder): \(error)" }
  }

  /// Takes over the signals that the front gets, which ended both processes until now.
  func takeSignals() {
    PlayerProcess.outliveParent()
    order(.ready)
  }

  /// Lets the front leave its terminal to the shell. Call after `open`.
  func leave(_ sentence: String) {
    PlayerProcess.outliveParent()
    order(.leave(sentence))
    front = nil
  }

  func order(_ order: FrontOrder) { front?.send(order.words) }

  private func use(_ link: PacketLink) {
    front = link
    if frontState >= 0 { close(frontState) }
    frontState = link.peer.map { Glibc.open("/proc/\($0.process)/stat", O_RDONLY | O_CLOEXEC) } ?? -1
  }

  /// True if the front was stopped from outside (SIGSTOP), so that its terminal belongs to the shell.
  ///
  /// - Parameter span: An answer that is no older than this will do: the system takes as long for it as a frame of the
  ///   spectrum takes.
  func isFrontStopped(within span: TimeSpan = .zero) -> Bool {
    guard front != nil, frontState >= 0 else { return false }
    let now = MonotonicTime.now
    guard span == .zero || now >= lookedAt + span else { return false }
    lookedAt = now
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      let count = pread(frontState, buffer.baseAddress, buffer.count, 0)
      // proc(5): the number, the name in parentheses, the state.
      let end = buffer[..<max(0, count)].lastIndex(of: UInt8(ascii: ")"))
      return end.map { $0 + 2 < count && buffer[$0 + 2] == UInt8(ascii: "T") } ?? false
    }
  }
}
