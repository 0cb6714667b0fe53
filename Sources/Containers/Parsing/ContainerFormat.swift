internal import AudioModel

/// A row of the table of file types: its recognition, and its parser.
struct ContainerFormat: Sendable {
  /// The result of the recognition by the start of a stream (after ID3v2).
  enum Match: Equatable {
    case no
    /// The stream is of this type; parsing begins after so many bytes.
    case packets(from: Int)
    /// More bytes are needed to decide.
    case needsBytes(Int)
  }

  /// For messages.
  var name: String
  /// Types that a hint may name.
  var types: [AudioFileTypeID]
  /// True if these bytes are of this type.
  var match: @Sendable (RawSpan, _ isLast: Bool) throws(ContainerError) -> Match
  /// A parser for it; `nil` if libavformat reads it.
  var makeParser: (@Sendable () -> any ContainerParser)?

  /// The number of bytes after the tags at the start within which the type is decided.
  static let probeByteCount = 0x10000
}

extension ContainerFormat {
  /// A type that begins with certain characters.
  init(
    marked mark: StaticString, at index: Int = 0, name: String, types: [AudioFileTypeID],
    makeParser: (@Sendable () -> any ContainerParser)? = nil
  ) {
    self.init(
      name: name, types: types,
      match: { bytes, isLast throws(ContainerError) in
        let end = index + mark.utf8CodeUnitCount
        if bytes.byteCount < end { return isLast ? .no : .needsBytes(end) }
        return bytes.has(mark, at: index) ? .packets(from: 0) : .no
      }, makeParser: makeParser)
  }
}
