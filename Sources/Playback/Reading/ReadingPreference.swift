/// Which driver of the parsers is to read an input (DESIGN section 1).
public enum ReadingPreference: String, Sendable, Hashable, CaseIterable {
  /// `AudioFileStream` first; `AudioFile` if that fails before the first packet, or for good later on.
  case auto
  /// `AudioFileStream` only.
  case stream
  /// `AudioFile` only.
  case file
}
