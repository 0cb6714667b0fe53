import AudioModel
import AudioOutput
import AudioSession
import Playback
import SignalProcessing

/// A queue that is played under commands, on a device whose time they move. Checks the invariants after each command.
public final class Exercise {
  /// A broken rule.
  public struct Failure: Error, CustomStringConvertible {
    /// The index of the command, from 0.
    public var step: Int
    /// In words.
    public var message: String
    /// One line.
    public var description: String { "step \(step): \(message)" }
  }

  /// The start of an exercise.
  public struct Setup: Sendable {
    /// The files in the queue at first.
    public var queue: [Int]
    /// The depth of the device: 4 s if true, or 0.4.
    public var isDeep: Bool
    /// True if the commands leave the samples as the files hold them, so that they can be compared.
    public var isPure: Bool
    /// As text; what `init` takes.
    public var description: String {
      let files = queue.map { " \($0)" }.joined()
      return "setup \(isDeep ? 1 : 0) \(isPure ? 1 : 0)\(files)"
    }

    /// A setup.
    public init(queue: [Int], isDeep: Bool, isPure: Bool) {
      (self.queue, self.isDeep, self.isPure) = (queue, isDeep, isPure)
    }

    /// A line that begins with `setup`.
    public init?(_ text: String) {
      let words = text.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Int($0) }
      guard words.first == "setup", numbers.count > 2 else { return nil }
      self.init(queue: Array(numbers.dropFirst(2)), isDeep: numbers[0] == 1, isPure: numbers[1] == 1)
    }
  }

  let files: ExerciseFiles
  let setup: Setup
  let clock = VirtualClock()
  let output: VirtualOutput
  let engine: SteppedEngine
  var step = 0
  /// Receives the events.
  public var trace: ((String) -> Void)?

  /// The queue, as the program would have it.
  var list: [QueueEntry] = []
  private var lastID = 0
  /// True if requests for successors are not answered.
  var withholds = false
  var began: [QueueEntry.ID] = []
  var failed: Set<QueueEntry.ID> = []
  var isRecording = false

  /// An engine that is about to play.
  public init(_ files: ExerciseFiles, _ setup: Setup) {
    (self.files, self.setup) = (files, setup)
    output = VirtualOutput(clock: clock)
    var configuration = PlaybackEngine.Configuration()
    configuration.output = setup.isDeep ? .deep : .shallow
    configuration.now = { [clock] in clock.now }
    engine = SteppedEngine(output: output, configuration: configuration)
    list = setup.queue.map { newEntry($0) }
  }

  deinit { engine.close() }

  /// The setup and the commands that belong to a seed.
  public static func random(seed: UInt64, commandCount: Int) -> (Setup, [ExerciseCommand]) {
    var generator = SeededGenerator(seed: seed)
    let queue = (0..<Int.random(in: 1...6, using: &generator)).map { _ in Int.random(in: 0..<16, using: &generator) }
    let setup = Setup(
      queue: queue, isDeep: Int.random(in: 0..<3, using: &generator) > 0, isPure: Bool.random(using: &generator))
    let commands = (0..<commandCount).map { _ in
      ExerciseCommand.random(changesSound: !setup.isPure, using: &generator)
    }
    return (setup, commands)
  }

  /// Plays under the commands, and then to the end.
  public func run(_ commands: [ExerciseCommand]) throws(Failure) {
    if let first = list.first { engine.send(.play(first, from: 0)) }
    try advance(milliseconds: 0)
    var doze: Double?
    for (index, command) in commands.enumerated() {
      step = index
      trace?("\(clock.milliseconds) ms, step \(index): \(command)")
      perform(command)
      if let doze { runDevice(milliseconds: doze) }
      doze = command.verb == .doze ? command.value : nil
      if doze != nil { continue }
      try advance(milliseconds: command.verb == .wait ? max(0, min(10_000, command.value)) : 0)
    }
    step = commands.count
    try playToTheEnd()
  }

  func fail(_ message: String) -> Failure { Failure(step: step, message: message) }

  // MARK: The queue

  func newEntry(_ file: Int) -> QueueEntry {
    lastID += 1
    return QueueEntry(id: lastID, location: files.files[file % files.files.count].location)
  }

  func file(of entry: QueueEntry) -> ExerciseFiles.File? { files.files.first { $0.location == entry.location } }

  func next(after id: QueueEntry.ID) -> QueueEntry? {
    guard let place = list.firstIndex(where: { $0.id == id }) else { return nil }
    return list.indices.contains(place + 1) ? list[place + 1] : nil
  }

  /// Sends the successors again after a change of the queue.
  func tellNext() {
    guard !withholds else { return }
    for id in engine.snapshot.openedIDs { engine.send(.setNext(next(after: id), after: id)) }
  }

  // MARK: Time

  /// Lets the engine do all pending work, and answers its requests.
  func settle() throws(Failure) {
    var turns = 0
    while engine.turn() || engine.isCalled {
      turns += 1
      guard turns < 20_000 else { throw fail("does not come to rest: \(engine.snapshot.state)") }
      hearNotices()
    }
    hearNotices()
    if engine.isCalled { try settle() }
    if let broken = engine.violations.first { throw fail("not so: \(broken)") }
  }

  private func hearNotices() {
    for notice in engine.takeNotices() {
      trace?("\(clock.milliseconds) ms: \(notice)")
      switch notice {
      case .needsNext(let id):
        if !withholds { engine.send(.setNext(next(after: id), after: id)) }
      case .trackBegan(let entry, name: _):
        if isRecording { began.append(entry.id) }
      case .trackFailed(let entry, _): failed.insert(entry.id)
      default: break
      }
    }
  }

  /// Lets so much time pass for the device alone: the feeder's thread gets no processor.
  private func runDevice(milliseconds: Double) {
    let end = clock.now + .seconds(max(0, min(10_000, milliseconds)) / 1000)
    while case let due = output.step(), clock.now < end {
      clock.now = max(clock.now + .microseconds(1), min(due ?? end, end))
    }
  }

  /// Lets so much time pass.
  func advance(milliseconds: Double) throws(Failure) {
    let end = clock.now + .seconds(milliseconds / 1000)
    var count = 0
    while true {
      try settle()
      let due = output.step()
      try settle()
      try check()
      guard clock.now < end else { return }
      count += 1
      guard count < 100_000 else { throw fail("looks again all the time: \(engine.snapshot.state)") }
      let next = [due, engine.deadline, end].compactMap { $0 }.min() ?? end
      clock.now = max(clock.now + .microseconds(1), next)
    }
  }
}
