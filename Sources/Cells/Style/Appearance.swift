public struct Appearance: Sendable, Hashable, CustomStringConvertible {
  public struct Attributes: OptionSet, Sendable, Hashable {
    /// The bits, in no terminal's order.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let bold = Attributes(rawValue: 1)
    public static let dim = Attributes(rawValue: 2)
    public static let underline = Attributes(rawValue: 4)
    /// Foreground and background swapped.
    public static let reverse = Attributes(rawValue: 8)

    /// The names of attributes in themes.
    package static let named: [(name: String, attribute: Attributes)] = [
      ("bold", .bold), ("dim", .dim), ("underline", .underline), ("reverse", .reverse),
    ]
  }

  /// The colour of the text; `nil` for the terminal's own.
  public var foreground: Color?
  /// The colour of the background; `nil` for the terminal's own.
  public var background: Color?
  public var attributes: Attributes

  /// An appearance. Omitted parts are the terminal's own.
  public init(_ attributes: Attributes = [], foreground: Color? = nil, background: Color? = nil) {
    self.attributes = attributes
    self.foreground = foreground
    self.background = background
  }

  /// The form in themes: `fg=2 bg=#002b36 bold`.
  public var description: String {
    let words = [foreground.map { "fg=\($0)" }, background.map { "bg=\($0)" }].compactMap(\.self)
    let names = Attributes.named.filter { attributes.contains($0.attribute) }.map(\.name)
    return words.isEmpty && names.isEmpty ? "plain" : (words + names).joined(separator: " ")
  }
}
