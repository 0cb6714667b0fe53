public import AudioModel
internal import Cells

/// Applies a message to the screen. Returns its requests, in order. Pure.
///
/// - Parameter now: The time (CLOCK_MONOTONIC).
public func update(_ state: inout ScreenState, with message: Message, at now: MonotonicTime) -> [ScreenCommand] {
  state.handle(message, at: now)
}

/// The time of the next change without a message: send `tick` then. `nil` while nothing
/// changes: paused, stopped or hidden.
public func nextDeadline(of state: ScreenState) -> MonotonicTime? { state.deadline() }

/// True if nothing on the screen disappears with the next key or is out of date, apart from the spectrum. A key that is
/// answered by `redraw` alone then leaves the view as it is, apart from what moves with the second.
public func isSettled(_ state: ScreenState, at now: MonotonicTime) -> Bool {
  state.notice.text == nil && !state.keys.isPending && state.promptLine.prompt == nil && state.chooser == nil
    && state.deadline(withVisualizer: false) ?? .distantFuture > now
}
