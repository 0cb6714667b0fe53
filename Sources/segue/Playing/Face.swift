internal import AudioModel
internal import Library
internal import Playback
internal import Player

/// A face in a terminal: a screen, or lines.
protocol Face: PlayerObserver {
  /// The descriptor to poll for POLLIN, if anything can be typed.
  var inputDescriptor: CInt? { get }
  /// The descriptor to poll for POLLOUT, to call `draw` again then, while output is pending.
  var outputDescriptor: CInt? { get }
  /// The time for `tick`; `nil` while nothing changes.
  var deadline: MonotonicTime? { get }
  /// The reader of the output has closed the pipe: ends the program, as in any pipeline.
  var isAbandoned: Bool { get }

  /// True if the face is on a terminal that is in the foreground.
  var isShown: Bool { get }

  func readInput()
  /// The size of the terminal has changed, perhaps more than once.
  func followSize()
  func tick()
  /// Updates the terminal. Once per turn of the loop.
  ///
  /// - Parameter mayWrite: Called before anything is written; may hide the face.
  func draw(if mayWrite: () -> Bool)
  /// Releases the terminal for a while.
  func suspend()
  /// The terminal belongs to another job, which was not announced.
  func hide()
  /// Takes the terminal again, unless it belongs to another job.
  func resume(inForeground: Bool)
  func close()
}
