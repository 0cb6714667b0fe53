/// The decisions of a front. It passes signals on, and stops and ends when the player says so, so that the shell sees one
/// job that behaves like the player itself.
public struct FrontMachine: Sendable {
  public enum Event: Sendable, Hashable {
    /// The player has said something.
    case order(FrontOrder)
    /// The player has ended without a word.
    case lost
    case signal(Int32)
    /// The front goes on after a stop, or has looked whether it is in the foreground.
    case continued(inForeground: Bool), looked(inForeground: Bool)
  }

  public enum Effect: Sendable, Hashable {
    case send(FrontMessage)
    case signalPlayer(Int32)
    /// Stop as a job, and report `continued`.
    case stop
    /// Print a sentence on standard output.
    case say(String)
    /// Print a problem on standard error.
    case complain(String)
    /// Restore the terminal, which the player has left as it was on the screen.
    case restoreTerminal
    /// End; the player runs on, or ends as well.
    case end(status: Int32, playerRunsOn: Bool)
    case endLikePlayer
  }

  private enum State { case starting, inForeground, inBackground, ended }

  private var state = State.starting
  /// True if the front was continued in the foreground, false in the background, after a stop before the player was
  /// ready: the player does not know of that stop.
  private var earlyPlace: Bool?
  private let fatalSignals: Set<Int32>

  /// A front whose player starts, or has been offered the terminal.
  ///
  /// - Parameter fatalSignals: Those that end the player's process, wherever they were sent.
  public init(fatalSignals: Set<Int32> = []) { self.fatalSignals = fatalSignals }

  /// True if the player has not taken the terminal yet.
  public var isStarting: Bool { state == .starting }
  /// True while `looked` must be reported once a second: a shell may bring the job back without a signal.
  public var mustLook: Bool { state == .inBackground }

  public mutating func handle(_ event: Event) -> [Effect] {
    switch (state, event) {
    case (.ended, _): return []
    case (_, .order(let order)): return obey(order)
    case (_, .lost):
      state = .ended
      return [.restoreTerminal, .endLikePlayer]
    // The player's process is not ready: a signal has its usual effect there, and the front ends with it.
    case (.starting, .signal(let number)): return [.signalPlayer(number)]
    case (.starting, .continued(let inForeground)):
      earlyPlace = inForeground
      return []
    case (_, .signal(let number)):
      return [fatalSignals.contains(number) ? .signalPlayer(number) : .send(.signal(number))]
    case (_, .continued(let inForeground)):
      state = inForeground ? .inForeground : .inBackground
      return [.send(.continued(inForeground: inForeground))]
    case (.inBackground, .looked(inForeground: true)):
      state = .inForeground
      return [.send(.continued(inForeground: true))]
    case (_, .looked): return []
    }
  }

  private mutating func obey(_ order: FrontOrder) -> [Effect] {
    switch order {
    case .ready:
      guard state == .starting else { return [] }
      state = .inForeground
      return earlyPlace.map { handle(.continued(inForeground: $0)) } ?? []
    case .stop: return state == .starting ? [] : [.stop]
    case .refused(let reason):
      state = .ended
      return [.complain(reason), .end(status: 1, playerRunsOn: true)]
    case .leave(let sentence):
      state = .ended
      return (sentence.isEmpty ? [] : [.say(sentence)]) + [.end(status: 0, playerRunsOn: true)]
    case .end(let status):
      state = .ended
      return [.end(status: status, playerRunsOn: false)]
    }
  }
}
