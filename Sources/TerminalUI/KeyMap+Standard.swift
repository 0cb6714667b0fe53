extension KeyMap {
  /// The keys of the manual.
  public static let standard = KeyMap([])
}
