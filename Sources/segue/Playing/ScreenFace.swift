internal import AudioModel
internal import AudioOutput
internal import Cells
internal import Commands
internal import Glibc
internal import Library
internal import NCursesTerminal
internal import Playback
internal import Player
internal import TerminalUI
internal import Threads

/// The screen: passes messages to the pure part, draws the result, and passes its requests on. Without a terminal it
/// keeps its state up to date for the next one.
final class ScreenFace: Face {
  private var terminal: NCursesTerminal?
  private var handle: TerminalHandle?
  private var state: ScreenState
  /// The part of the state that the terminal shows.
  private enum Drawn { case nothing, allButVisualizer, all }

  private var drawn = Drawn.nothing
  private var isSuspended = false
  /// The requests that wait for the first picture, since the threads that serve them would compete with it.
  private var waiting: [ScreenCommand]? = []
  private let perform: (ScreenCommand) -> Void

  /// A screen without a terminal.
  ///
  /// - Parameter perform: Called with requests of the listener, from `readInput` and `tick`.
  init(_ configuration: Configuration, perform: @escaping (ScreenCommand) -> Void) {
    state = ScreenState(size: Size(columns: 80, rows: 24), typography: .ascii, configuration: configuration)
    self.perform = perform
  }

  // MARK: Terminals

  func take(_ handle: TerminalHandle) throws(TerminalError) {
    let configuration = state.configuration
    let new = try NCursesTerminal(
      handle, look: NCursesTerminal.Look(configuration), usesMouse: configuration.settings.mouse)
    (terminal, self.handle, isSuspended, drawn) = (new, handle, false, .nothing)
    state.adopt(new.typography)
    send(.terminal(.resized(new.size)))
    send(.visible(true))
  }

  /// Gives the terminal back for good.
  func leaveTerminal() {
    guard let terminal else { return }
    terminal.close()
    self.terminal = nil
    for descriptor in handle?.descriptors ?? [] where descriptor > STDERR_FILENO { Glibc.close(descriptor) }
    handle = nil
    send(.visible(false))
  }

  /// True if the screen is in a terminal, even if it is suspended.
  var hasTerminal: Bool { terminal != nil }

  var isShown: Bool { terminal != nil && !isSuspended }

  var settings: ScreenSettings { state.configuration.settings }

  /// The shown view, the selected row of the queue, and what was changed by hand.
  var place: FacePlace {
    FacePlace(
      view: state.lastingView.rawValue, row: state.selectedRow, changes: state.configuration.changes,
      files: state.files)
  }

  /// Restores the place of the session before.
  func restore(_ view: ScreenView, selected row: Int, files: FacePlace.Files? = nil) {
    send(.restored(view, selected: row, files: files))
  }

  /// Takes settings that were read again.
  func configure(_ configuration: Configuration) {
    send(.configured(configuration))
    adopt(state.configuration)
  }

  /// Applies the settings to the terminal.
  func adopt(_ configuration: Configuration) {
    terminal?.configure(look: NCursesTerminal.Look(configuration), usesMouse: configuration.settings.mouse)
    drawn = .nothing
  }

  func show(_ answer: Answer) { send(.answer(answer)) }

  /// Shows the errors in the files of settings.
  func complain(_ errors: [ConfigurationError]) {
    for error in errors { note(error.description) }
    guard let first = errors.first else { return }
    send(.notice(first.description + (errors.count > 1 ? " (and \(errors.count - 1) more in the log)" : "")))
  }

  private func note(_ text: String) { send(.log(LogEntry(time: localTimeOfDay(), text: text, position: nil))) }

  var inputDescriptor: CInt? { isSuspended ? nil : terminal?.inputDescriptor }
  var outputDescriptor: CInt? { isSuspended ? nil : terminal?.outputDescriptor }
  var deadline: MonotonicTime? { [nextDeadline(of: state), inputDeadline].compactMap(\.self).min() }
  private var inputDeadline: MonotonicTime? { isShown ? terminal?.inputDeadline : nil }
  var isAbandoned: Bool { false }

  func readInput() {
    guard isShown, let terminal else { return }
    let inputs = terminal.readInput()
    // An answer may have said that the terminal shows pictures.
    state.adopt(terminal.typography)
    for input in inputs { send(.terminal(input)) }
  }

  func followSize() {
    guard let terminal else { return }
    let size = terminal.size
    readInput()
    // A short change of the size may have cut the text.
    if terminal.size == size { redraw() }
  }

  func tick() {
    if let inputDeadline, inputDeadline <= .now { readInput() }
    send(.tick)
  }

  func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    for notice in notices {
      if let text = notice.logText {
        send(.log(LogEntry(time: localTimeOfDay(), text: text, position: notice.position)))
      }
      if case .trackFailed(let entry, let error) = notice {
        send(.answer(.facts(TrackFacts(failure: error), entryID: entry.id)))
      }
      if notice.isWorthReading, let text = notice.lineText { send(.notice(text)) }
    }
    send(.playback(snapshot))
  }

  func show(_ queue: PlayQueue) {
    send(.queue(queue.entries))
    send(
      .modes(
        QueueModes(
          isShuffled: queue.isShuffled, repetition: queue.repeatMode, stopPoint: queue.stopPoint,
          consumes: queue.consumption != .off)))
  }

  func show(_ sound: HeardSound?) { send(.heard(sound)) }

  func show(_ news: PlayerNews) { if case .log(let text) = news { note(text) } else { send(.news(news)) } }

  func show(_ settings: Settings) { send(.settings(settings)) }

  func say(_ text: String, isLogged: Bool) {
    if isLogged { note(text) }
    send(.notice(text))
  }

  func complain(_ failure: CollectionFailure) {
    note(failure.description)
    send(.notice("\(failure.path): \(failure.problem(.reason))"))
  }

  func draw(if mayWrite: () -> Bool) {
    paint(if: mayWrite)
    guard let requests = waiting else { return }
    waiting = nil
    for request in requests { perform(request) }
  }

  private func paint(if mayWrite: () -> Bool) {
    guard let terminal else { return }
    for line in terminal.takeErrors() {
      note("standard error: \(line)")
    }
    guard !isSuspended, drawn != .all || terminal.outputDescriptor != nil, mayWrite() else { return }
    guard terminal.flush(), drawn != .all else { return }
    defer { drawn = .all }
    if drawn == .allButVisualizer {
      let (part, rows) = visualizer(state)
      if terminal.draw(part, inRows: rows) { return }
    }
    let grid = view(state)
    terminal.cursor = cursorPlace(state, in: grid)
    terminal.draw(grid)
    let isNamed = state.configuration.settings.title
    terminal.setTitle(isNamed ? windowTitle(state) : "")
    terminal.showProgress(isNamed ? windowProgress(state) : nil)
  }

  /// Draws everything again, whatever the terminal shows.
  func redraw() {
    if terminal?.repaint() != true { drawn = .nothing }
  }

  func suspend() {
    hide()
    terminal?.suspend()
  }

  func hide() {
    send(.visible(false))
    isSuspended = true
  }

  /// Also after a stop without a notice (SIGSTOP): sets up the terminal and draws everything, whatever other programs
  /// did to it. Does nothing while the terminal belongs to another job, as after `bg`.
  func resume(inForeground: Bool) {
    guard let terminal else { return }
    isSuspended = !inForeground
    guard inForeground else { return send(.visible(false)) }
    terminal.suspend()
    terminal.resume()
    readInput()
    send(.visible(true))
    redraw()
  }

  func close() { terminal?.close() }

  private func send(_ message: Message) {
    let now = MonotonicTime.now
    let isSettled = drawn != .nothing && isSettled(state, at: now)
    let commands = update(&state, with: message, at: now)
    switch (message, commands) {
    case (.tick, let commands) where isSettled && commands.allSatisfy(\.isListen): break
    case (.heard, []) where isSettled: drawn = .allButVisualizer
    case (_, [.redraw]) where isSettled: break
    default: drawn = .nothing
    }
    if waiting != nil { waiting? += commands } else { for command in commands { perform(command) } }
  }
}

/// The local time of day, as `21:04:09`.
private func localTimeOfDay() -> String {
  var now = time(nil)
  var parts = tm()
  localtime_r(&now, &parts)
  let two = { (number: CInt) in (number < 10 ? "0" : "") + String(number) }
  return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
}

extension NCursesTerminal.Look {
  init(_ configuration: Configuration) {
    let colorLimit: Int? =
      switch configuration.settings.colors {
      case .auto: nil
      case .none: 0
      case .sixteen: 16
      case .palette: 256
      }
    self.init(theme: configuration.theme, colorLimit: colorLimit, cover: configuration.settings.cover)
  }
}

extension ScreenCommand {
  /// True for a request whose answer is drawn, not the request itself.
  fileprivate var isListen: Bool { if case .listen = self { true } else { false } }
}
