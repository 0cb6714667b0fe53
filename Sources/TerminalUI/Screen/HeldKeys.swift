internal import AudioModel
internal import Cells

/// Keys that wait for the rows that they are for. Typed faster than a list is read, they would meet the rows before.
struct HeldKeys: Sendable {
  /// A list that takes longer is not waited for.
  private static let limit = TimeSpan.milliseconds(700)
  private static let countLimit = 100

  private var keys: [Key] = []
  /// The time at which the keys take effect in any case.
  private(set) var deadline: MonotonicTime?

  var isEmpty: Bool { keys.isEmpty }

  mutating func hold(_ key: Key, at now: MonotonicTime) {
    keys.append(key)
    // None is lost, however many there are.
    deadline = keys.count > Self.countLimit ? now : deadline ?? now + Self.limit
  }

  /// The next key that takes effect now.
  ///
  /// - Parameter isReady: True if the rows are there.
  mutating func take(isReady: Bool, at now: MonotonicTime) -> Key? {
    guard let end = deadline, isReady || end <= now else { return nil }
    let key = keys.removeFirst()
    // The next key may be for rows that this one asks for.
    deadline = keys.isEmpty ? nil : end <= now ? end : now + Self.limit
    return key
  }

  mutating func clear() { (keys, deadline) = ([], nil) }
}
