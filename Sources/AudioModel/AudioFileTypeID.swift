/// What a file format is called: the type hint of `AudioFileStream` and `AudioFile` (CONTRACTS 000-06).
public struct AudioFileTypeID: Hashable, Sendable, CustomStringConvertible {
  /// The code as Core Audio numbers it.
  public var code: FourCharCode

  /// A type by its code.
  public init(_ code: FourCharCode) { self.code = code }

  /// The four characters.
  public var description: String { code.description }

  /// MPEG audio layer III.
  public static let mp3 = AudioFileTypeID(FourCharCode("MPG3"))
  /// MPEG audio layer II.
  public static let mp2 = AudioFileTypeID(FourCharCode("MPG2"))
  /// MPEG audio layer I.
  public static let mp1 = AudioFileTypeID(FourCharCode("MPG1"))
}
