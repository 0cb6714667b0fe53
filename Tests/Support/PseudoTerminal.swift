internal import CGlibcExtras
internal import Glibc
internal import Synchronization
internal import Threads

/// A pseudo-terminal, of which every byte is seen. `ChildProcess` runs a program on it.
public final class PseudoTerminal: Sendable {
  /// The device that a program opens.
  public let path: String
  /// The terminal's input modes before any program started.
  public let initialModes: [UInt32]

  private let master: Int32
  private let store = Store()
  private let thread: WorkerThread

  private final class Store: Sendable {
    let bytes = Mutex<[UInt8]>([])
    let isHungUp = Mutex(false)
    let isStopped = Mutex(false)
  }

  /// A terminal of that size.
  ///
  /// - Parameter cellSize: The size of a cell that it reports, in pixels; none if it is 0.
  public init(columns: Int = 80, rows: Int = 24, cellSize: (width: Int, height: Int) = (0, 0)) throws {
    let master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    var name = [CChar](repeating: 0, count: 64)
    guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, ptsname_r(master, &name, name.count) == 0 else {
      throw ChildProcess.Failure("pseudo-terminal", errno)
    }
    self.master = master
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    initialModes = modes(of: master)
    thread = WorkerThread(named: "terminal") { [store] in
      var buffer = [UInt8](repeating: 0, count: 65536)
      while !store.isHungUp.withLock({ $0 }) {
        guard !store.isStopped.withLock({ $0 }) else {
          usleep(5000)
          continue
        }
        // With a time limit: a terminal that is being read cannot be hung up.
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 20) > 0 else { continue }
        let count = read(master, &buffer, buffer.count)
        if count > 0 { store.bytes.withLock { $0 += buffer[..<count] } } else { usleep(5000) }  // Closed.
      }
    }
    resize(columns: columns, rows: rows, cellSize: cellSize)
  }

  deinit { hangUp() }

  /// All that has been written to it.
  public var bytes: [UInt8] { store.bytes.withLock { $0 } }

  /// The same as text.
  public var output: String { String(decoding: bytes, as: UTF8.self) }

  /// Types.
  public func send(_ text: String) { send(Array(text.utf8)) }

  /// Types bytes.
  public func send(_ bytes: [UInt8]) { _ = write(master, bytes, bytes.count) }

  /// Gives it another size.
  public func resize(columns: Int, rows: Int, cellSize: (width: Int, height: Int) = (0, 0)) {
    var window = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: UInt16(columns * cellSize.width),
      ws_ypixel: UInt16(rows * cellSize.height))
    _ = ioctl(master, UInt(TIOCSWINSZ), &window)
  }

  /// The terminal's current input modes.
  public var currentModes: [UInt32] { modes(of: master) }

  /// From now on it takes no more bytes than it has room for, or takes them again.
  public func stop(_ isStopped: Bool = true) { store.isStopped.withLock { $0 = isStopped } }

  /// True if it has no room for more.
  public var isFull: Bool {
    let writer = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    defer { close(writer) }
    var request = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, 0) == 0
  }

  /// Takes it away.
  public func hangUp() {
    let wasHungUp = store.isHungUp.withLock { isHungUp in
      defer { isHungUp = true }
      return isHungUp
    }
    guard !wasHungUp else { return }
    thread.join()
    close(master)
  }
}

private func modes(of terminal: Int32) -> [UInt32] {
  var modes = termios()
  tcgetattr(terminal, &modes)
  return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
}
