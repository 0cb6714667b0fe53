internal import ByteIO
internal import Commands
internal import ControlSocket
internal import Glibc
internal import Library
internal import NCursesTerminal
internal import Playback
internal import Player
internal import Remote
internal import Sandbox
internal import TerminalUI
internal import Threads

/// A run of the player with a screen: passes requests of the screen on, and follows the files of settings.
final class ScreenRun {
  private let session: PlayerSession
  private let files: ConfigurationFiles
  private var inputs: PlayerLoop.Inputs
  private let remote: RemoteControl
  private let door: TerminalDoor
  private let face: ScreenFace
  /// Standard descriptors that are the terminal of the start.
  private let ownTerminal = (STDIN_FILENO...STDERR_FILENO).filter { isatty($0) == 1 }
  /// The next acts, which wait for the end of the turn.
  private var wantsSuspension = false, wantsDetachment = false
  /// True while a daemon waits until clients can reach it.
  private var isStarting = false

  /// The player has been started without a terminal, or has left one.
  private enum Independence { case none, detached, daemon }

  private var independence = Independence.none
  /// The last contents of the files of settings.
  private var settingsRead: (configuration: Configuration, errors: [ConfigurationError])?

  init(
    session: PlayerSession, files: ConfigurationFiles, inputs: PlayerLoop.Inputs, remote: RemoteControl,
    door: TerminalDoor, _ configuration: Configuration
  ) {
    (self.session, self.files, self.inputs, self.remote, self.door) = (session, files, inputs, remote, door)
    self.inputs.door = door
    var perform: (ScreenCommand) -> Void = { _ in }
    face = ScreenFace(configuration) { perform($0) }
    perform = { [unowned self] in self.perform($0) }
  }

  /// Runs until the session has ended; `nil` if the terminal cannot show a screen: lines are possible then.
  ///
  /// - Parameter terminal: `nil` to start without one.
  func run(
    _ start: Start, _ configuration: Configuration, _ errors: [ConfigurationError], on terminal: TerminalHandle?
  ) -> PlayerSession.Ending? {
    if let terminal { do throws(TerminalError) { try face.take(terminal) } catch { return nil } }
    isStarting = terminal == nil
    if terminal == nil { independence = .daemon }
    session.leaveTerminal = { [unowned self] in prepareDetachment() }
    settingsRead = (configuration, errors)
    session.endsWithQueue = false
    session.add(face)
    if start.showsSetup {
      face.restore(.setup, selected: 0)
    } else if start.hasOnlyLibrary {
      face.restore(.home, selected: 0)
    } else if start.isContinued, let place = start.record?.place {
      face.restore(ScreenView(rawValue: place.view) ?? .queue, selected: place.row, files: place.files)
    } else if start.locations.isEmpty {
      face.restore(.files, selected: 0)
    }
    for failure in start.failures { face.complain(failure) }
    for complaint in start.complaints { session.say(complaint, isLogged: true) }
    face.complain(errors)
    var loop = loop()
    loop.begin = { [session] in session.startSaving(continuing: start.continuedQueue) }
    let ending = loop.run()
    // The screen first: a disk may be slow.
    session.place = face.place
    face.close()
    if let error = session.finish() { report("the session could not be saved", error) }
    return ending
  }

  private func loop() -> PlayerLoop {
    var loop = PlayerLoop(session: session, face: face, inputs: inputs, remote: remote)
    loop.turn = { [unowned self] in turn($0) }
    loop.hangUp = { [unowned self] in hangUp(isFrontOnly: $0) }
    loop.takeTerminal = { [unowned self] in take($0) }
    guard let folder = files.folder else { return loop }
    let watched = [folder, folder.appending(BytePath("themes"))] + [files.file?.parent].compactMap(\.self)
    if let watch = ConfigurationWatch(folders: watched, files: { [files] in files.paths }) {
      loop.watch = (
        watch.descriptor,
        { [unowned self] in if watch.takeChanges() { reload() } }
      )
    }
    return loop
  }

  private func turn(_ loop: PlayerLoop) {
    if wantsSuspension {
      wantsSuspension = false
      loop.suspend()
    }
    if wantsDetachment {
      wantsDetachment = false
      detach()
    }
    if isStarting, remote.isOpen {
      isStarting = false
      goPublic()
    }
    session.place = face.place
  }

  // MARK: Terminals

  /// Makes sure that a terminal can return, and detaches at the end of the turn. Returns the reason if it cannot.
  private func prepareDetachment() -> String? {
    guard face.hasTerminal, door.hasFront else { return "the player has no terminal" }
    if let refusal = door.open() { return refusal }
    wantsDetachment = true
    return nil
  }

  private func detach() {
    face.leaveTerminal()
    if independence == .none { independence = .detached }
    let state = session.isPlaying ? "plays on" : "runs on"
    let address = remote.isFirst ? "" : "--instance \(getpid()) "
    // Before the shell has its terminal back: nothing of it is left to the player then.
    StandardDescriptors.close { ownTerminal.contains($0) }
    door.leave("segue \(state) (segue brings it back, segue ctl \(address)quit ends it)")
  }

  /// A daemon has started: the process that was called ends, and anyone can offer a terminal.
  private func goPublic() {
    if let refusal = door.open() {
      report("daemon", refusal)
      return session.end(.couldNotStart)
    }
    if let manager = ServiceManager.socket { ServiceManager.notifyReady(at: manager) }
    guard door.hasFront else { return }
    door.leave("")
    StandardDescriptors.close { _ in true }
  }

  /// Ends the session, or detaches: as the setting says, but a daemon never ends with a terminal. A front alone is killed
  /// by hand or by mistake, which does not end a player that has been without it before.
  private func hangUp(isFrontOnly: Bool = false) {
    let detaches =
      independence == .daemon || isFrontOnly && independence == .detached || face.settings.onHangup == .detach
    guard face.hasTerminal, detaches, session.leaveTerminal() == nil else { return session.end(.signalled) }
  }

  private func take(_ terminal: TerminalHandle) {
    do throws(TerminalError) { try face.take(terminal) } catch {
      for descriptor in terminal.descriptors { close(descriptor) }
      return door.refuse("this terminal cannot show the screen: \(error)")
    }
    door.accept()
    // The terminal before may have been suspended.
    session.resume()
  }

  private func perform(_ command: ScreenCommand) {
    switch command {
    case .player(let command): session.perform(command)
    case .configure(let configuration): face.adopt(configuration)
    case .listen(let frameCount): face.show(session.heard(frameCount: frameCount))
    case .redraw: face.redraw()
    case .suspend: wantsSuspension = true
    case .hangUp: hangUp()
    }
  }

  /// Applies the files of settings after a change, without the lines that are wrong.
  private func reload() {
    let (configuration, errors) = files.read()
    // The folders may contain other files.
    guard settingsRead.map({ $0 != (configuration, errors) }) ?? true else { return }
    let old = settingsRead?.configuration.player
    settingsRead = (configuration, errors)
    face.configure(configuration)
    session.adopt(configuration.player)
    if configuration.player.programs != old?.programs { session.say("on-event and resolver change at the next start") }
    if errors.isEmpty { session.say("settings reloaded") } else { face.complain(errors) }
  }
}
