internal import Glibc
internal import Library
internal import NCursesTerminal
internal import Playback
internal import TerminalUI
internal import Threads

/// The screen: passes messages to the pure part, draws what comes of them, hands its commands on.
final class ScreenFace: Face {
  private let terminal: NCursesTerminal
  private var state: ScreenState
  private var isDrawn = false
  private var isSuspended = false
  private let perform: (Command) -> Void

  /// - Parameters:
  ///   - keys: What the terminal's keys are read from.
  ///   - perform: Called with what the listener wants, from `readInput` and `tick`.
  init(
    _ configuration: Configuration, keys: CInt, perform: @escaping (Command) -> Void
  ) throws(TerminalError) {
    terminal = try NCursesTerminal(
      input: keys, look: NCursesTerminal.Look(configuration), usesMouse: configuration.settings.mouse)
    state = ScreenState(size: terminal.size, typography: terminal.typography, configuration: configuration)
    self.perform = perform
  }

  /// Which view is shown, and which row of the queue is selected.
  var place: (view: ScreenView, row: Int) { (state.shownView, state.selectedRow) }

  /// What the listener has set.
  var configuration: Configuration { state.configuration }

  /// Where the queue was left.
  func restore(_ view: ScreenView, selected row: Int) { send(.restored(view, selected: row)) }

  /// Other settings hold now: they were read again.
  func configure(_ configuration: Configuration) {
    send(.configured(configuration))
    adopt(configuration)
  }

  /// The terminal follows what the listener has set.
  func adopt(_ configuration: Configuration) {
    terminal.configure(look: NCursesTerminal.Look(configuration), usesMouse: configuration.settings.mouse)
    isDrawn = false
  }

  /// What was found on disk.
  func show(_ folder: FolderContents) { send(.folder(folder)) }
  func offer(_ names: [String], beginning: String) { send(.completions(names, beginning: beginning)) }
  func show(_ streams: StreamList) { send(.streams(streams)) }
  func recall(_ lines: [String]) { send(.history(lines)) }

  /// Something that is wrong with the files of settings.
  func complain(_ errors: [ConfigurationError]) {
    for error in errors { note(error.description) }
    guard let first = errors.first else { return }
    send(.notice(first.description + (errors.count > 1 ? " (and \(errors.count - 1) more in the log)" : "")))
  }

  /// A line for the log.
  func note(_ text: String) { send(.log(LogEntry(time: localTimeOfDay(), text: text, position: nil))) }

  var inputDescriptor: CInt? { isSuspended ? nil : terminal.inputDescriptor }
  var outputDescriptor: CInt? { isSuspended ? nil : terminal.outputDescriptor }
  var deadline: UInt64? { isSuspended ? monotonicNanoseconds() + 1_000_000_000 : nextDeadline(of: state) }
  var endsWithQueue: Bool { false }
  var isAbandoned: Bool { false }

  func readInput() {
    for message in terminal.readInput() { send(message) }
  }

  func followSize() {
    let size = terminal.size
    readInput()
    // It was another for a moment, in which what was seen may have been cut.
    if terminal.size == size { redraw() }
  }

  func tick() {
    send(.tick)
    // bash sends no SIGCONT when `fg` follows `bg`.
    if isSuspended { resume() }
  }

  func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    for notice in notices {
      if let text = notice.logText {
        send(.log(LogEntry(time: localTimeOfDay(), text: text, position: notice.position)))
      }
      if case .trackFailed(let entry, let message) = notice { show(TrackFacts(failure: message), of: entry.id) }
      if notice.isWorthReading, let text = notice.lineText { send(.notice(text)) }
    }
    send(.playback(snapshot))
  }

  func show(_ queue: PlayQueue) {
    send(.queue(queue.entries))
    send(
      .modes(
        QueueModes(
          isShuffled: queue.isShuffled, repetition: queue.repeatMode, stopsAfterCurrent: queue.stopsAfterCurrent)))
  }

  func show(_ facts: TrackFacts, of id: QueueEntry.ID) { send(.facts(facts, entryID: id)) }

  func show(_ waveform: Waveform, of id: QueueEntry.ID) { send(.waveform(waveform, entryID: id)) }

  func say(_ text: String) { send(.notice(text)) }

  func complain(_ failure: CollectionFailure) {
    let text = failure.description
    note(text)
    send(.notice(text))
  }

  func draw() {
    for line in terminal.takeErrors() {
      note("standard error: \(line)")
    }
    guard !isSuspended, terminal.flush(), !isDrawn else { return }
    isDrawn = true
    let grid = view(state)
    terminal.cursor = cursorPlace(state, in: grid)
    terminal.draw(grid)
    let isNamed = state.configuration.settings.title
    if isNamed { terminal.setTitle(windowTitle(state)) }
    terminal.showProgress(isNamed ? windowProgress(state) : nil)
  }

  /// Draws everything anew, whatever is on the terminal.
  func redraw() {
    if !terminal.repaint() { isDrawn = false }
  }

  func suspend() {
    send(.visible(false))
    isSuspended = true
    terminal.suspend()
  }

  /// Also after a stop that nobody had announced (SIGSTOP): whatever others did to the terminal meanwhile, it is set up
  /// and drawn anew. Not while it is another's, as after `bg`.
  func resume() {
    isSuspended = tcgetpgrp(terminal.inputDescriptor) != getpgrp()
    guard !isSuspended else { return send(.visible(false)) }
    terminal.suspend()
    terminal.resume()
    readInput()
    send(.visible(true))
    redraw()
  }

  func close() { terminal.close() }

  private func send(_ message: Message) {
    let now = monotonicNanoseconds()
    let isSettled = isDrawn && isSettled(state, at: now)
    let commands = update(&state, with: message, at: now)
    isDrawn = isSettled && commands == [.redraw]
    for command in commands { perform(command) }
  }
}

/// The time of day where the listener is, as `21:04:09`.
private func localTimeOfDay() -> String {
  var now = time(nil)
  var parts = tm()
  localtime_r(&now, &parts)
  let two = { (number: CInt) in (number < 10 ? "0" : "") + String(number) }
  return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
}

extension NCursesTerminal.Look {
  /// As the listener has set it.
  init(_ configuration: Configuration) {
    let colorLimit: Int? =
      switch configuration.settings.colors {
      case .auto: nil
      case .none: 0
      case .sixteen: 16
      case .palette: 256
      }
    self.init(theme: configuration.theme, colorLimit: colorLimit)
  }
}
