/// The outcome of a comparison with a server, after which both sides are the same.
public struct SyncOutcome: Sendable, Hashable {
  /// Sentences on what the server does not take.
  public var refusals: [String] = []
  /// The reason why the server got nothing more.
  public var failure: ServerFailure?
  /// True if another program does the same now.
  public var isBusy = false
  /// The number of things here that have changed.
  public var takenCount = 0

  init() {}
}
