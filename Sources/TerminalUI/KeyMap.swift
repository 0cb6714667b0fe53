/// Which key does what: the one place that `update` and the Help view read.
public struct KeyMap: Sendable {
  /// Keys that do the same, a row of the Help view.
  public struct Binding: Sendable, Hashable {
    /// The keys.
    public var keys: [Key]
    /// What they do.
    public var action: Action

    /// A binding.
    public init(_ keys: [Key], _ action: Action) {
      self.keys = keys
      self.action = action
    }
  }

  /// All bindings, in the order in which Help shows them.
  public let bindings: [Binding]
  private let actions: [Key: Action]

  /// A map; of two bindings for one key the later holds.
  public init(_ bindings: [Binding]) {
    self.bindings = bindings
    actions = Dictionary(bindings.flatMap { row in row.keys.map { ($0, row.action) } }) { $1 }
  }

  /// What a key does.
  public subscript(key: Key) -> Action? { actions[key] }

  /// The first key that does it, as it is written.
  func label(of action: Action) -> String? {
    bindings.first { $0.action == action && !$0.keys.isEmpty }?.keys[0].description
  }
}

extension KeyMap {
  /// The keys of the manual (UI.md section 2).
  public static let standard = KeyMap([
    Binding([" ", "p"], .togglePause),
    Binding(["c"], .pause),
    Binding(["x"], .playFromStart),
    Binding(["v", "s"], .stop),
    Binding(["b", ">"], .next),
    Binding(["z", "<"], .previous),
    Binding(["S"], .toggleShuffle),
    Binding(["r"], .cycleRepeat),
    Binding([Key(.right), "l"], .seek(5)),
    Binding([Key(.left), "h"], .seek(-5)),
    Binding([Key(.right, .shift)], .seek(1)),
    Binding([Key(.left, .shift)], .seek(-1)),
    Binding(["."], .seek(60)),
    Binding([","], .seek(-60)),
    Binding([Key(.backspace)], .undoSeek),
    Binding([Key(.tab)], .switchFocus),
    Binding(["+", "="], .volume(5)),
    Binding(["-"], .volume(-5)),
    Binding(["]"], .volume(1)),
    Binding(["["], .volume(-1)),
    Binding(["m"], .toggleMute),
    Binding([Key(.enter)], .playSelected),
    Binding(["i"], .selectPlaying),
    Binding([Key(.up), "k"], .move(.rows(-1))),
    Binding([Key(.down), "j"], .move(.rows(1))),
    Binding([Key(.pageUp), Key("b", .control)], .move(.pages(-1))),
    Binding([Key(.pageDown), Key("f", .control)], .move(.pages(1))),
    Binding([Key("u", .control)], .move(.halfPages(-1))),
    Binding([Key("d", .control)], .move(.halfPages(1))),
    Binding([Key(.home), "g"], .move(.first)),
    Binding([Key(.end), "G"], .move(.last)),
    Binding(["t"], .toggleRemaining),
    Binding(["1"], .show(.queue)),
    Binding(["5", "I"], .show(.log)),
    Binding(["?", Key(.function(1))], .show(.help)),
    Binding([Key(.escape)], .cancel),
    Binding([Key("l", .control)], .redraw),
    Binding([Key("z", .control)], .suspend),
    Binding(["q", Key("c", .control)], .quit),
    Binding(["Q"], .quitWithoutSaving),
  ])
}
