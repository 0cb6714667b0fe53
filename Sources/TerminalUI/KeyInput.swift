internal import AudioModel

/// Assembles keys into sequences and looks them up in the key map.
struct KeyInput: Sendable {
  /// The meaning of a key together with the keys before it.
  enum Outcome: Sendable, Hashable {
    /// More keys may follow.
    case pending
    /// An action, and keys after it that are still to be handled.
    case action(Action, then: [Key])
    /// No binding; `isFirst` the first time that these keys are pressed.
    case unbound(KeySequence?, isFirst: Bool)
  }

  /// The time limit for the rest of a sequence whose beginning is bound, too.
  private static let sequenceTime = TimeSpan.milliseconds(800)
  private static let reportLimit = 256

  /// The beginning of a sequence, and the time at which it ends without more keys.
  private var pending: (keys: [Key], deadline: MonotonicTime)?
  /// Unbound keys that were reported.
  private var reported: Set<[Key]> = []

  /// True if the next key is a letter to jump to.
  private(set) var awaitsLetter = false

  /// The time at which the pending keys take effect without more keys.
  var deadline: MonotonicTime? { pending?.deadline }
  var isPending: Bool { pending != nil || awaitsLetter }

  /// The pending keys, as the screen shows them.
  var pendingText: String? {
    awaitsLetter ? "jump to …" : pending.flatMap { KeySequence($0.keys) }.map { "\($0) …" }
  }

  /// Makes the next key a letter to jump to.
  mutating func awaitLetter() { awaitsLetter = true }

  /// The letter to jump to, if one was awaited and this key types one.
  mutating func takeLetter(_ key: Key) -> Character? {
    guard awaitsLetter else { return nil }
    awaitsLetter = false
    guard key.modifiers.isEmpty, case .character(let letter) = key.symbol else { return nil }
    return letter
  }

  mutating func take(_ key: Key, _ keyMap: KeyMap, at now: MonotonicTime) -> Outcome {
    let keys = (pending?.keys ?? []) + [key]
    switch keyMap.match(keys) {
    case .action(let action, mayGoOn: false):
      pending = nil
      return .action(action, then: [])
    case .action(_, mayGoOn: true), .beginning:
      pending = (keys, now + Self.sequenceTime)
      return .pending
    case .nothing: return end(keys, keyMap)
    }
  }

  /// The meaning of the pending keys if their time is over.
  mutating func expire(_ keyMap: KeyMap, at now: MonotonicTime) -> Outcome? {
    guard let pending, pending.deadline <= now else { return nil }
    return end(pending.keys, keyMap)
  }

  /// No more keys follow, or none that fit: the longest bound beginning takes effect, then the keys after it.
  private mutating func end(_ keys: [Key], _ keyMap: KeyMap) -> Outcome {
    pending = nil
    for count in (1...keys.count).reversed() {
      guard case .action(let action, _) = keyMap.match(Array(keys.prefix(count))) else { continue }
      return .action(action, then: Array(keys.dropFirst(count)))
    }
    let isFirst = reported.count < Self.reportLimit && reported.insert(keys).inserted
    return .unbound(KeySequence(keys), isFirst: isFirst)
  }

  mutating func abandon() { (pending, awaitsLetter) = (nil, false) }

  /// Forgets all pending keys: the bindings have changed.
  mutating func reset() { self = KeyInput() }
}
