/// The name of a codec: `mFormatID` of an `AudioStreamBasicDescription`.
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
  /// AAC, low complexity.
  public static let aac = AudioFormatID(FourCharCode("aac "))
  /// AAC with spectral band replication (HE-AAC).
  public static let aacHE = AudioFormatID(FourCharCode("aach"))
  /// AAC with spectral band replication and parametric stereo (HE-AAC v2).
  public static let aacHEv2 = AudioFormatID(FourCharCode("aacp"))
  /// Apple Lossless.
  public static let appleLossless = AudioFormatID(FourCharCode("alac"))
  /// FLAC.
  public static let flac = AudioFormatID(FourCharCode("flac"))
  /// Vorbis.
  public static let vorbis = AudioFormatID(FourCharCode("vorb"))
  /// Opus.
  public static let opus = AudioFormatID(FourCharCode("opus"))
  /// G.711 A-law.
  public static let aLaw = AudioFormatID(FourCharCode("alaw"))
  /// G.711 mu-law.
  public static let uLaw = AudioFormatID(FourCharCode("ulaw"))
  /// IMA 4:1 ADPCM as QuickTime, AIFC and CAF lay it out.
  public static let appleIMA4 = AudioFormatID(FourCharCode("ima4"))
  /// IMA ADPCM as WAVE lays it out (format tag 0x11).
  public static let dviIntelIMA = AudioFormatID(FourCharCode("ms\0\u{11}"))
  /// Microsoft ADPCM (format tag 2).
  public static let microsoftADPCM = AudioFormatID(FourCharCode("ms\0\u{2}"))
  /// Dolby AC-3.
  public static let ac3 = AudioFormatID(FourCharCode("ac-3"))
  /// Dolby E-AC-3.
  public static let enhancedAC3 = AudioFormatID(FourCharCode("ec-3"))
  /// AMR narrow band.
  public static let amr = AudioFormatID(FourCharCode("samr"))
  /// AMR wide band.
  public static let amrWB = AudioFormatID(FourCharCode("sawb"))
}
