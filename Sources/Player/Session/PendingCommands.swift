internal import Commands
internal import Playback

/// The effects of a command: sentences, new entries, a refusal.
struct CommandWitness {
  var sentences: [String] = []
  /// The new entries of the queue.
  var added: Range<QueueEntry.ID> = 0..<0
  /// True if the command had no effect.
  var isRefused = false

  fileprivate var answer: CommandAnswer {
    let text = sentences.joined(separator: "; ")
    if isRefused { return .refused(text.isEmpty ? "not possible" : text) }
    let sentence = text.isEmpty ? nil : text
    return added.isEmpty ? .done(sentence) : .added(added, sentence)
  }
}

/// The commands whose effects are awaited. Pure: the owner calls the answers that `take` returns.
struct PendingCommands {
  enum Wait: Equatable {
    case nothing
    /// The answer of a file thread; `isPlayback` for a change of the queue, which may move playback then.
    case files(isPlayback: Bool)
    /// The engine reaching this mark; `isPlayback`: the track or the seek target must be audible, too.
    case engine(mark: Int, isPlayback: Bool)
  }

  private struct Pending {
    var number: Int
    var wait: Wait
    var witness: CommandWitness
    var answer: (CommandAnswer) -> Void

    /// The effects, and the reason for which nothing can be heard yet.
    func witness(in snapshot: PlaybackSnapshot) -> CommandWitness {
      guard case .engine(_, isPlayback: true) = wait, snapshot.state == .waiting, snapshot.reason.concernsOutput else {
        return witness
      }
      var witness = witness
      witness.sentences.append("waiting (\(snapshot.reason.words))")
      return witness
    }
  }

  private var commands: [Pending] = []
  /// The mark of the engine that the observers have seen.
  var markReached = 0
  private(set) var nextNumber = 0

  mutating func add(_ wait: Wait, _ witness: CommandWitness, _ answer: @escaping (CommandAnswer) -> Void) {
    commands.append(Pending(number: nextNumber, wait: wait, witness: witness, answer: answer))
    nextNumber += 1
  }

  /// The files of a command were read or written.
  mutating func finishFiles(of number: Int, _ witness: CommandWitness, mark: Int) {
    guard let place = commands.firstIndex(where: { $0.number == number }),
      case .files(let isPlayback) = commands[place].wait
    else { return }
    commands[place].witness = witness
    commands[place].wait = witness.isRefused ? .nothing : .engine(mark: mark, isPlayback: isPlayback)
  }

  /// Nothing of what was chosen can be played.
  mutating func refusePlayback(_ reason: String) {
    for place in commands.indices {
      guard case .engine(_, isPlayback: true) = commands[place].wait else { continue }
      commands[place].witness = CommandWitness(sentences: [reason], isRefused: true)
    }
  }

  /// Removes the commands that took effect.
  mutating func take(_ snapshot: @autoclosure () -> PlaybackSnapshot) -> [((CommandAnswer) -> Void, CommandAnswer)] {
    guard !commands.isEmpty else { return [] }
    let snapshot = snapshot()
    let isMoving = snapshot.isMoving
    let markReached = markReached
    let isOver = { (wait: Wait) in
      switch wait {
      case .nothing: true
      case .files: false
      case .engine(let mark, let isPlayback): markReached >= mark && !(isPlayback && isMoving)
      }
    }
    let over = commands.filter { isOver($0.wait) }
    if !over.isEmpty { commands.removeAll { isOver($0.wait) } }
    return over.map { ($0.answer, $0.witness(in: snapshot).answer) }
  }
}

extension PendingCommands.Wait {
  /// The event that a command waits for. `mark` sets a mark of the engine.
  static func end(of command: Command, hasFiles: Bool, _ mark: () -> Int) -> Self {
    switch command.end {
    case .obeyed: .engine(mark: mark(), isPlayback: false)
    case .audible: .engine(mark: mark(), isPlayback: true)
    case .files(let isPlayback): hasFiles ? .files(isPlayback: isPlayback) : .engine(mark: mark(), isPlayback: false)
    }
  }
}
