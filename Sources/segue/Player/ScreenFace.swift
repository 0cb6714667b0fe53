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

  /// - Parameter perform: Called with what the listener wants, from `readInput` and `tick`.
  init(perform: @escaping (Command) -> Void) throws(TerminalError) {
    terminal = try NCursesTerminal()
    state = ScreenState(size: terminal.size, typography: terminal.typography)
    self.perform = perform
  }

  var inputDescriptor: CInt? { isSuspended ? nil : terminal.inputDescriptor }
  var deadline: UInt64? { isSuspended ? monotonicNanoseconds() + 1_000_000_000 : nextDeadline(of: state) }
  var endsWithQueue: Bool { false }
  var isAbandoned: Bool { false }

  func readInput() {
    for message in terminal.readInput() { send(message) }
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
      if notice.isWorthReading, let text = notice.logText { send(.notice(text)) }
    }
    send(.playback(snapshot))
  }

  func show(_ queue: PlayQueue) {
    send(.queue(queue.entries))
    send(.modes(QueueModes(isShuffled: queue.isShuffled, repetition: queue.repeatMode)))
  }

  func show(_ facts: TrackFacts, of id: QueueEntry.ID) { send(.facts(facts, entryID: id)) }

  func say(_ text: String) { send(.notice(text)) }

  func complain(_ failure: CollectionFailure) {
    let text = failure.description
    send(.log(LogEntry(time: localTimeOfDay(), text: text, position: nil)))
    send(.notice(text))
  }

  func draw() {
    for line in terminal.takeErrors() {
      send(.log(LogEntry(time: localTimeOfDay(), text: "standard error: \(line)", position: nil)))
    }
    guard !isDrawn, !isSuspended else { return }
    isDrawn = true
    terminal.draw(view(state))
    terminal.setTitle(windowTitle(state))
  }

  /// Draws everything anew, whatever is on the terminal.
  func redraw() {
    terminal.forget()
    isDrawn = false
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
    isDrawn = false
    for command in update(&state, with: message, at: monotonicNanoseconds()) { perform(command) }
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
