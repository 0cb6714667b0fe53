import Glibc

// What `Glibc` leaves out of <termios.h> and <spawn.h>.
private let getNumber: UInt = 0x8004_5430  // TIOCGPTN
private let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
private let inSessionOfItsOwn: CShort = 0x80  // POSIX_SPAWN_SETSID

/// `TerminalProbe` on a pseudo-terminal of its own, of which every byte is seen.
final class PseudoTerminal {
  let process: pid_t
  /// All that has been written to the terminal.
  private(set) var output = ""
  /// What the screen asked its root to do, a line each.
  private(set) var commands = ""
  /// How the terminal treated what is typed before the probe came.
  private(set) var initialModes: [UInt32] = []
  private var master: CInt
  private let commandPipe: CInt
  private var status: CInt?

  init(columns: Int = 80, rows: Int = 24, environment: [String] = []) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var number: CInt = 0
    guard master >= 0, ioctl(master, setLock, &number) == 0, ioctl(master, getNumber, &number) == 0 else {
      throw Failure(what: "no pseudo-terminal")
    }
    var descriptors: [CInt] = [-1, -1]
    guard pipe(&descriptors) == 0 else { throw Failure(what: "no pipe") }
    commandPipe = descriptors[0]
    var window = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &window)

    initialModes = modes(of: master)

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, descriptors[1], 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The threads that run tests block signals; a child must not inherit that.
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, inSessionOfItsOwn | CShort(POSIX_SPAWN_SETSIGMASK))
    let variables = environment + ["TERM=xterm-256color", "LC_ALL=C.UTF-8"]
    // Of two entries for one name the first counts.
    process = try spawn([probePath], variables, &actions, &attributes)
    close(descriptors[1])
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    if master >= 0 { close(master) }
    close(commandPipe)
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) { _ = write(master, bytes, bytes.count) }

  func signal(_ number: CInt) { kill(process, number) }

  func resize(columns: Int, rows: Int) {
    var window = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &window)
  }

  func hangUp() {
    close(master)
    master = -1
  }

  /// How the terminal treats what is typed.
  var currentModes: [UInt32] { modes(of: master) }

  /// Reads until `condition` holds; whether it does before ten seconds are over.
  func read(until condition: (PseudoTerminal) -> Bool) -> Bool {
    for _ in 0..<1000 {
      if condition(self) { return true }
      readOnce(milliseconds: 10)
    }
    return condition(self)
  }

  /// Forgets what has been written, then reads for so long whatever comes.
  func read(milliseconds: Int) -> String {
    output = ""
    for _ in 0..<(milliseconds / 10) { readOnce(milliseconds: 10) }
    return output
  }

  private func readOnce(milliseconds: CInt) {
    var requests = [
      pollfd(fd: master, events: CShort(POLLIN), revents: 0),
      pollfd(fd: commandPipe, events: CShort(POLLIN), revents: 0),
    ]
    guard poll(&requests, 2, milliseconds) > 0 else { return }
    if requests[0].revents & CShort(POLLIN) != 0 { output += chunk(from: master) }
    if requests[1].revents & CShort(POLLIN) != 0 { commands += chunk(from: commandPipe) }
    // A terminal that nobody holds any more is always ready.
    if requests.allSatisfy({ $0.revents & CShort(POLLIN) == 0 }) { usleep(useconds_t(milliseconds) * 1000) }
  }

  /// The status of the process, once it has ended; `nil` after ten seconds.
  func waitForExit() -> CInt? {
    _ = read { terminal in
      var status: CInt = 0
      if terminal.status == nil, waitpid(terminal.process, &status, WNOHANG) == terminal.process {
        terminal.status = status
      }
      return terminal.status != nil
    }
    for _ in 0..<10 { readOnce(milliseconds: 1) }
    return status
  }
}

private func modes(of terminal: CInt) -> [UInt32] {
  var modes = termios()
  tcgetattr(terminal, &modes)
  return [modes.c_iflag, modes.c_oflag, modes.c_lflag]
}

struct Failure: Error { var what: String }

/// The probe lies beside the tests.
let probePath: String = {
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = readlink("/proc/self/exe", &buffer, buffer.count)
  let own = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/TerminalProbe"
}()

func chunk(from descriptor: CInt) -> String {
  var buffer = [UInt8](repeating: 0, count: 65536)
  let count = read(descriptor, &buffer, buffer.count)
  return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
}

/// Starts a program with these variables before those that we have.
func spawn(
  _ arguments: [String], _ variables: [String], _ actions: inout posix_spawn_file_actions_t,
  _ attributes: inout posix_spawnattr_t
) throws -> pid_t {
  let argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  let names = Set(variables.map { $0.prefix { $0 != "=" } })
  var inherited: [String] = []
  for name in ["PATH", "HOME", "LD_LIBRARY_PATH", "TERMINFO"] where !names.contains(Substring(name)) {
    if let value = getenv(name) { inherited.append("\(name)=" + String(cString: value)) }
  }
  var seen: Set<Substring> = []
  let unique = variables.filter { seen.insert($0.prefix { $0 != "=" }).inserted }
  let envp: [UnsafeMutablePointer<CChar>?] = (unique + inherited).map { strdup($0) } + [nil]
  defer { for pointer in argv + envp where pointer != nil { free(pointer) } }
  var process: pid_t = 0
  guard let path = argv[0], posix_spawnp(&process, path, &actions, &attributes, argv, envp) == 0 else {
    throw Failure(what: "cannot start \(arguments)")
  }
  return process
}
