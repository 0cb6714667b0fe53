public import Commands
public import Playback

/// Names the events for which a program of the settings runs, and gives them with the player's status.
public final class ProgramEvents: PlayerObserver {
  public enum Name: String, Sendable {
    case track, title, pause, play, stop
    case end
    case quit
  }

  private let status: () -> JSON
  private let run: (JSON) -> Void
  /// Neither stopped nor paused.
  private var isActive = false
  private var isPaused = false

  /// - Parameters:
  ///   - status: The members of an event besides its name.
  ///   - run: Gives an event to the program.
  public init(status: @escaping () -> JSON, run: @escaping (JSON) -> Void) { (self.status, self.run) = (status, run) }

  public func show(_ snapshot: PlaybackSnapshot, _ notices: [PlaybackNotice]) {
    for notice in notices { if let name = name(of: notice) { announce(name) } }
  }

  /// Gives an event to the program.
  public func announce(_ name: Name) {
    guard case .object(let members) = status() else { return }
    run(.object([("event", .string(name.rawValue))] + members))
  }

  private func name(of notice: PlaybackNotice) -> Name? {
    switch notice {
    case .trackBegan: return .track
    case .titleChanged: return .title
    case .state(let state, let reason, _):
      let (wasActive, wasPaused) = (isActive, isPaused)
      isActive = state == .playing || state == .waiting
      isPaused = state == .paused || wasPaused && state == .waiting
      switch state {
      case .stopped: return wasActive || wasPaused ? (reason == .finished ? .end : .stop) : nil
      case .paused: return wasActive ? .pause : nil
      case .playing: return wasPaused ? .play : nil
      case .waiting: return nil
      }
    default: return nil
    }
  }
}
