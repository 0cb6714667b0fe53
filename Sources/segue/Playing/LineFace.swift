internal import AudioModel
internal import ByteIO
internal import Glibc
internal import Library
internal import Playback
internal import Player

/// One line per event on standard output, for pipes, cron and screen readers.
final class LineFace: Face {
  private let isSilent: Bool
  private(set) var isAbandoned = false

  /// - Parameter isSilent: Standard output carries other data.
  init(isSilent: Bool) { self.isSilent = isSilent }

  var inputDescriptor: CInt? { nil }
  var outputDescriptor: CInt? { nil }
  var deadline: MonotonicTime? { nil }
  var isShown: Bool { false }

  func readInput() {}
  func followSize() {}
  func tick() {}
  func draw(if mayWrite: () -> Bool) {}
  func suspend() {}
  func hide() {}
  func resume(inForeground: Bool) {}
  func close() {}

  func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    for notice in notices {
      // Failures go to standard error: `report`.
      if !notice.isFailure, let text = notice.logText { say(text, isLogged: false) }
    }
  }

  func complain(_ failure: CollectionFailure) { segue.report(failure.path, failure.reason) }

  func report(_ subject: String, problem: String) { segue.report(subject, problem) }

  func say(_ text: String, isLogged: Bool) {
    // A reader that stops reading misses lines; the music plays on.
    let output = FileWriter(descriptor: STDOUT_FILENO)
    guard !isSilent, output.isReady else { return }
    do throws(ByteIOError) { try output.write(Array((text.printable + "\n").utf8)) } catch {
      isAbandoned = error.errno == EPIPE
    }
  }
}
