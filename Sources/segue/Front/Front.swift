internal import AudioModel
internal import ByteIO
internal import Commands
internal import ControlSocket
internal import Desk
internal import Glibc
internal import Library
internal import NCursesTerminal
internal import Player
internal import RemoteProtocols
internal import Sandbox
internal import Threads

/// The process in the terminal, which the shell waits for; the player is another process (docs/decisions/0025). Performs
/// what `FrontMachine` decides. It has one thread and never enters the player's sandbox.
final class Front {
  private let link: PacketLink
  /// The player, if it is a child of this process.
  private let player: pid_t?
  /// Writes files for the player, if this process does so.
  private var service: OutsideService?
  private let signals: SignalDescriptor
  private var machine: FrontMachine
  /// A parent hands these to the player, which then leaves the terminal clean and a core file that is of use.
  private static let fatalSignals = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
  /// The modes of the terminal before the player can change them.
  private let modes: termios?
  /// The end of the player's start.
  private var quietEnd: MonotonicTime?

  private init(
    _ link: PacketLink, _ signals: SignalDescriptor, _ modes: termios?, player: pid_t?, service: OutsideService?
  ) {
    (self.link, self.signals, self.modes, self.player, self.service) = (link, signals, modes, player, service)
    machine = FrontMachine(fatalSignals: player == nil ? [] : Set(Self.fatalSignals))
    quietEnd = service.map { _ in .now + .milliseconds(Int64(OutsideService.quietTime)) }
  }

  // MARK: The two beginnings

  /// Stops a job in the background, which must not take the terminal from others, until it is in the foreground. The
  /// player could not: no terminal controls it.
  static func waitForForeground() {
    // A change of modes does it (termios(3)), even one that changes nothing.
    if var modes = presentModes { tcsetattr(STDOUT_FILENO, TCSANOW, &modes) }
  }

  private static var presentModes: termios? {
    var modes = termios()
    return tcgetattr(STDOUT_FILENO, &modes) == 0 ? modes : nil
  }

  /// Forks. Returns in the new process, which becomes the player, with its connection to this one; `nil` if the system
  /// refuses. The old process becomes the front, and serves requests for files.
  ///
  /// - Parameter makeService: Makes the two ends of the service.
  static func fork(
    _ makeService: () -> (OutsideProcess, OutsideService)?
  ) -> (PacketLink, OutsideProcess?)? {
    guard let (ours, players) = PacketLink.makePair() else { return nil }
    let ends = makeService()
    // Before there is a player: it may change the modes at once, and a signal must not end this process alone while the
    // player uses the terminal.
    let modes = presentModes
    let signals = makeSignals()
    signals.add(fatalSignals)
    let player = PlayerProcess.fork()
    if player <= 0 { signals.release() }
    if player == 0 {
      ends?.1.close()
      return (players, ends?.0)
    }
    guard player > 0 else { return nil }
    ends?.0.close()
    players.close()
    Front(ours, signals, modes, player: player, service: ends?.1).run()
  }

  /// Offers this terminal to a player that has none, and runs until it leaves. Returns if there is no such player.
  static func takeOver(in folder: BytePath?) {
    guard let folder, let link = connect(in: folder), let descriptors = TerminalHandle().makeDescriptors() else {
      return
    }
    let front = Front(link, makeSignals(), presentModes, player: nil, service: nil)
    link.send(FrontMessage.offer(variables: TerminalHandle.makeVariables()).words, descriptors)
    close(descriptors[2])
    let patience = PlayerPatience()
    while true {
      var polled = [link.descriptor, front.signals.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let isOver = poll(&polled, 2, 1000) == 0 && patience.isOver(at: link.descriptor)
      switch link.receive() {
      case .message(let words, _):
        front.take(words)
        front.run()
      // It ended, or has another terminal by now.
      case .closed: return front.signals.release()
      case .nothing: front.takeSignals()
      }
      if isOver {
        let process = link.peer.map { " (process \($0.process))" } ?? ""
        let problem = "the player that runs without a terminal\(process) does not answer: it may be suspended"
        segue.report("terminal", problem)
        PlayerProcess.exit(1)
      }
    }
  }

  private static func makeSignals() -> SignalDescriptor {
    let signals = SignalDescriptor()
    signals.add([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH, SIGUSR1, SIGUSR2])
    return signals
  }

  private static func connect(in folder: BytePath) -> PacketLink? {
    let name = TerminalDoor.socketName
    if let link = PacketLink.connect(to: folder.appending(BytePath(name))) { return link }
    for item in FolderContents(reading: folder, playableExtensions: []).items
    where item.path.lastComponent.bytes.starts(with: (name + ".").utf8) {
      if let link = PacketLink.connect(to: item.path) { return link }
    }
    return nil
  }

  // MARK: The loop

  private func run() -> Never {
    // A signal to all processes named segue is for players.
    PlayerProcess.rename("segue-front")
    // Standard input may be music, whose writer must notice the end of the player.
    if player != nil { StandardDescriptors.close { $0 == STDIN_FILENO && isatty($0) == 0 } }
    while true {
      var polled = [link.descriptor, service?.descriptor ?? -1, signals.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let count = poll(&polled, nfds_t(polled.count), quietEnd?.pollTimeout ?? (machine.mustLook ? 1000 : -1))
      if let end = quietEnd, end <= .now || polled[1].revents != 0 {
        quietEnd = nil
        OutsideService.enterSandbox(continues: true)
        StartMemory.releaseCode()
      }
      if polled[1].revents != 0, service?.answer() == false { service = nil }
      // The player's word first: it decides what a signal means.
      if polled[0].revents != 0 { receive() }
      if polled[2].revents != 0 { takeSignals() }
      if count == 0, machine.mustLook { handle(.looked(inForeground: isInForeground)) }
    }
  }

  private func receive() {
    while true {
      switch link.receive() {
      case .message(let words, let descriptors):
        for descriptor in descriptors { close(descriptor) }
        take(words)
      case .nothing: return
      case .closed: return handle(.lost)
      }
    }
  }

  private func take(_ words: [String]) { if let order = FrontOrder(words: words) { handle(.order(order)) } }

  private func takeSignals() {
    while let signal = signals.next() {
      switch signal {
      case SIGCONT: handle(.continued(inForeground: isInForeground))
      case SIGTSTP where machine.isStarting: perform(.stop)
      default: handle(.signal(signal))
      }
    }
  }

  /// True also where there is no job control.
  private var isInForeground: Bool {
    let group = tcgetpgrp(STDOUT_FILENO)
    return group < 0 || group == getpgrp()
  }

  // MARK: Effects

  private func handle(_ event: FrontMachine.Event) {
    for effect in machine.handle(event) { perform(effect) }
  }

  private func perform(_ effect: FrontMachine.Effect) {
    switch effect {
    case .send(let message): link.send(message.words)
    case .signalPlayer(let number):
      // A player of another terminal has not begun to use this one.
      if let player { kill(player, number) } else { signals.raiseByDefault(number) }
    case .stop:
      signals.stop()
      handle(.continued(inForeground: isInForeground))
    case .say(let sentence): try? FileWriter(descriptor: STDOUT_FILENO).write(Array((sentence.printable + "\n").utf8))
    case .complain(let problem): segue.report("terminal", problem)
    case .restoreTerminal: restoreTerminal()
    case .end(let status, let playerRunsOn):
      if playerRunsOn {
        service?.continueInCopy()
      } else if let player {
        waitpid(player, nil, 0)
      }
      PlayerProcess.exit(status)
    case .endLikePlayer: endLikePlayer()
    }
  }

  /// Restores the terminal unless the player, or another job, has it in order.
  private func restoreTerminal() {
    guard var modes, isInForeground, let present = Self.presentModes, present.c_lflag != modes.c_lflag else { return }
    try? FileWriter(descriptor: STDOUT_FILENO).write(NCursesTerminal.farewell)
    tcsetattr(STDOUT_FILENO, TCSANOW, &modes)
  }

  private func endLikePlayer() -> Never {
    guard let player else {
      segue.report("terminal", "the player has ended unexpectedly")
      PlayerProcess.exit(1)
    }
    var status: CInt = 0
    // A player that lost its terminal may play on; its files are written here then.
    while waitpid(player, &status, WNOHANG) == 0 {
      var polled = pollfd(fd: service?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
      if poll(&polled, 1, service == nil ? 50 : 1000) > 0, service?.answer() == false { service = nil }
    }
    let signal = status & 0x7f
    if signal != 0 {
      // The player has written the core file.
      var noCore = rlimit()
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
      signals.raiseByDefault(signal)
    }
    PlayerProcess.exit(status >> 8 & 0xff)
  }
}
