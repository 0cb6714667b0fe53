/// The way to read an input.
public enum ReadingPreference: String, Sendable, Hashable, CaseIterable {
  /// `AudioFileStream` first; `AudioFile` if that fails before the first packet, or for good later on; libavformat if both
  /// do not know the type, or the coding in it.
  case auto
  /// `AudioFileStream` only.
  case stream
  /// `AudioFile` only.
  case file
  /// libavformat and libavcodec only, which count as no more than a last resort.
  case libav
}
