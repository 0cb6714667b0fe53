public import AudioModel

/// Decides when programs that were asked for run, and when they are ended: a few at a time, each for a limited time. Pure.
public struct ProgramSlots: Sendable {
  /// An order about a program, by its number.
  public enum Effect: Sendable, Hashable {
    case start(Int)
    /// Too many wait: it will not run.
    case drop(Int)
    /// Ask it to end.
    case terminate(Int)
    case kill(Int)
  }

  /// The number of programs at a time, and of those that wait.
  public static let limit = 4, waitingLimit = 32
  /// The time between the two signals.
  private static let grace = TimeSpan.seconds(2)

  private struct Run {
    /// The time of the next signal.
    var end: MonotonicTime
    var isTerminated = false
  }

  private let patience: TimeSpan
  private var waiting: [Int] = []
  private var running: [Int: Run] = [:]

  /// - Parameter patience: The time that each may take.
  public init(patience: TimeSpan) { self.patience = patience }

  /// The time at which `end` is to be called.
  public var deadline: MonotonicTime? { running.values.map(\.end).min() }

  public mutating func add(_ id: Int, at now: MonotonicTime) -> [Effect] {
    waiting.append(id)
    // The last ones tell the most about the present.
    let drops = waiting.count > Self.waitingLimit ? [Effect.drop(waiting.removeFirst())] : []
    return drops + fill(at: now)
  }

  /// A program has ended, or could not be started.
  public mutating func remove(_ id: Int, at now: MonotonicTime) -> [Effect] {
    running[id] = nil
    return fill(at: now)
  }

  /// Ends those that have taken too long.
  public mutating func end(at now: MonotonicTime) -> [Effect] {
    running.keys.sorted().compactMap { id in
      guard let run = running[id], run.end <= now else { return nil }
      running[id] = Run(end: run.isTerminated ? .distantFuture : now + Self.grace, isTerminated: true)
      return run.isTerminated ? .kill(id) : .terminate(id)
    }
  }

  private mutating func fill(at now: MonotonicTime) -> [Effect] {
    var effects: [Effect] = []
    while running.count < Self.limit, !waiting.isEmpty {
      let id = waiting.removeFirst()
      running[id] = Run(end: now + patience)
      effects.append(.start(id))
    }
    return effects
  }
}
