/// The choice of a reader for an input.
public enum ReadingPreference: String, Sendable, Hashable, CaseIterable {
  /// `AudioFileStream` first; `AudioFile` if it fails; libavformat if no parser knows the type, or no decoder the
  /// coding.
  case auto
  /// `AudioFileStream` only.
  case stream
  /// `AudioFile` only.
  case file
  /// libavformat and libavcodec only.
  case libav
}
