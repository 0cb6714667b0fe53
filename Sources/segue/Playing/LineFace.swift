internal import AudioModel
internal import ByteIO
internal import Commands
internal import Desk
internal import Glibc
internal import Library
internal import Playback
internal import Player

/// One line per event on standard output, for pipes, cron and screen readers.
final class LineFace: Face {
  private let isSilent: Bool
  private(set) var isAbandoned = false
  private var events = LineReport()

  /// - Parameter isSilent: Standard output carries other data.
  init(isSilent: Bool) { self.isSilent = isSilent }

  var inputDescriptor: CInt? { nil }
  var outputDescriptor: CInt? { nil }
  var deadline: MonotonicTime? { nil }
  var isShown: Bool { false }

  func readInput() {}
  func followSize() {}
  func tick() {}
  func draw(if mayWrite: () -> Bool) { write(events.endTurn()) }
  func suspend() {}
  func hide() {}
  func resume(inForeground: Bool) {}
  func close() {}

  func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    write(events.lines(for: notices, snapshot))
  }

  func show(_ queue: PlayQueue) { write(events.lines(for: queue)) }

  func show(_ settings: Settings) { write(events.lines(for: settings)) }

  func show(_ news: PlayerNews) { if case .timers(let timers) = news { events.note(timers: timers) } }

  func complain(_ failure: CollectionFailure) { segue.report(failure.path, failure.problem(.place)) }

  func report(_ failure: PlaybackNotice) {
    guard let problem = failure.problem(.place) else { return }
    segue.report(failure.entry?.location.description ?? "sound", problem)
  }

  func say(_ text: String, isLogged: Bool) { write([events.line(for: text)]) }

  private func write(_ lines: [String]) {
    // A reader that stops reading misses lines; the music plays on.
    let output = FileWriter(descriptor: STDOUT_FILENO)
    guard !lines.isEmpty, !isSilent, output.isReady else { return }
    let text = lines.map { $0.printable + "\n" }.joined()
    do throws(ByteIOError) { try output.write(Array(text.utf8)) } catch { isAbandoned = error.errno == EPIPE }
  }
}
