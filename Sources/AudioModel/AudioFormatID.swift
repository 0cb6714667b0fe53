/// What a codec is called: `mFormatID` of an `AudioStreamBasicDescription`.
public struct AudioFormatID: Hashable, Sendable, CustomStringConvertible {
  /// The code as Core Audio numbers it.
  public var code: FourCharCode

  /// A format by its code.
  public init(_ code: FourCharCode) { self.code = code }

  /// The four characters.
  public var description: String { code.description }

  /// Linear PCM.
  public static let linearPCM = AudioFormatID(FourCharCode("lpcm"))
  /// MPEG-1, 2 or 2.5 layer I.
  public static let mpegLayer1 = AudioFormatID(FourCharCode(".mp1"))
  /// MPEG-1, 2 or 2.5 layer II.
  public static let mpegLayer2 = AudioFormatID(FourCharCode(".mp2"))
  /// MPEG-1, 2 or 2.5 layer III.
  public static let mpegLayer3 = AudioFormatID(FourCharCode(".mp3"))
}
