/// Which key does what: the one place that update and the Help view read.
public struct KeyMap: Sendable {
  /// A row of the Help view: keys that do the same.
  public struct Binding: Sendable, Hashable {
    /// The keys.
    public var keys: [Key]
    /// What they do.
    public var action: Action
    /// The same in words.
    public var help: String
  }

  /// All bindings, in the order in which Help shows them.
  public private(set) var bindings: [Binding]
  private var actions: [Key: Action] = [:]

  /// A map of its own; of two bindings for one key the later holds.
  public init(_ bindings: [Binding]) {
    self.bindings = bindings
    for binding in bindings { for key in binding.keys { actions[key] = binding.action } }
  }

  /// What a key does.
  public subscript(key: Key) -> Action? { actions[key] }
}
