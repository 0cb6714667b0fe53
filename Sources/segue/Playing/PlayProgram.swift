internal import ALSAOutput
internal import AudioModel
internal import AudioOutput
internal import ByteIO
internal import Commands
internal import Containers
internal import ControlSocket
internal import Desk
internal import Glibc
internal import Library
internal import NCursesTerminal
internal import Playback
internal import Player
internal import PulseOutput
internal import Remote
internal import RemoteProtocols
internal import Sandbox
internal import Streaming
internal import SystemBus
internal import TerminalUI
internal import Threads

/// Creates the player and its face for `segue [PATH]...` and runs them.
struct PlayProgram {
  private let options: PlayOptions

  init(_ options: PlayOptions) { self.options = options }

  func run() -> PlayerSession.Ending {
    if wantsScreen { Front.waitForForeground() }
    // With nothing to play, a player without a terminal gets this one.
    if wantsScreen, options == PlayOptions(inputs: []) { Front.takeOver(in: folders.runtime) }
    if let reason = daemonRefusal {
      report("daemon", reason)
      return .couldNotStart
    }
    // The player's process has no terminal of its own, so that it cannot open this one by name.
    let keys = takesMusicFromInput && wantsScreen ? open("/dev/tty", O_RDWR | O_CLOEXEC) : STDIN_FILENO
    let passed = ServiceManager.takeListeners()
    let (door, outside) = makeProcesses()
    let ending = play(door, outside, passed, keys: keys)
    door?.order(.end(ending.rawValue))
    return ending
  }

  private func play(
    _ door: TerminalDoor?, _ outside: OutsideFiles?, _ passed: [LocalListener], keys: CInt
  ) -> PlayerSession.Ending {
    let destination = options.output.file(replacesExisting: options.replacesOutput)
    let recording = destination.map { WAVEFileOutput(destination: outside?.opening($0) ?? $0) }
    let ending = play(to: recording, door, outside, passed, keys: keys)
    return keep(recording) ? ending : .couldNotStart
  }

  private func play(
    to recording: WAVEFileOutput?, _ door: TerminalDoor?, _ outside: OutsideFiles?, _ passed: [LocalListener],
    keys: CInt
  ) -> PlayerSession.Ending {
    var inputs = PlayerLoop.Inputs(door: door)
    inputs.signals.add([SIGUSR1, SIGUSR2])
    signal(SIGPIPE, SIG_IGN)
    do throws(ByteIOError) { inputs.events = try makeEvents() } catch {
      report(options.events ?? BytePath("-"), error)
      return .couldNotStart
    }
    // Before the sandbox, which allows the ports that clients use.
    let settings = readSettings()
    inputs.programs = Programs(settings.configuration.player.programs)
    if options.inputs.contains(where: { $0.bytes.starts(with: "http".utf8) }) { Network.prepare() }
    let parts = makeParts(recording, outside, settings.configuration.player, inputs)
    defer { parts.shutDown() }
    // Connects while folders are read and the screen is drawn. Comes after the start of all threads: glibc starts none
    // while it loads a library.
    parts.output.connect()
    // Errors of the command line end the program: the user can correct them at once.
    if let error = settings.errors.first(where: isOfCommandLine) {
      report("settings", error)
      return .couldNotStart
    }
    if !wantsScreen { settings.complain() }
    let start = Start(options, sessionFiles(settings.configuration), parts.collector, library: folders.data)
    guard !start.locations.isEmpty || options.inputs.isEmpty else {
      for failure in start.failures { report(failure.path, failure.problem(.place)) }
      return .nothingPlayable
    }
    guard protect(start.locations, from: recording) else { return .couldNotStart }
    // Until here signals have their default effect: a FIFO without a reader, or a slow disk, may block for ever.
    inputs.signals.add([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH])
    if !options.isDaemon { door?.takeSignals() }
    defer { parts.desk.finish() }
    return play(start, settings, parts, inputs, passed, keys: keys)
  }

  private func readSettings() -> ReadSettings {
    let files = ConfigurationFiles(
      folder: options.readsConfiguration ? folders.configuration : nil, file: options.configuration,
      options: options.settings)
    let (configuration, errors) = files.read()
    configuration.player.applyCharset()
    return ReadSettings(files: files, configuration: configuration, errors: errors)
  }

  /// Enters the sandbox, and starts all threads but the desk's.
  private func makeParts(
    _ recording: WAVEFileOutput?, _ outside: OutsideFiles?, _ settings: Settings, _ inputs: PlayerLoop.Inputs
  ) -> PlayerParts {
    let bell = inputs.bell
    let sandbox =
      options.isSandboxed
      ? Sandbox(
        changeable: changeableFolders, ports: [settings.remoteMPD, settings.stream.place].compactMap { $0?.port })
      : nil
    let output: any AudioOutput = recording ?? makeOutput(sandbox) { bell.ring() }
    sandbox?.enter()
    var configuration = StreamOptions.configuration(keepsNothing: options.keepsNoStreams)
    configuration.resolver = inputs.programs?.resolver
    let network = Network(configuration)
    let engine = PlaybackEngine(output: output, network: network, configuration: .withMeasuredGains) { bell.ring() }
    let collector = MediaCollector(playableExtensions: Self.playableExtensions, network: network)
    let desk = Desk(
      folders: folders, saver: outside, collector: collector, network: network,
      waveformFolder: folders.cache?.appending(BytePath("waveforms")), readsTagsAtOnce: isPersistent
    ) { bell.ring() }
    return PlayerParts(output: output, network: network, engine: engine, collector: collector, desk: desk)
  }

  private func play(
    _ start: Start, _ settings: ReadSettings, _ parts: PlayerParts, _ inputs: PlayerLoop.Inputs,
    _ passed: [LocalListener], keys: CInt
  ) -> PlayerSession.Ending {
    let bell = inputs.bell
    let listening = folders.data.map { ListeningLog(folder: $0, desk: parts.desk) }
    let saved = isPersistent ? folders.state.map { SessionFiles(folder: $0) } : nil
    let session = PlayerSession(
      engine: parts.engine, locations: start.locations, loaded: start.onlyInput, hasFailures: !start.failures.isEmpty,
      desk: parts.desk, listening: listening, saving: saved.map { SessionSaving(files: $0, desk: parts.desk) },
      output: parts.output)
    session.add(ReconnectLimit(parts.network))
    if let events = inputs.events { session.add(events) }
    session.add(SleepGuard(parts.engine))
    let remote = RemoteControl(
      session: session, folders: folders, desk: parts.desk, passed: passed,
      isAboutToPlay: !start.locations.isEmpty && !options.isDaemon, version: programVersion
    ) { bell.ring() }
    session.add(remote)
    let stream = StreamService(
      session: session, remote: remote, isAboutToPlay: !start.locations.isEmpty,
      makeReader: parts.engine.makeSoundReader
    ) { bell.ring() }
    session.add(stream)
    let events = inputs.programs.flatMap { programs in
      programs.takesEvents ? ProgramEvents(status: { remote.status }) { programs.give($0) } : nil
    }
    if let events { session.add(events) }
    defer { stream.close() }
    if let listening { session.add(listening) }
    defer { if let problem = listening?.finish({ report("library", $0) }) { report("library", problem) } }
    parts.listens = makeListenSubmitter(session, parts.network) { bell.ring() }
    defer { parts.listens?.finish() }
    begin(session, start, settings.configuration)
    guard let ending = runFace(session, start, settings, inputs, remote, keys: keys) else {
      report("this terminal cannot show the screen", PlayCommand.nothingToPlay)
      return .couldNotStart
    }
    if let failure = session.startFailure { report("sound", failure) }
    events?.announce(.quit)
    inputs.programs?.finish()
    return ending
  }

  /// Restores the last session, as far as the options allow, and starts to play.
  private func begin(_ session: PlayerSession, _ start: Start, _ configuration: Configuration) {
    if let match = options.match { session.say(match, isLogged: true) }
    if let record = start.record { session.restoreModes(of: record, start.turns) }
    session.changeModes {
      if let mode = options.repeatMode { $0.repeatMode = mode }
      if let isShuffled = options.isShuffled { $0.isShuffled = isShuffled }
    }
    if let volume = options.volume { session.perform(.setVolume(Double(volume) / 100)) }
    // The speed was that of an album.
    let changes = start.record?.changes.filter { start.isContinued || $0.setting != .speed }
    session.adopt(configuration.player, changes: changes ?? [])
    if let record = start.record { session.restoreSpeed(of: record) }
    if !options.inputs.isEmpty {
      if session.playBook(from: start.bookmark) { return }
      let row = session.queue.isShuffled ? nil : start.firstMusic(besides: options.inputs)
      session.perform(row.map { .play(session.queue.entries[$0].id) } ?? .resume)
    } else if let record = start.record, let place = record.place(in: start.locations) {
      // Two players at once are heard at once.
      let isSecond = record.state == .playing && !options.isDaemon && hasOtherPlayer
      session.restorePlaying(of: record, at: place, isPaused: isSecond)
      if isSecond { session.say("another segue is open, so this one starts paused", isLogged: true) }
    }
  }

  /// True if clients find another player. Before this one opens its sockets.
  private var hasOtherPlayer: Bool {
    folders.runtime.map { LocalListener.isAnswered($0.appending(BytePath("control"))) } ?? false
  }

  /// True for a wrong option, and for a file of the command line that cannot be read.
  private func isOfCommandLine(_ error: ConfigurationError) -> Bool {
    !options.settings.isEmpty && error.file.hasPrefix("-o ")
      || error.line == nil && error.file == options.configuration?.description
  }

  private let folders = UserFolders()

  private func makeListenSubmitter(
    _ session: PlayerSession, _ network: Network, _ bell: @escaping @Sendable () -> Void
  ) -> ListenSubmitter? {
    guard let folder = folders.listens, let configuration = folders.configuration else { return nil }
    let submitter = ListenSubmitter(
      network: network, folder: folder, configuration: configuration, library: folders.data, bell: bell
    ) { [weak session] text in session?.say(text, isLogged: true)
    }
    session.add(submitter)
    return submitter
  }

  /// The file of the session; `nil` if none is saved.
  private func sessionFiles(_ configuration: Configuration) -> SessionFiles? {
    guard isPersistent, configuration.player.session else { return nil }
    return folders.state.map { SessionFiles(folder: $0) }
  }

  // MARK: Faces

  /// Runs the screen, or lines if the terminal cannot show one; `nil` if there is nothing to play then.
  private func runFace(
    _ session: PlayerSession, _ start: Start, _ settings: ReadSettings, _ inputs: PlayerLoop.Inputs,
    _ remote: RemoteControl, keys: CInt
  ) -> PlayerSession.Ending? {
    if isPersistent {
      var start = start
      let configuration = settings.configuration.changed(by: start.record?.place.changes ?? []) { line, reason in
        start.complaints.append("\"\(line)\" of the last session is not restored: \(reason)")
      }
      let screen = ScreenRun(
        session: session, files: settings.files, inputs: inputs, remote: remote,
        door: inputs.door ?? TerminalDoor(folder: folders.runtime, front: nil), configuration)
      let terminal = options.isDaemon ? nil : TerminalHandle(input: keys)
      if let ending = screen.run(start, settings.configuration, settings.errors, on: terminal) { return ending }
    }
    guard !options.inputs.isEmpty else { return nil }
    if wantsScreen { settings.complain() }
    let face = LineFace(isSilent: isOutputTaken)
    session.add(face)
    for failure in start.failures { face.complain(failure) }
    return PlayerLoop(session: session, face: face, inputs: inputs, remote: remote).run()
  }

  /// True if the player continues the last session, and runs until it is told to end.
  var isPersistent: Bool { wantsScreen || options.isDaemon }

  var wantsScreen: Bool {
    !options.hasNoUI && !options.isDaemon && !isOutputTaken && isatty(STDOUT_FILENO) == 1
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
  private func makeOutput(
    _ sandbox: Sandbox?, devicesChanged: @escaping @Sendable () -> Void
  ) -> any AudioOutput {
    func server() -> PulseOutput {
      let output = PulseOutput(
        applicationName: "segue", didSettle: { sandbox?.enter() }, devicesChanged: devicesChanged)
      output.prepare()
      return output
    }
    func card(_ device: String?) -> ALSAOutput {
      ALSAOutput(
        device: device, threadBegins: { sandbox?.enter() },
        reserve: { card in
          switch ReservedCard.ask(card: card, application: "segue") {
          case .granted(let reserved): .granted(SharedCard(reserved))
          case .refused: .refused
          case .withoutBus: .unknown
          }
        })
    }
    return switch options.output {
    case .automatic: FallbackOutput(server(), orElse: card(nil))
    case .pulse: server()
    case .alsa(let device): card(device)
    case .null, .wave: SilentOutput()
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

  /// The folders that the player writes to while it runs: session, streams, waveforms, sockets, the library, which the
  /// listener may begin on the screen and clients with a playlist, and the playlists that earlier versions saved.
  private var changeableFolders: [BytePath] {
    let cache = options.keepsNoStreams && !isPersistent ? nil : folders.cache
    let made = [isPersistent ? folders.state : folders.lyrics, folders.data, folders.listens, cache, folders.runtime]
    return made.compactMap(\.self).filter { $0.makeFolder() } + [folders.playlists].compactMap(\.self)
  }

  // MARK: Processes

  /// The reason why no daemon can start.
  private var daemonRefusal: String? {
    guard options.isDaemon else { return nil }
    guard let folder = folders.runtime else { return "XDG_RUNTIME_DIR is not set: nobody could control the player" }
    let socket = folder.appending(BytePath(TerminalDoor.socketName))
    return LocalListener.isAnswered(socket, .packets)
      ? "a player runs without a terminal already ('segue' shows it, 'segue ctl' controls it)" : nil
  }

  /// The processes besides the player: a front in the terminal, and the one that writes outside the sandbox, which
  /// clients need in every playing mode. Call before any thread is created.
  private func makeProcesses() -> (TerminalDoor?, OutsideFiles?) {
    let output = options.output.file(replacesExisting: options.replacesOutput)
    guard isPersistent, !options.staysInForeground else {
      return (nil, options.isSandboxed ? OutsideFiles(output: output) : nil)
    }
    let server = options.isSandboxed ? OutsideServer(output: output) : nil
    let front = Front.fork { server.flatMap { OutsideProcess.makePair(handler: $0.answer) } }
    guard let (link, process) = front else { return (nil, nil) }
    return (TerminalDoor(folder: folders.runtime, front: link), process.map { OutsideFiles($0) })
  }

  private func makeEvents() throws(ByteIOError) -> EventWriter? {
    guard let path = options.events else { return nil }
    return try EventWriter(path: path)
  }
}

/// The files of settings, and their contents at the start.
private struct ReadSettings {
  let files: ConfigurationFiles
  let configuration: Configuration
  let errors: [ConfigurationError]

  func complain() { for error in errors { report("settings", error) } }
}

/// The parts of the player below its session.
private final class PlayerParts {
  let output: any AudioOutput
  let network: Network
  let engine: PlaybackEngine
  let collector: MediaCollector
  let desk: Desk
  var listens: ListenSubmitter?

  init(output: any AudioOutput, network: Network, engine: PlaybackEngine, collector: MediaCollector, desk: Desk) {
    (self.output, self.network, self.engine, self.collector, self.desk) = (output, network, engine, collector, desk)
  }

  func shutDown() {
    engine.shutDown()
    // Without sound, which has ended.
    listens?.settle()
    network.shutDown()
  }
}

/// A card that other programs may ask for on the session bus.
private final class SharedCard: CardReservation {
  private let reserved: ReservedCard
  init(_ reserved: ReservedCard) { self.reserved = reserved }
  var isWanted: Bool { reserved.isWanted }
}
