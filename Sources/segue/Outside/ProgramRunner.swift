internal import AudioModel
internal import ByteIO
internal import CGlibcExtras
internal import Commands
internal import ControlSocket
internal import Desk
internal import Glibc
internal import Sandbox
internal import Threads

/// The process that runs the programs of the settings (docs/decisions/0059). It knows them from before the sandbox: no
/// request names a program. It has one thread, and ends after the player.
final class ProgramRunner {
  /// A program that waits or runs.
  private struct Job {
    let request: ProgramRequest
    /// The ends of pipes for the answer of a resolver and for its errors, until it is started.
    var pipes: [CInt] = []
    var process: pid_t = 0
    /// The output of the program of an event, and its beginning.
    var output: CInt = -1
    var text: [UInt8] = []
    var isTerminated = false
  }

  private static let textLimit = 4096
  /// The time for all programs after the player's end.
  private static let closingTime = TimeSpan.seconds(12)

  private let programs: ProgramSettings
  private let link: PacketLink
  private let signals = SignalDescriptor()
  private var eventSlots = ProgramSlots(patience: .seconds(10))
  private var resolverSlots = ProgramSlots(patience: .seconds(30))
  private var jobs: [Int: Job] = [:]
  private var lastID = 0
  /// The time to end at the latest; set when the player has ended.
  private var end: MonotonicTime?

  private init(_ programs: ProgramSettings, _ link: PacketLink) {
    (self.programs, self.link) = (programs, link)
    // Ignored, it would not tell of the end of a program.
    signal(SIGCHLD, SIG_DFL)
    signals.add([SIGCHLD])
  }

  /// Forks; the process must have only one thread. Returns the connection to the new process; `nil` if the settings name
  /// no program, or the system refuses.
  static func fork(_ programs: ProgramSettings) -> PacketLink? {
    guard programs != ProgramSettings(), let (players, ours) = PacketLink.makePair() else { return nil }
    let child = PlayerProcess.forkHelper("segue-run")
    guard child == 0 else {
      ours.close()
      return child > 0 ? players : nil
    }
    players.close()
    StandardDescriptors.closeOthers(but: ours.descriptor)
    StartMemory.releaseCode()
    // The service is the player.
    unsetenv("NOTIFY_SOCKET")
    ProgramRunner(programs, ours).run()
  }

  private func run() -> Never {
    while end.map({ $0 > .now && !jobs.isEmpty }) ?? true {
      let outputs = jobs.filter { $0.value.output >= 0 }.map { ($0.key, $0.value.output) }
      var polled = ([end == nil ? link.descriptor : -1, signals.descriptor] + outputs.map(\.1)).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let deadline = [eventSlots.deadline, resolverSlots.deadline, end].compactMap(\.self).min()
      poll(&polled, nfds_t(polled.count), deadline?.pollTimeout ?? -1)
      for (index, output) in outputs.enumerated() where polled[index + 2].revents != 0 { readOutput(of: output.0) }
      if polled[1].revents != 0 { reap() }
      if polled[0].revents != 0 { receive() }
      perform(eventSlots.end(at: .now) + resolverSlots.end(at: .now))
    }
    for job in jobs.values where job.process > 0 { kill(-job.process, SIGKILL) }
    PlayerProcess.exit(0)
  }

  // MARK: Requests

  private func receive() {
    while true {
      switch link.receive() {
      case .message(let words, let descriptors):
        if let request = ProgramRequest(words: words, pipes: descriptors) {
          lastID += 1
          jobs[lastID] = Job(request: request, pipes: descriptors)
          perform(request.isEvent ? eventSlots.add(lastID, at: .now) : resolverSlots.add(lastID, at: .now))
        } else {
          for descriptor in descriptors { close(descriptor) }
        }
      case .nothing: return
      case .closed:
        end = .now + Self.closingTime
        return
      }
    }
  }

  private func perform(_ effects: [ProgramSlots.Effect]) {
    for effect in effects {
      switch effect {
      case .start(let id): start(id)
      case .drop(let id):
        guard let job = jobs.removeValue(forKey: id) else { break }
        for pipe in job.pipes { close(pipe) }
        if let name = programs.onEvent?.name, job.request.isEvent { tell(.failure("\(name): an event was left out")) }
      case .terminate(let id):
        jobs[id]?.isTerminated = true
        if let process = jobs[id]?.process { kill(-process, SIGTERM) }
      case .kill(let id): if let process = jobs[id]?.process { kill(-process, SIGKILL) }
      }
    }
  }

  private func tell(_ report: ProgramReport) { link.send(report.words) }

  // MARK: Programs

  private func start(_ id: Int) {
    guard let job = jobs[id] else { return }
    jobs[id]?.pipes = []
    switch job.request {
    case .event(let text):
      guard let program = programs.onEvent, let input = Pipe(), let output = Pipe() else { return forget(id) }
      defer { for descriptor in [input.read, output.write] { close(descriptor) } }
      // A message of a socket fits into a pipe that nobody reads.
      let line = Array("\(text)\n".utf8)
      _ = write(input.write, line, line.count)
      close(input.write)
      let failure = spawn(program, id, input: input.read, output: output.write, errors: output.write)
      if failure == 0 {
        _ = fcntl(output.read, F_SETFL, O_NONBLOCK)
        jobs[id]?.output = output.read
      } else {
        close(output.read)
        tell(.failure("\(program.name): \(Self.problem(failure))"))
        forget(id)
      }
    case .resolve(let address):
      defer { for pipe in job.pipes { close(pipe) } }
      // Without a reader, nobody waits any more.
      var answer = pollfd(fd: job.pipes[0], events: 0, revents: 0)
      guard let program = programs.resolver?.program(for: address), poll(&answer, 1, 0) == 0 else { return forget(id) }
      let failure = spawn(
        program, id, more: [address.description], input: STDIN_FILENO, output: job.pipes[0], errors: job.pipes[1])
      guard failure != 0 else { return }
      try? FileWriter(descriptor: job.pipes[1]).write(Array(Self.problem(failure).utf8))
      forget(id)
    }
  }

  private static func problem(_ number: CInt) -> String {
    "it cannot be started: \(ByteIOError(operation: "start", errno: number).reason)"
  }

  private func forget(_ id: Int) {
    guard let job = jobs.removeValue(forKey: id) else { return }
    perform(job.request.isEvent ? eventSlots.remove(id, at: .now) : resolverSlots.remove(id, at: .now))
  }

  /// Starts a program in a session of its own, so that those that it starts get its signals, too. Returns the error, or 0.
  private func spawn(
    _ program: ProgramLine, _ id: Int, more: [String] = [], input: CInt, output: CInt, errors: CInt
  ) -> CInt {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, number) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var set = sigset_t()
    sigemptyset(&set)
    posix_spawnattr_setsigmask(&attributes, &set)
    // The player ignores it.
    sigaddset(&set, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &set)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | SEGUE_POSIX_SPAWN_SETSID)
    let file = UserFolders().expanded(BytePath(program.words[0])).description
    var words = ([file] + program.words.dropFirst() + more).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, file, &actions, &attributes, &words, segue_environment())
    if failure == 0 { jobs[id]?.process = process }
    return failure
  }

  private func reap() {
    while signals.next() != nil {}
    for (id, job) in jobs where job.process > 0 {
      var status: CInt = 0
      if waitpid(job.process, &status, WNOHANG) == job.process { finish(id, status) }
    }
  }

  private func finish(_ id: Int, _ status: CInt) {
    readOutput(of: id)
    guard let job = jobs[id] else { return }
    if job.output >= 0 { close(job.output) }
    if job.request.isEvent, let name = programs.onEvent?.name {
      for line in String(decoding: job.text, as: UTF8.self).split(whereSeparator: \.isNewline) {
        tell(.log("\(name): \(line)"))
      }
      if job.isTerminated {
        tell(.failure("\(name) has not ended in 10 seconds"))
      } else if status != 0 {
        tell(.failure("\(name) failed (\(status & 0x7f == 0 ? "status \(status >> 8)" : "signal \(status & 0x7f)"))"))
      }
    }
    forget(id)
  }

  private func readOutput(of id: Int) {
    guard let output = jobs[id]?.output, output >= 0 else { return }
    var window = [UInt8](repeating: 0, count: Self.textLimit)
    // Not for ever: others wait.
    for _ in 0..<16 {
      let count = read(output, &window, window.count)
      if count == 0 {
        close(output)
        jobs[id]?.output = -1
      }
      guard count > 0 else { return }
      let text = (jobs[id]?.text ?? []) + window[..<count]
      jobs[id]?.text = Array(text.prefix(Self.textLimit))
    }
  }
}

extension ProgramLine {
  /// The name of the program, for sentences.
  var name: String { words.first.map { BytePath($0).lastComponent.description } ?? "" }
}
