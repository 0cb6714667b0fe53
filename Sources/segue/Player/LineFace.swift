internal import ByteIO
internal import Glibc
internal import Library
internal import Playback

/// One line per event on standard output, for pipes, cron and screen readers.
final class LineFace: Face {
  private let isSilent: Bool
  private(set) var isAbandoned = false

  /// - Parameter isSilent: Standard output is for something else.
  init(isSilent: Bool) { self.isSilent = isSilent }

  var inputDescriptor: CInt? { nil }
  var outputDescriptor: CInt? { nil }
  var deadline: UInt64? { nil }
  var endsWithQueue: Bool { true }

  func readInput() {}
  func followSize() {}
  func tick() {}
  func draw() {}
  func suspend() {}
  func resume() {}
  func close() {}
  func show(_ queue: PlayQueue) {}

  func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    for notice in notices {
      // Failures go to standard error, by the session.
      if !notice.isFailure, let text = notice.logText { say(text) }
    }
  }

  func complain(_ failure: CollectionFailure) { report(failure.path, failure.reason) }

  func say(_ text: String) {
    // Who stops reading misses lines; the music goes on.
    let output = FileWriter(descriptor: STDOUT_FILENO)
    guard !isSilent, output.isReady else { return }
    do throws(ByteIOError) { try output.write(Array((text.printable + "\n").utf8)) } catch {
      isAbandoned = error.errno == EPIPE
    }
  }
}
