public import Cells
internal import Playback
public import Commands

/// The bindings of keys to actions, for `update` and the Help view.
public struct KeyMap: Sendable, Hashable {
  /// The keys of one action, a row of the Help view.
  public struct Binding: Sendable, Hashable {
    public var keys: [KeySequence]
    public var action: Action

    public init(_ keys: [Key], _ action: Action) {
      self.keys = keys.map { KeySequence($0) }
      self.action = action
    }

    public init(_ keys: [Key], player command: Command) { self.init(keys, .player(command)) }
  }

  /// The meaning of the keys pressed so far.
  enum Match: Equatable {
    /// This action; more keys may have another meaning.
    case action(Action, mayGoOn: Bool)
    /// More keys are needed.
    case beginning
    case nothing
  }

  /// All bindings, in the order in which Help shows them.
  public private(set) var bindings: [Binding] = []
  private var actions: [KeySequence: Action] = [:]
  /// The few bindings of several keys.
  private var longSequences: [KeySequence] = []

  /// A map; the later one of two bindings for a key wins.
  public init(_ bindings: [Binding]) {
    self.bindings = bindings
    for binding in bindings { for sequence in binding.keys { note(sequence, binding.action) } }
  }

  private mutating func note(_ sequence: KeySequence, _ action: Action) {
    actions[sequence] = action
    if sequence.keys.count > 1 { longSequences.append(sequence) }
  }

  func match(_ keys: [Key]) -> Match {
    guard let sequence = KeySequence(keys) else { return .nothing }
    let mayGoOn = longSequences.contains { $0.keys.count > keys.count && $0.keys.starts(with: keys) }
    if let action = actions[sequence] { return .action(action, mayGoOn: mayGoOn) }
    return mayGoOn ? .beginning : .nothing
  }

  /// Binds keys to an action, in addition to its other keys.
  public mutating func bind(_ sequence: KeySequence, to action: Action) {
    unbind(sequence)
    note(sequence, action)
    if let row = bindings.firstIndex(where: { $0.action == action }) {
      bindings[row].keys.append(sequence)
    } else {
      var binding = Binding([], action)
      binding.keys = [sequence]
      bindings.append(binding)
    }
  }

  /// Unbinds keys. Returns false if they were not bound.
  @discardableResult
  public mutating func unbind(_ sequence: KeySequence) -> Bool {
    guard let action = actions.removeValue(forKey: sequence) else { return false }
    for row in bindings.indices where bindings[row].action == action {
      bindings[row].keys.removeAll { $0 == sequence }
    }
    longSequences.removeAll { $0 == sequence }
    return true
  }

  /// The action of exactly these keys; `nil` if they are not bound.
  func action(of sequence: KeySequence) -> Action? { actions[sequence] }

  /// Moves these keys before the other keys of their action.
  mutating func putFirst(_ sequences: Set<KeySequence>) {
    for row in bindings.indices {
      let keys = bindings[row].keys
      bindings[row].keys = keys.filter(sequences.contains) + keys.filter { !sequences.contains($0) }
    }
  }

  /// The first key of an action, as text.
  func label(of action: Action) -> String? {
    bindings.first { $0.action == action && !$0.keys.isEmpty }?.keys[0].description
  }

  /// The first keys of actions, with words for them. Actions without a key are left out.
  func hints(_ hints: [(action: Action, word: String)]) -> [(key: String, word: String)] {
    hints.compactMap { hint in label(of: hint.action).map { ($0, hint.word) } }
  }
}

extension KeyMap {
  /// The default keys, as in the manual.
  public static let standard = KeyMap(
    playing + ScreenView.allCases.map { Binding($0.row.keys, .show($0)) } + leaving)

  private static let playing = [
    Binding([" ", "p", "c"], player: .togglePause),
    Binding(["x"], player: .playFromStart),
    Binding(["v", "s"], player: .playback(.stop)),
    Binding(["b", ">"], player: .next),
    Binding(["z", "<"], player: .previous),
    Binding(["S"], player: .toggleShuffle),
    Binding(["r"], player: .cycleRepeat),
    Binding(["X"], player: .stopAfter(nil)),
    Binding([Key(.right), "l"], player: .playback(.seekBy(5))),
    Binding([Key(.left), "h"], player: .playback(.seekBy(-5))),
    Binding([Key(.right, .shift)], player: .playback(.seekBy(1))),
    Binding([Key(.left, .shift)], player: .playback(.seekBy(-1))),
    Binding(["."], player: .playback(.seekBy(60))),
    Binding([","], player: .playback(.seekBy(-60))),
    Binding([Key(.backspace)], .undoSeek),
    Binding(["L"], player: .goLive),
    Binding([")"], player: .seekChapter(1)),
    Binding(["("], player: .seekChapter(-1)),
    Binding(["'"], .mark(.cycle)),
    Binding([Key(.tab)], .switchFocus),
    Binding(["+", "="], player: .changeVolume(by: 0.05)),
    Binding(["-", "_"], player: .changeVolume(by: -0.05)),
    Binding(["]"], player: .changeVolume(by: 0.01)),
    Binding(["["], player: .changeVolume(by: -0.01)),
    Binding(["m"], player: .toggleMute),
    Binding([Key(.enter)], .playSelected),
    Binding([Key(.enter, .alt)], player: .find([], .whole, in: nil)),
    Binding(["i"], .selectPlaying),
    Binding(["a"], player: .find([], .turn(.end), in: nil)),
    Binding(["e"], player: .find([], .turn(.enqueued), in: nil)),
    Binding(["E"], player: .find([], .turn(.next), in: nil)),
    Binding(["d", Key(.delete)], .remove),
    Binding(["J"], .moveTrack(1)),
    Binding(["K"], .moveTrack(-1)),
    Binding(["O"], .prompt("sort")),
    Binding(["M", Key(.insert), Key(.down, .shift)], .markRow(1)),
    Binding([Key(.up, .shift)], .markRow(-1)),
    Binding(["V"], .markRange),
    Binding([Key("a", .control)], .markAll),
    Binding(["A"], .markAlbum),
    Binding(["B"], .keepStream(nil, title: nil)),
    Binding(["R"], .prompt("rename")),
    Binding(["P"], .prompt("playlist add")),
    Binding(["W"], .prompt("playlist save")),
    Binding(["*"], .prompt("rate")),
    Binding(["H"], player: .library(.rate(.toggleLove, []))),
    Binding(["u"], player: .undo),
    Binding([Key("r", .control)], player: .redo),
    Binding([Key(.up), "k"], .move(.rows(-1))),
    Binding([Key(.down), "j"], .move(.rows(1))),
    Binding([Key(.pageUp), Key("b", .control)], .move(.pages(-1))),
    Binding([Key(.pageDown), Key("f", .control)], .move(.pages(1))),
    Binding([Key("u", .control)], .move(.halfPages(-1))),
    Binding([Key("d", .control)], .move(.halfPages(1))),
    Binding([Key(.home), "g"], .move(.first)),
    Binding([Key(.end), "G"], .move(.last)),
    Binding(["/"], .search(nil)),
    Binding(["n"], .searchNext),
    Binding(["N"], .searchPrevious),
    Binding(["f"], .filter(nil)),
    Binding([";"], .jump(nil)),
    Binding([":"], .prompt("")),
    Binding(["o"], .prompt("open")),
    Binding(["t"], .toggleRemaining),
    Binding(["w"], .cycleVisualizer),
    Binding([Key(".", .alt)], .toggleAllFiles),
  ]

  private static let leaving = [
    Binding([Key(.escape)], .cancel),
    Binding([Key("l", .control)], .redraw),
    Binding([Key("z", .control)], .suspend),
    Binding(["q", Key("c", .control)], player: .quit(savesSession: true)),
  ]

  /// Default keys of earlier versions, and what they did.
  static let former: [KeySequence: Action] = [
    "\"": .mark(.b), "\\": .mark(.clear), "D": .removeAlbum, "Q": .player(.quit(savesSession: false)),
    "Z": .togglePanes, KeySequence(Key("X", .alt)): .player(.stopAfter(.album)),
    KeySequence(Key("J", .alt)): .moveAlbum(1), KeySequence(Key("K", .alt)): .moveAlbum(-1),
  ]
}
