internal import ByteIO
internal import Library
internal import NCursesTerminal
internal import Playback
internal import Player
internal import TerminalUI

/// A run of the player with a screen: passes requests of the screen on, and follows the files of settings.
final class ScreenRun {
  private let session: PlayerSession
  private let files: ConfigurationFiles
  private let signals: SignalDescriptor
  private let bell: WakeDescriptor
  private let events: EventWriter?
  private let remote: RemoteControl
  /// The descriptor of the keys.
  private let keys: CInt
  private var face: ScreenFace?
  private var wantsSuspension = false
  /// The last contents of the files of settings.
  private var settingsRead: (configuration: Configuration, errors: [ConfigurationError])?

  init(
    session: PlayerSession, files: ConfigurationFiles, signals: SignalDescriptor, bell: WakeDescriptor,
    events: EventWriter?, remote: RemoteControl, keys: CInt
  ) {
    (self.session, self.files, self.signals) = (session, files, signals)
    (self.bell, self.events, self.remote, self.keys) = (bell, events, remote, keys)
  }

  /// Runs until the session has ended; `nil` if the terminal cannot show a screen: lines are possible then.
  func run(
    _ start: Start, _ configuration: Configuration, _ errors: [ConfigurationError]
  ) -> PlayerSession.Ending? {
    let face: ScreenFace
    do throws(TerminalError) {
      face = try ScreenFace(configuration, keys: keys) { [unowned self] in perform($0) }
    } catch { return nil }
    self.face = face
    settingsRead = (configuration, errors)
    session.endsWithQueue = false
    session.add(face)
    if start.isContinued, let place = start.record?.place {
      face.restore(ScreenView(rawValue: place.view) ?? .queue, selected: place.row)
    } else if start.locations.isEmpty {
      face.restore(.files, selected: 0)
    }
    for failure in start.failures { face.complain(failure) }
    for complaint in start.complaints { face.say(complaint, isLogged: true) }
    face.complain(errors)
    session.startSaving(keepsOldQueue: !start.isContinued || start.files == nil)
    let ending = loop(face).run()
    // The screen first: a disk may be slow.
    session.place = face.place
    face.close()
    if let error = session.finish() { report("the session could not be saved", error) }
    return ending
  }

  private func loop(_ face: ScreenFace) -> PlayerLoop {
    var loop = PlayerLoop(
      session: session, face: face, signals: signals, bell: bell, events: events, remote: remote
    ) { [unowned self] in turn($0) }
    guard let folder = files.folder else { return loop }
    let watched = [folder, folder.appending(BytePath("themes"))] + [files.file?.parent].compactMap(\.self)
    if let watch = ConfigurationWatch(folders: watched) {
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
    if let face { session.place = face.place }
  }

  private func perform(_ command: ScreenCommand) {
    switch command {
    case .player(let command): session.perform(command)
    case .configure(let configuration): face?.adopt(configuration)
    case .listen(let frameCount): face?.show(session.heard(frameCount: frameCount))
    case .redraw: face?.redraw()
    case .suspend: wantsSuspension = true
    }
  }

  /// Applies the files of settings after a change, unless they have errors.
  private func reload() {
    let (configuration, errors) = files.read()
    // The folders may contain other files.
    guard settingsRead.map({ $0 != (configuration, errors) }) ?? true else { return }
    settingsRead = (configuration, errors)
    if errors.isEmpty {
      face?.configure(configuration)
      session.adopt(configuration.player)
      face?.say("settings reloaded", isLogged: false)
    } else {
      face?.complain(errors)
    }
  }
}
