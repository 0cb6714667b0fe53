extension String {
  /// True if nothing of it can be seen: it has only blanks, characters without a width and control characters.
  public var isBlank: Bool {
    unicodeScalars.allSatisfy { scalar in
      let properties = scalar.properties
      switch properties.generalCategory {
      case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: return true
      // Fillers and variation selectors; the braille pattern without dots.
      default: return properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
      }
    }
  }

  /// The text; `nil` if nothing of it can be seen.
  public var visible: String? { isBlank ? nil : self }
}
