internal import AudioModel
internal import Cells
internal import Commands

/// Assembles keys into sequences and looks them up in the key map.
struct KeyInput: Sendable {
  /// The meaning of a key together with the keys before it.
  enum Outcome: Sendable, Hashable {
    /// More keys may follow.
    case pending
    /// An action, and keys after it that are still to be handled.
    case action(Action, then: [Key])
    /// No action; perhaps the reason.
    case nothing(String?)
  }

  /// The time limit for the rest of a sequence whose beginning is bound, too.
  private static let sequenceTime = TimeSpan.milliseconds(800)
  private static let reportLimit = 256

  /// The beginning of a sequence, and the time at which it ends without more keys.
  private var pending: (keys: [Key], deadline: MonotonicTime)?
  /// Unbound keys that were reported.
  private var reported: Set<[Key]> = []
  /// An action that cannot be undone, and the time until which its key counts: it was pressed once.
  private var asked: (action: Action, deadline: MonotonicTime)?

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
      return outcome(action, of: keys, then: [], at: now)
    case .action(_, mayGoOn: true), .beginning:
      pending = (keys, now + Self.sequenceTime)
      return .pending
    case .nothing: return end(keys, keyMap, at: now)
    }
  }

  /// The meaning of the pending keys if their time is over.
  mutating func expire(_ keyMap: KeyMap, at now: MonotonicTime) -> Outcome? {
    guard let pending, pending.deadline <= now else { return nil }
    return end(pending.keys, keyMap, at: now)
  }

  /// No more keys follow, or none that fit: the longest bound beginning takes effect, then the keys after it.
  private mutating func end(_ keys: [Key], _ keyMap: KeyMap, at now: MonotonicTime) -> Outcome {
    pending = nil
    for count in (1...keys.count).reversed() {
      guard case .action(let action, _) = keyMap.match(Array(keys.prefix(count))) else { continue }
      return outcome(action, of: Array(keys.prefix(count)), then: Array(keys.dropFirst(count)), at: now)
    }
    asked = nil
    guard reported.count < Self.reportLimit, reported.insert(keys).inserted, let sequence = KeySequence(keys) else {
      return .nothing(nil)
    }
    if let former = KeyMap.former[sequence]?.text {
      return .nothing("\(sequence) is no longer bound: type :\(former), or :bind \(sequence) \(former)")
    }
    let help = keyMap.label(of: .show(.help)).map { ": \($0) lists the keys" } ?? ""
    return .nothing("\(sequence) is not bound\(help)")
  }

  /// The action of keys. One that cannot be undone takes effect when its keys are pressed again: they may be a slip, or
  /// the rest of a sequence that a network has cut.
  private mutating func outcome(
    _ action: Action, of keys: [Key], then rest: [Key], at now: MonotonicTime
  ) -> Outcome {
    let isAsked = asked.map { $0.action == action && now < $0.deadline } ?? false
    asked = nil
    guard action == .player(.quit(savesSession: false)), !isAsked, let sequence = KeySequence(keys) else {
      return .action(action, then: rest)
    }
    asked = (action, now + Notice.duration)
    return .nothing("Press \(sequence) again to quit without saving the session")
  }

  mutating func abandon() { (pending, awaitsLetter) = (nil, false) }

  /// Forgets all pending keys: the bindings have changed.
  mutating func reset() { self = KeyInput() }
}
