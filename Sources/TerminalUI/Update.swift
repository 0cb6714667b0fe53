/// Applies a message to the screen. Returns its requests, in order. Pure.
///
/// - Parameter now: CLOCK_MONOTONIC, nanoseconds.
public func update(_ state: inout ScreenState, with message: Message, at now: UInt64) -> [ScreenCommand] {
  state.handle(message, at: now)
}

/// The time of the next change without a message (CLOCK_MONOTONIC, nanoseconds): send `tick` then. `nil` while nothing
/// changes: paused, stopped or hidden.
public func nextDeadline(of state: ScreenState) -> UInt64? { state.deadline }

/// True if nothing on the screen disappears with the next key or is out of date. A key that is answered by `redraw`
/// alone then leaves the view as it is, apart from what moves with the second.
public func isSettled(_ state: ScreenState, at now: UInt64) -> Bool {
  state.notice.text == nil && !state.keys.isPending && state.promptLine.prompt == nil
    && nextDeadline(of: state) ?? .max > now
}
