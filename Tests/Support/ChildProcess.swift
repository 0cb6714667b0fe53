internal import CGlibcExtras
internal import Glibc
internal import Synchronization

/// A program that a test runs.
public final class ChildProcess: Sendable {
  /// The destination of its standard output.
  public enum Output: Sendable {
    case nowhere
    case collected
    case file(String)
    /// The program has a session of its own on this terminal, which is its standard input, too.
    case terminal(PseudoTerminal)
  }

  /// Its process number.
  public let id: Int32
  private let descriptor: Int32
  private let ending = Mutex<Int32?>(nil)

  /// Starts `arguments[0]`, found in PATH, with our environment changed by `environment` (nil unsets). Its standard
  /// error goes to the file `errors`.
  public convenience init(
    _ arguments: [String], environment: [String: String?] = [:], output: Output = .nowhere,
    errors: String = "/dev/null"
  ) throws {
    try self.init(arguments.map { Array($0.utf8) }, environment: environment, output: output, errors: errors)
  }

  /// The same with arguments as the kernel hands them over.
  public init(
    _ arguments: [[UInt8]], environment: [String: String?] = [:], output: Output = .nowhere,
    errors: String = "/dev/null"
  ) throws {
    var ends: [Int32] = [-1, -1]
    // At once: a child that another thread starts meanwhile would hold the pipe open.
    if case .collected = output, pipe2(&ends, O_CLOEXEC) != 0 { throw Failure("pipe", errno) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    switch output {
    case .nowhere:
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    case .collected:
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    case .file(let path):
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT, 0o600)
    case .terminal(let terminal):
      flags |= SEGUE_POSIX_SPAWN_SETSID
      posix_spawn_file_actions_addopen(&actions, 0, terminal.path, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
    }
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // Test threads block signals; a child that inherits that cannot be asked to end.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // A shell has what it starts in the background ignore these, and so would the child.
    var defaults = none
    for signal in [SIGHUP, SIGINT, SIGQUIT] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, flags)
    var environment = environment
    for entry in ProcessEnvironment.all where environment[entry.name] == nil {
      environment.updateValue(entry.value, forKey: entry.name)
    }
    var argv = arguments.map { strdup($0.map { CChar(bitPattern: $0) } + [0]) } + [nil]
    var envp = environment.compactMap { name, value in value.map { strdup("\(name)=\($0)") } } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var id: pid_t = 0
    guard let program = argv[0] else { throw Failure("no program", EINVAL) }
    let failure = posix_spawnp(&id, program, &actions, &attributes, &argv, &envp)
    if ends[1] >= 0 { close(ends[1]) }
    guard failure == 0 else {
      if ends[0] >= 0 { close(ends[0]) }
      throw Failure(String(cString: program), failure)
    }
    self.id = id
    descriptor = ends[0]
  }

  deinit {
    end(atOnce: true)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Reads more of its output; empty at its end. One that writes nothing and does not end is killed after `seconds`, so
  /// that a test fails instead of hanging.
  public func read(seconds: Double = 600) -> [UInt8] {
    guard descriptor >= 0 else { return [] }
    let isReady = waitUntil(seconds: seconds) {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&request, 1, 100) > 0
    }
    guard isReady else {
      signal(SIGKILL)
      return []
    }
    return [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      repeat { count = Glibc.read(descriptor, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
      count = max(0, count)
    }
  }

  /// Reads more of its output until that contains a text; false if it never does.
  public func reads(_ text: String) -> Bool {
    var bytes: [UInt8] = []
    while !String(decoding: bytes, as: UTF8.self).contains(text) {
      let more = read()
      guard !more.isEmpty else { return false }
      bytes += more
    }
    return true
  }

  /// Sends it a signal.
  public func signal(_ number: Int32) { ending.withLock { if $0 == nil { kill(id, number) } } }

  /// Sends a signal to a thread of that name. False if there is none.
  public func signal(_ number: Int32, thread name: String) -> Bool {
    let files = (try? Self.output(of: ["grep", "-rlx", "--include=comm", name, "/proc/\(id)/task"])) ?? ""
    guard let thread = files.split(separator: "/").dropFirst(3).first.flatMap({ Int32($0) }),
      let tgkill = dlsym(nil, "tgkill")
    else { return false }
    let send = unsafeBitCast(tgkill, to: (@convention(c) (Int32, Int32, Int32) -> Int32).self)
    return ending.withLock { $0 == nil && send(id, thread, number) == 0 }
  }

  /// Asks it to end (SIGTERM), or makes it (SIGKILL), and waits until it has.
  public func end(atOnce: Bool = false) {
    signal(atOnce ? SIGKILL : SIGTERM)
    _ = wait()
  }

  /// True if it has ended.
  public var isOver: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT | WNOHANG) < 0 || information.si_signo == SIGCHLD
  }

  /// Waits for its end; its exit status, or minus the number of the signal that ended it. One that does not end is
  /// killed after `seconds`, so that a test fails instead of hanging.
  @discardableResult
  public func wait(seconds: Double = patience) -> Int32 {
    if !waitUntil(seconds: seconds, { isOver }) { signal(SIGKILL) }
    // Only the end is waited for outside the lock; the number stays ours until it is reaped, so `signal` hits no other.
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    return ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      waitpid(id, &status, 0)
      let end = status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
      ending = end
      return end
    }
  }

  /// Runs a program to its end. Returns its output.
  public static func output(of arguments: [String], environment: [String: String?] = [:]) throws -> String {
    String(decoding: try bytes(of: arguments, environment: environment), as: UTF8.self)
  }

  /// The same, as bytes.
  public static func bytes(of arguments: [String], environment: [String: String?] = [:]) throws -> [UInt8] {
    let child = try ChildProcess(arguments, environment: environment, output: .collected)
    var bytes: [UInt8] = []
    while case let more = child.read(), !more.isEmpty { bytes += more }
    _ = child.wait()
    return bytes
  }

  /// The state of a process (proc(5)), such as `T` for a stopped one and `Z` for one that has ended; `nil` for none.
  public static func state(of id: Int32) -> Character? {
    String(decoding: contents(of: "/proc/\(id)/stat"), as: UTF8.self).split(separator: ")").last?.first { $0 != " " }
  }

  /// The path of a program that was built along with the tests.
  public static func product(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/" + name
  }

  /// An error of the system.
  public struct Failure: Error, CustomStringConvertible {
    /// The operation, and the system's reason.
    public let description: String
    init(_ what: String, _ number: Int32) { description = "\(what): \(String(cString: strerror(number)))" }
  }
}

private enum ProcessEnvironment {
  static var all: [(name: String, value: String?)] {
    var entries: [(String, String?)] = []
    var next = segue_environment()
    while let pointer = next?.pointee {
      let entry = String(cString: pointer)
      if let sign = entry.firstIndex(of: "=") {
        entries.append((String(entry[..<sign]), String(entry[entry.index(after: sign)...])))
      }
      next = next?.successor()
    }
    return entries
  }
}
