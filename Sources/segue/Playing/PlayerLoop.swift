internal import AudioModel
internal import AudioSession
internal import Glibc
internal import Playback
internal import Player
internal import Threads

/// The one `poll` of the main thread: keys, signals, the bell of the engine, and a timeout at the next visible change.
struct PlayerLoop {
  let session: PlayerSession
  let face: any Face
  let signals: SignalDescriptor
  let bell: WakeDescriptor
  /// Events on standard output end the program with their reader.
  let events: EventWriter?
  /// The watch on the files of settings.
  var watch: (descriptor: CInt, heard: () -> Void)?
  /// The clients of the player.
  let remote: RemoteControl
  /// Called once per turn, after all events were handled.
  let turn: (PlayerLoop) -> Void

  /// Runs until the session has ended.
  func run() -> PlayerSession.Ending {
    var memoryRelease: MonotonicTime? = .now + Self.startTime
    defer { remote.close() }
    while true {
      face.draw()
      if let ending = session.ending { return ending }
      var watched = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: face.inputDescriptor ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: watch?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: face.outputDescriptor ?? -1, events: Int16(POLLOUT), revents: 0),
      ]
      let ownCount = watched.count
      watched += remote.makePolled()
      let next = [face.deadline, session.deadline, remote.deadline, memoryRelease].compactMap(\.self).min()
      if poll(&watched, nfds_t(watched.count), next?.pollTimeout ?? -1) == 0 { face.tick() }
      if watched[0].revents != 0 { obeySignals() }
      if watched[1].revents != 0 {
        bell.silence()
        session.hear()
        if face.isAbandoned || events?.isAbandoned == true { session.end(.done) }
      }
      if watched[2].revents & ~Int16(POLLIN) != 0 {
        // The terminal is gone.
        session.end(.signalled)
      } else if watched[2].revents != 0 {
        face.readInput()
      }
      if watched[3].revents != 0 { watch?.heard() }
      remote.handle(watched[ownCount...])
      session.turn()
      remote.turn()
      turn(self)
      if let time = memoryRelease, time <= .now {
        StartMemory.release()
        memoryRelease = nil
      }
    }
  }

  /// The time after which the start is over: screen and sound are there, and the session's files are read.
  private static let startTime = TimeSpan.seconds(3)

  private func obeySignals() {
    while let signal = signals.next() {
      switch signal {
      case SIGTSTP: suspend()
      case SIGCONT: resume()
      case SIGWINCH: face.followSize()
      case SIGUSR1: session.perform(.playback(.interruptionBegan(.default, from: .simulation)))
      case SIGUSR2: session.perform(.playback(.interruptionEnded(from: .simulation, shouldResume: true)))
      case SIGINT, SIGTERM, SIGHUP: session.end(.signalled)
      default: break
      }
    }
  }

  /// Ctrl-Z: silences the engine, releases the terminal, and stops until the shell continues the program.
  func suspend() {
    session.suspend()
    face.suspend()
    signals.stop()
    resume()
  }

  /// `fg`; after `bg` the terminal belongs to the shell, and the player plays on without its screen.
  private func resume() {
    face.resume()
    session.resume()
  }
}
