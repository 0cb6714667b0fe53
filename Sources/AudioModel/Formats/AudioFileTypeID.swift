/// The name of a file format: the type hint of `AudioFileStream` and `AudioFile`.
public struct AudioFileTypeID: Hashable, Sendable, CustomStringConvertible {
  /// The code as Core Audio numbers it.
  public var code: FourCharCode

  /// A type by its code.
  public init(_ code: FourCharCode) { self.code = code }

  /// The four characters.
  public var description: String { code.description }

  /// AIFF.
  public static let aiff = AudioFileTypeID(FourCharCode("AIFF"))
  /// AIFF-C.
  public static let aifc = AudioFileTypeID(FourCharCode("AIFC"))
  /// RIFF WAVE.
  public static let wave = AudioFileTypeID(FourCharCode("WAVE"))
  /// WAVE with 64-bit sizes.
  public static let rf64 = AudioFileTypeID(FourCharCode("RF64"))
  /// Wave64, Sony's WAVE with 64-bit sizes.
  public static let wave64 = AudioFileTypeID(FourCharCode("W64f"))
  /// Sound Designer II.
  public static let soundDesigner2 = AudioFileTypeID(FourCharCode("Sd2f"))
  /// NeXT or Sun, `.au` and `.snd`.
  public static let next = AudioFileTypeID(FourCharCode("NeXT"))
  /// MPEG audio layer III.
  public static let mp3 = AudioFileTypeID(FourCharCode("MPG3"))
  /// MPEG audio layer II.
  public static let mp2 = AudioFileTypeID(FourCharCode("MPG2"))
  /// MPEG audio layer I.
  public static let mp1 = AudioFileTypeID(FourCharCode("MPG1"))
  /// Dolby AC-3.
  public static let ac3 = AudioFileTypeID(FourCharCode("ac-3"))
  /// AAC in an ADTS stream.
  public static let adts = AudioFileTypeID(FourCharCode("adts"))
  /// AAC in a LOAS stream.
  public static let loas = AudioFileTypeID(FourCharCode("loas"))
  /// MPEG-4.
  public static let mp4 = AudioFileTypeID(FourCharCode("mp4f"))
  /// MPEG-4, audio alone.
  public static let m4a = AudioFileTypeID(FourCharCode("m4af"))
  /// MPEG-4, a book.
  public static let m4b = AudioFileTypeID(FourCharCode("m4bf"))
  /// Core Audio Format.
  public static let caf = AudioFileTypeID(FourCharCode("caff"))
  /// 3GPP.
  public static let threeGP = AudioFileTypeID(FourCharCode("3gpp"))
  /// 3GPP2.
  public static let threeGP2 = AudioFileTypeID(FourCharCode("3gp2"))
  /// AMR.
  public static let amr = AudioFileTypeID(FourCharCode("amrf"))
  /// FLAC.
  public static let flac = AudioFileTypeID(FourCharCode("flac"))
  /// Ogg: Vorbis, Opus or FLAC. The stack has no such type; the code is ours.
  public static let ogg = AudioFileTypeID(FourCharCode("OggS"))
  /// Matroska. The stack has no such type; the code is ours.
  public static let matroska = AudioFileTypeID(FourCharCode("mkv "))
  /// WebM, which is Matroska for the web. The code is ours.
  public static let webm = AudioFileTypeID(FourCharCode("webm"))
}
