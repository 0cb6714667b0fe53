internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Containers
internal import Glibc
internal import Library
internal import NCursesTerminal
internal import Playback
internal import Player
internal import PulseOutput
internal import Sandbox
internal import Streaming
internal import TerminalUI

/// Creates the player and its face for `segue [PATH]...` and runs them.
struct PlayProgram {
  private let options: PlayOptions

  init(_ options: PlayOptions) { self.options = options }

  func run() -> PlayerSession.Ending {
    let outside = makeOutsideFiles()
    if options.inputs.contains(where: { $0.bytes.starts(with: "http".utf8) }) { Network.prepare() }
    let destination = options.output.file(replacesExisting: options.replacesOutput)
    let recording = destination.map { WAVEFileOutput(destination: outside?.opening($0) ?? $0) }
    let ending = play(to: recording, outside)
    return keep(recording) ? ending : .couldNotStart
  }

  private func play(to recording: WAVEFileOutput?, _ outside: OutsideFiles?) -> PlayerSession.Ending {
    let signals = SignalDescriptor()
    signals.add([SIGUSR1, SIGUSR2])
    signal(SIGPIPE, SIG_IGN)
    let bell = WakeDescriptor()
    let events: EventWriter?
    do throws(ByteIOError) { events = try makeEvents() } catch {
      report(options.events ?? BytePath("-"), error)
      return .couldNotStart
    }
    // Before the sandbox, which allows the one port that clients use.
    let files = ConfigurationFiles(
      folder: options.readsConfiguration ? folders.configuration : nil, file: options.configuration,
      options: options.settings)
    let (configuration, errors) = files.read()
    let sandbox =
      options.isSandboxed
      ? Sandbox(changeable: changeableFolders, port: configuration.player.remoteMPD?.port) : nil
    let output: any AudioOutput = recording ?? makeOutput(sandbox)
    sandbox?.enter()
    let network = Network(StreamOptions.configuration(keepsNothing: options.keepsNoStreams))
    let engine = PlaybackEngine(output: output, network: network) { bell.ring() }
    defer {
      engine.shutDown()
      network.shutDown()
    }
    let facts = FactsReader(startsAtOnce: wantsScreen) { bell.ring() }
    // Connects while folders are read and the screen is drawn. Comes after the start of all threads: glibc starts none
    // while it loads a library.
    output.connect()
    // Errors of the command line end the program: the user can correct them at once.
    if !options.settings.isEmpty, let error = errors.first(where: { $0.file.hasPrefix("-o ") }) {
      report("settings", error)
      return .couldNotStart
    }
    let collector = MediaCollector(playableExtensions: Self.playableExtensions, network: network)
    let start = Start(options, sessionFiles(configuration), collector)
    guard !start.locations.isEmpty || options.inputs.isEmpty else {
      for failure in start.failures { report(failure.path, failure.reason) }
      return .nothingPlayable
    }
    guard protect(start.locations, from: recording) else { return .couldNotStart }
    // Until here signals have their default effect: a FIFO without a reader, or a slow disk, may block for ever.
    signals.add([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH])

    let playerFiles = PlayerFiles(
      folders: folders, playlist: start.onlyInput, saver: outside, collector: collector, facts: facts,
      network: network, waveformFolder: StreamOptions.cacheFolder?.appending(BytePath("waveforms")),
      keepsSession: wantsScreen
    ) { bell.ring() }
    defer { playerFiles.endScan() }
    let session = PlayerSession(
      engine: engine, locations: start.locations, hasFailures: !start.failures.isEmpty, files: playerFiles,
      network: network)
    if let events { session.add(events) }
    session.add(SleepGuard(engine))
    let remote = RemoteControl(
      session: session, folders: folders, collector: collector, isAboutToPlay: !start.locations.isEmpty
    ) { bell.ring() }
    session.add(remote)
    let listening = folders.data.map { ListeningLog(folder: $0) }
    if let listening { session.add(listening) }
    defer { if let problem = listening?.finish() { report("library", problem) } }
    if let record = start.record { session.restoreModes(of: record) }
    session.changeModes {
      if let mode = options.repeatMode { $0.repeatMode = mode }
      if let isShuffled = options.isShuffled { $0.isShuffled = isShuffled }
    }
    if let volume = options.volume { session.perform(.setVolume(Double(volume) / 100)) }
    session.adopt(configuration.player, changes: start.record?.changes ?? [])
    if !options.inputs.isEmpty {
      session.perform(.playFromStart)
    } else if let record = start.record, let place = record.place(in: start.locations) {
      session.restorePlaying(of: record, at: place)
    }
    let ending: PlayerSession.Ending? =
      wantsScreen
      ? ScreenRun(
        session: session, files: files, signals: signals, bell: bell, events: events, remote: remote,
        keys: takesMusicFromInput ? open("/dev/tty", O_RDWR | O_CLOEXEC) : STDIN_FILENO
      ).run(start, configuration, errors)
      : nil
    if ending == nil, options.inputs.isEmpty {
      report("this terminal cannot show the screen", PlayCommand.nothingToPlay)
      return .couldNotStart
    }
    let finished = ending ?? runLines(session, start.failures, signals, bell, events, remote)
    if let failure = session.startFailure { report("sound", failure) }
    return finished
  }

  private let folders = UserFolders()

  /// The file of the session; `nil` if none is saved.
  private func sessionFiles(_ configuration: Configuration) -> SessionFiles? {
    guard wantsScreen, configuration.player.session else { return nil }
    return folders.state.map { SessionFiles(folder: $0) }
  }

  // MARK: Faces

  private func runLines(
    _ session: PlayerSession, _ failures: [CollectionFailure], _ signals: SignalDescriptor, _ bell: WakeDescriptor,
    _ events: EventWriter?, _ remote: RemoteControl
  ) -> PlayerSession.Ending {
    let face = LineFace(isSilent: isOutputTaken)
    session.add(face)
    for failure in failures { face.complain(failure) }
    return PlayerLoop(
      session: session, face: face, signals: signals, bell: bell, events: events, remote: remote
    ) { _ in }.run()
  }

  /// True if the program shows a screen.
  var wantsScreen: Bool {
    !options.hasNoUI && !isOutputTaken && isatty(STDOUT_FILENO) == 1
      && (isatty(STDIN_FILENO) == 1 || takesMusicFromInput)
  }

  /// True if standard input is played, so that keys are read from the terminal itself.
  private var takesMusicFromInput: Bool { options.inputs.contains(.standardInput) }

  /// True if standard output carries data, which no messages may interrupt.
  private var isOutputTaken: Bool { options.events == BytePath("-") || options.output.isStandardOutput }

  // MARK: Command line

  /// The files taken from a folder. A file that is named is always tried.
  static let playableExtensions = AudioFileTypeID.playableExtensions

  /// The sound server's thread is created outside the sandbox and enters it later: libpulse may have to start a server
  /// first, which would otherwise run inside the sandbox.
  private func makeOutput(_ sandbox: Sandbox?) -> any AudioOutput {
    switch options.output {
    case .pulse:
      let output = PulseOutput(applicationName: "segue", didSettle: { sandbox?.enter() })
      output.prepare()
      return output
    case .null, .wave: return SilentOutput()
    }
  }

  // MARK: Recording

  /// True if the recording destroys neither what is to be played nor another file; reports it if so.
  private func protect(_ locations: [MediaLocation], from recording: WAVEFileOutput?) -> Bool {
    guard let recording else { return true }
    do throws(ByteIOError) { try recording.protect(options.inputs + filesOnDisk(of: locations)) } catch {
      report(recording.path, error)
      return false
    }
    return true
  }

  /// Completes the recording, which replaces an old one. Returns true if it succeeded.
  private func keep(_ recording: WAVEFileOutput?) -> Bool {
    guard let recording else { return true }
    do throws(ByteIOError) { try recording.close() } catch {
      report(recording.path, error)
      return false
    }
    return true
  }

  // MARK: The sandbox

  /// The folders that the player writes to while it runs: session, streams, waveforms, sockets, and the library, which
  /// the listener may begin on the screen.
  private var changeableFolders: [BytePath] {
    let cache = options.keepsNoStreams && !wantsScreen ? nil : StreamOptions.cacheFolder
    let onScreen = wantsScreen ? [folders.state, folders.data] : []
    let made = (onScreen + [folders.playlists, cache, folders.runtime]).compactMap(\.self)
      .filter { SmallFile.makeFolder($0) }
    return made + (wantsScreen ? [] : [folders.data].compactMap(\.self))
  }

  /// The process that writes outside the sandbox, if anything can need it. Call before any thread is created.
  private func makeOutsideFiles() -> OutsideFiles? {
    let output = options.output.file(replacesExisting: options.replacesOutput)
    guard options.isSandboxed, wantsScreen || output != nil else { return nil }
    return OutsideFiles(output: output)
  }

  private func makeEvents() throws(ByteIOError) -> EventWriter? {
    guard let path = options.events else { return nil }
    return try EventWriter(path: path)
  }
}
