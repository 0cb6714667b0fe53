internal import AudioModel
internal import AudioSession
internal import Commands
internal import Glibc
internal import NCursesTerminal
internal import Playback
internal import Player
internal import Remote
internal import RemoteProtocols
internal import Threads

/// The one `poll` of the main thread: keys, signals, the bell of the engine, and a timeout at the next visible change.
struct PlayerLoop {
  /// The things besides session and clients that the loop listens to.
  struct Inputs {
    let signals = SignalDescriptor()
    let bell = WakeDescriptor()
    /// Events on standard output end the program with their reader.
    var events: EventWriter?
    var programs: Programs?
    /// The process in the terminal, if the player is another one.
    var door: TerminalDoor?
  }

  /// The first descriptors of each poll, in this order; those of the door and of clients follow.
  private enum Polled: Int, CaseIterable { case signals, bell, keys, settings, output, alarm, programs }

  let session: PlayerSession
  let face: any Face
  let inputs: Inputs
  var watch: (descriptor: CInt, heard: () -> Void)?
  let remote: RemoteControl
  /// Called once, after the first picture: does what it need not wait for.
  var begin: () -> Void = {}
  /// Called once per turn, after all events were handled.
  var turn: (PlayerLoop) -> Void = { _ in }
  /// Called at the end of the terminal, or only of the front there; ends the session unless it is set.
  var hangUp: ((_ isFrontOnly: Bool) -> Void)?
  /// Called with a terminal that is offered to a player without one.
  var takeTerminal: (TerminalHandle) -> Void = { _ in }

  func run() -> PlayerSession.Ending {
    let alarm = AlarmDescriptor()
    var memoryRelease: MonotonicTime? = .now + Self.startTime
    var hasSaidWaiting = false
    defer { remote.close() }
    draw()
    begin()
    while true {
      draw()
      if let ending = session.ending { return ending }
      alarm.set(session.alarmTime)
      var watched = Polled.allCases.map { polled in
        let descriptor =
          switch polled {
          case .signals: inputs.signals.descriptor
          case .bell: inputs.bell.descriptor
          case .keys: face.inputDescriptor ?? -1
          case .settings: watch?.descriptor ?? -1
          case .output: face.outputDescriptor ?? -1
          case .alarm: alarm.descriptor
          case .programs: inputs.programs?.descriptor ?? -1
          }
        return pollfd(fd: descriptor, events: Int16(polled == .output ? POLLOUT : POLLIN), revents: 0)
      }
      func events(_ polled: Polled) -> Int16 { watched[polled.rawValue].revents }
      let doorStart = watched.count
      watched += inputs.door?.makePolled() ?? []
      let ownCount = watched.count
      let threadStart = WorkerThread.areWaiting ? MonotonicTime.now + .seconds(1) : nil
      let deadline = [face.deadline, session.deadline, memoryRelease, threadStart].compactMap(\.self).min()
      repeat {
        watched.replaceSubrange(ownCount..., with: remote.makePolled())
        let next = [deadline, remote.deadline].compactMap(\.self).min()
        if poll(&watched, nfds_t(watched.count), next?.pollTimeout ?? -1) == 0 { face.tick() }
      } while serveQuestions(watched[ownCount...], besides: watched[..<ownCount], until: deadline)
      if events(.signals) != 0 { obeySignals() }
      if events(.bell) != 0 {
        inputs.bell.silence()
        session.hear()
        if face.isAbandoned || inputs.events?.isAbandoned == true { session.end(.done) }
      }
      if events(.keys) & ~Int16(POLLIN) != 0 {
        endTerminal()
      } else if events(.keys) != 0 {
        // The keys may be for the shell.
        if !hideIfStopped() { face.readInput() }
        memoryRelease = max(memoryRelease ?? .zero, .now + Self.restTime)
      }
      if events(.settings) != 0 { watch?.heard() }
      // The session looks at the time in its turn.
      if events(.alarm) != 0 { alarm.silence() }
      if events(.programs) != 0 { hearPrograms() }
      for event in inputs.door?.handle(watched[doorStart..<ownCount]) ?? [] { handle(event) }
      session.turn()
      remote.turn()
      turn(self)
      WorkerThread.startWaiting()
      if WorkerThread.areWaiting, !hasSaidWaiting {
        session.say("the system refuses more threads (ulimit -u, ulimit -v); retrying each second", isLogged: true)
      }
      hasSaidWaiting = WorkerThread.areWaiting
      if let time = memoryRelease, time <= .now {
        StartMemory.release()
        memoryRelease = nil
      }
    }
  }

  private func hearPrograms() {
    for report in inputs.programs?.hear() ?? [] {
      switch report {
      case .log(let text): session.log(text)
      case .failure(let text): session.say(text, isLogged: true)
      }
    }
  }

  private func draw() { face.draw { !hideIfStopped(within: .milliseconds(100)) } }

  /// Takes the lines of clients. Returns true if these were questions only, which change nothing, and nothing else has
  /// happened: the rest of the turn is not needed.
  private func serveQuestions(
    _ clients: ArraySlice<pollfd>, besides own: ArraySlice<pollfd>, until deadline: MonotonicTime?
  ) -> Bool {
    let isDue = deadline.map { $0 <= .now } ?? false
    remote.handle(clients)
    return !isDue && own.allSatisfy { $0.revents == 0 } && remote.answerQuestions()
  }

  /// The time after which the start is over: screen and sound are there, and the session's files are read.
  private static let startTime = TimeSpan.seconds(3)
  /// The time after the last key in which another one is likely.
  private static let restTime = TimeSpan.seconds(20)

  private func obeySignals() { while let signal = inputs.signals.next() { obey(signal) } }

  private func obey(_ signal: CInt) {
    switch signal {
    case SIGTSTP: suspend()
    case SIGCONT: resume(inForeground: true)
    case SIGWINCH: face.followSize()
    case SIGUSR1: session.perform(.playback(.interruptionBegan(.default, from: .simulation)))
    case SIGUSR2: session.perform(.playback(.interruptionEnded(from: .simulation, shouldResume: true)))
    case SIGHUP: endTerminal()
    case SIGINT, SIGTERM: session.end(.signalled)
    default: break
    }
  }

  private func handle(_ event: TerminalDoor.Event) {
    switch event {
    case .signal(let number): obey(number)
    case .continued(let inForeground): resume(inForeground: inForeground)
    case .lost: endTerminal(isFrontOnly: true)
    case .offered(let handle): takeTerminal(handle)
    }
  }

  private func endTerminal(isFrontOnly: Bool = false) {
    if let hangUp { hangUp(isFrontOnly) } else { session.end(.signalled) }
  }

  /// Ctrl-Z: silences the engine, releases the terminal, and stops the job until the shell continues it.
  func suspend() {
    session.suspend()
    face.suspend()
    if let door = inputs.door, door.hasFront {
      door.order(.stop)
    } else {
      inputs.signals.stop()
      resume(inForeground: true)
    }
  }

  /// `fg`; after `bg` the terminal belongs to the shell, and the player plays on without its screen.
  private func resume(inForeground: Bool) {
    face.resume(inForeground: inForeground)
    session.resume()
  }

  /// True if the front was stopped without a notice (SIGSTOP), so that the shell has the terminal; hides the face.
  private func hideIfStopped(within span: TimeSpan = .zero) -> Bool {
    guard face.isShown, let door = inputs.door, door.isFrontStopped(within: span) else { return false }
    session.suspend()
    face.hide()
    return true
  }
}
