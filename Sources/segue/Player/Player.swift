internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Containers
internal import Glibc
internal import Library
internal import NCursesTerminal
internal import Playback
internal import PulseOutput
internal import Streaming
internal import TerminalUI

/// Wires the rooms together for `segue [PATH]...` and runs them.
struct Player {
  private let options: PlayOptions

  init(_ options: PlayOptions) { self.options = options }

  func run() -> PlayerSession.Ending {
    let signals = SignalDescriptor()
    signals.add([SIGUSR1, SIGUSR2])
    signal(SIGPIPE, SIG_IGN)
    let bell = WakeDescriptor()
    let events: EventWriter?
    do throws(ByteIOError) { events = try makeEvents() } catch {
      report(options.events ?? BytePath("-"), error)
      return .couldNotStart
    }
    let output = makeOutput()
    let network = Network(StreamOptions.configuration(keepsNothing: options.keepsNoStreams))
    let engine = PlaybackEngine(output: output, network: network) { bell.ring() }
    defer {
      engine.shutDown()
      network.shutDown()
    }
    let facts = wantsScreen ? FactsReader { bell.ring() } : nil
    // The sound server is reached while folders are read and the screen is drawn. After all threads were started: glibc
    // starts none while it loads a library.
    (output as? PulseOutput)?.connect()
    var collector = MediaCollector(playableExtensions: Self.playableExtensions)
    collector.fetchPlaylist = { address throws(ByteIOError) in
      let document = try network.document(address, byteLimit: MediaCollector.documentByteLimit)
      return MediaCollector.RemotePlaylist(bytes: document.bytes, address: document.address)
    }
    let collected = collector.collect(options.inputs)
    guard !collected.entries.isEmpty else {
      for failure in collected.failures { report(failure.path, failure.reason) }
      return .nothingPlayable
    }
    // Until here these do what they always do: a FIFO without a reader, or a slow disk, may take for ever.
    signals.add([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH])

    let session = PlayerSession(
      engine: engine, locations: collected.entries.map(\.location), hasFailures: !collected.failures.isEmpty,
      events: events)
    session.changeQueue {
      $0.repeatMode = options.repeatMode
      $0.isShuffled = options.isShuffled
    }
    if let volume = options.volume { session.setVolume(Double(volume) / 100) }
    session.setSound(options.sound, speed: options.speed)
    session.perform(.playFromStart)
    let ending =
      facts.map { runScreen(session, $0, collected.failures, signals, bell) }
      ?? runLines(session, collected.failures, signals, bell)
    if let epitaph = session.epitaph { report("sound", epitaph) }
    return ending
  }

  // MARK: Faces

  private func runScreen(
    _ session: PlayerSession, _ facts: FactsReader, _ failures: [CollectionFailure], _ signals: SignalDescriptor,
    _ bell: WakeDescriptor
  ) -> PlayerSession.Ending {
    var wantsSuspension = false
    let face: ScreenFace
    do throws(TerminalError) {
      face = try ScreenFace { [session] command in
        switch command {
        case .requestFacts(let ids): facts.request(session.entries(ids))
        case .suspend: wantsSuspension = true
        default: session.perform(command)
        }
      }
    } catch {
      // A terminal that cannot move its cursor still shows lines.
      return runLines(session, failures, signals, bell)
    }
    defer { face.close() }
    session.face = face
    face.show(session.queue)
    for failure in failures { face.complain(failure) }
    return PlayerLoop(session: session, face: face, signals: signals, bell: bell) { loop in
      for (id, facts) in facts.take() { face.show(facts, of: id) }
      if wantsSuspension {
        wantsSuspension = false
        loop.suspend()
      }
    }.run()
  }

  private func runLines(
    _ session: PlayerSession, _ failures: [CollectionFailure], _ signals: SignalDescriptor, _ bell: WakeDescriptor
  ) -> PlayerSession.Ending {
    let face = LineFace(isSilent: isOutputTaken)
    session.face = face
    for failure in failures { face.complain(failure) }
    return PlayerLoop(session: session, face: face, signals: signals, bell: bell) { _ in }.run()
  }

  private var wantsScreen: Bool {
    !options.hasNoUI && !isOutputTaken && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
  }

  /// Whether standard output carries what programs read, which no words may get between.
  private var isOutputTaken: Bool { options.events == BytePath("-") || options.output.isStandardOutput }

  // MARK: What comes from the command line

  /// What is taken from a folder; a file that is named is always tried.
  private static let playableExtensions = Set(AudioFileTypeID.readableTypes.flatMap(\.fileExtensions))

  private func makeOutput() -> any AudioOutput {
    switch options.output {
    case .pulse: PulseOutput(applicationName: "segue")
    case .null: SilentOutput()
    case .wave(let path): WAVEFileOutput(path: path)
    }
  }

  private func makeEvents() throws(ByteIOError) -> EventWriter? {
    guard let path = options.events else { return nil }
    return try EventWriter(path: path)
  }
}
