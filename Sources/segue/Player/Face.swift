internal import Library
internal import Playback

/// How the player shows itself: a screen, or lines.
protocol Face: AnyObject {
  /// What to poll for POLLIN, if anything can be typed.
  var inputDescriptor: CInt? { get }
  /// What to poll for POLLOUT, to `draw` again then, if what is shown is not out yet.
  var outputDescriptor: CInt? { get }
  /// When `tick` is to be called (CLOCK_MONOTONIC nanoseconds); `nil` while nothing changes.
  var deadline: UInt64? { get }
  /// Whether playing to the end of the queue ends the program.
  var endsWithQueue: Bool { get }
  /// Whether whoever read what is shown has closed the pipe: as for any program in a pipeline, that is the end.
  var isAbandoned: Bool { get }

  /// Something was typed.
  func readInput()
  /// The terminal's size changed, perhaps more than once.
  func followSize()
  /// The deadline is reached.
  func tick()
  /// The player has news.
  func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice])
  /// The queue or its modes changed.
  func show(_ queue: PlayQueue)
  /// One sentence for the listener.
  func say(_ text: String)
  /// Something that was named on the command line could not be had.
  func complain(_ failure: CollectionFailure)
  /// Brings what is seen up to date. Once per turn of the loop.
  func draw()
  /// Gives the terminal back for a while.
  func suspend()
  /// Takes it again.
  func resume()
  /// Gives it back for good.
  func close()
}
