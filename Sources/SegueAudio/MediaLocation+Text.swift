extension MediaLocation {
  /// A path, or an address that begins with a scheme, as on a command line.
  public init(_ text: String) {
    self = text.prefix { $0 != ":" }.count < text.count && text.contains("://") ? .url(text) : .file(BytePath(text))
  }
}
