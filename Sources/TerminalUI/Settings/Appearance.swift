/// How a style looks.
public struct Appearance: Sendable, Hashable, CustomStringConvertible {
  /// What a terminal can do to a letter.
  public struct Attributes: OptionSet, Sendable, Hashable {
    /// Our own numbers.
    public let rawValue: UInt8
    /// From our own numbers.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Heavier.
    public static let bold = Attributes(rawValue: 1)
    /// Paler.
    public static let dim = Attributes(rawValue: 2)
    /// With a line under it.
    public static let underline = Attributes(rawValue: 4)
    /// Foreground and background changed.
    public static let reverse = Attributes(rawValue: 8)

    /// Their names in themes.
    static let named: [(name: String, attribute: Attributes)] = [
      ("bold", .bold), ("dim", .dim), ("underline", .underline), ("reverse", .reverse),
    ]
  }

  /// `nil` is the terminal's own.
  public var foreground: Color?
  /// As `foreground`.
  public var background: Color?
  /// What else.
  public var attributes: Attributes

  /// An appearance; what is left out is the terminal's own.
  public init(_ attributes: Attributes = [], foreground: Color? = nil, background: Color? = nil) {
    self.attributes = attributes
    self.foreground = foreground
    self.background = background
  }

  /// As themes write it: `fg=2 bg=#002b36 bold`.
  public var description: String {
    let words = [foreground.map { "fg=\($0)" }, background.map { "bg=\($0)" }].compactMap(\.self)
    let names = Attributes.named.filter { attributes.contains($0.attribute) }.map(\.name)
    return words.isEmpty && names.isEmpty ? "plain" : (words + names).joined(separator: " ")
  }
}
