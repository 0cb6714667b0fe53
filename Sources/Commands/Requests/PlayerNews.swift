/// News of the player that observers only show. Each but `log` comes once when an observer is added, and when it changes.
public enum PlayerNews: Sendable, Hashable {
  /// The output devices, or the present one.
  case outputs(OutputList)
  /// The timers that are set, with their times of day: `sleep at 23:45`, `alarm 7:30`.
  case timers([String])
  /// A line for the event log alone.
  case log(String)
  /// The address of the page for browsers; `nil` while there is none.
  case page(String?)
}
