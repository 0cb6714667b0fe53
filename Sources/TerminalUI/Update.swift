/// What a message does to the screen, and what the composition root has to do. Pure.
///
/// - Parameter now: CLOCK_MONOTONIC, nanoseconds.
public func update(_ state: inout ScreenState, with message: Message, at now: UInt64) -> [Command] {
  state.now = max(state.now, now)
  return []
}

/// When the screen changes next without any message (CLOCK_MONOTONIC, nanoseconds): send `tick` then. `nil`: never,
/// as while paused, stopped or hidden (CONTRACTS D.5).
public func nextDeadline(of state: ScreenState) -> UInt64? { nil }
