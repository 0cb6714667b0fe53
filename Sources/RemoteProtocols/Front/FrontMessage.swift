/// Said to the player by a front: a process in a terminal, for which the shell waits while the player has that terminal.
public enum FrontMessage: Sendable, Hashable {
  /// Offers the terminal: descriptors for keys, for the screen, and for output without blocking come along.
  case offer(variables: [String: String])
  case signal(Int32)
  /// The front goes on after a stop. In the background the terminal belongs to another job.
  case continued(inForeground: Bool)

  public var words: [String] {
    switch self {
    case .offer(let variables): ["offer"] + variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    case .signal(let number): ["signal", String(number)]
    case .continued(let inForeground): ["continued", inForeground ? "foreground" : "background"]
    }
  }

  /// `nil` if the words are no message.
  public init?(words: [String]) {
    switch (words.first, words.count) {
    case ("offer", _):
      let pairs = words.dropFirst().map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
      guard pairs.allSatisfy({ $0.count == 2 }) else { return nil }
      self = .offer(variables: Dictionary(pairs.map { (String($0[0]), String($0[1])) }) { $1 })
    case ("signal", 2):
      guard let number = Int32(words[1]) else { return nil }
      self = .signal(number)
    case ("continued", 2): self = .continued(inForeground: words[1] == "foreground")
    default: return nil
    }
  }
}

/// Said to a front by the player.
public enum FrontOrder: Sendable, Hashable {
  /// The player takes signals, and the terminal.
  case ready
  /// The player cannot use the terminal.
  case refused(String)
  /// Stop until the shell continues the job.
  case stop
  /// End with this sentence, if any: the player runs on without the terminal.
  case leave(String)
  case end(Int32)

  public var words: [String] {
    switch self {
    case .ready: ["ready"]
    case .refused(let reason): ["refused", reason]
    case .stop: ["stop"]
    case .leave(let sentence): ["leave", sentence]
    case .end(let status): ["end", String(status)]
    }
  }

  /// `nil` if the words are no order.
  public init?(words: [String]) {
    switch (words.first, words.count) {
    case ("ready", 1): self = .ready
    case ("refused", 2): self = .refused(words[1])
    case ("stop", 1): self = .stop
    case ("leave", 2): self = .leave(words[1])
    case ("end", 2):
      guard let status = Int32(words[1]) else { return nil }
      self = .end(status)
    default: return nil
    }
  }
}
