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

/// A row of the table of codecs that are decoded here: their names, and what containers need to know.
package struct CarriedCodec: Sendable {
  package let id: AudioFormatID
  /// The name that people write.
  package let name: String
  /// Its IDs in Matroska (RFC 9559 27.4). One that ends with a slash is the beginning of several.
  private let matroska: [String]
  /// The types of its sample entries in MPEG-4 and QuickTime.
  private let mpeg4: [String]
  /// Its object types in MPEG-4 (ISO/IEC 14496-1 7.2.6.6).
  private let objectTypes: [UInt8]
  /// True if CAF can have it.
  private let isInCAF: Bool
  /// True if its decoder takes many packets at a time.
  package let hasRuns: Bool
  /// Frames of a packet; 0 if packets differ, or only the container can say.
  package let framesPerPacket: Int
  /// Packets before a packet that shape its sound.
  package let overlapPacketCount: Int

  private init(
    _ id: AudioFormatID, _ name: String, matroska: [String] = [], mpeg4: [String] = [], objectTypes: [UInt8] = [],
    isInCAF: Bool = true, hasRuns: Bool = false, frames: Int = 0, overlap: Int = 0
  ) {
    (self.id, self.name, self.matroska, self.mpeg4, self.objectTypes) = (id, name, matroska, mpeg4, objectTypes)
    (self.isInCAF, self.hasRuns, framesPerPacket, overlapPacketCount) = (isInCAF, hasRuns, frames, overlap)
  }

  package static let table: [Self] = [
    Self(.linearPCM, "PCM", hasRuns: true),
    Self(.mpegLayer1, "MP1", matroska: ["A_MPEG/L1"], frames: 384, overlap: 1),
    Self(.mpegLayer2, "MP2", matroska: ["A_MPEG/L2"], mpeg4: [".mp2"], frames: 1152, overlap: 1),
    Self(
      .mpegLayer3, "MP3", matroska: ["A_MPEG/L3"], mpeg4: [".mp3", "ms\0U"], objectTypes: [0x69, 0x6b], frames: 1152,
      overlap: 2),
    Self(.aac, "AAC", matroska: ["A_AAC", "A_AAC/"], objectTypes: [0x40, 0x66, 0x67, 0x68], overlap: 1),
    Self(.aacHE, "HE-AAC", overlap: 1),
    Self(.aacHEv2, "HE-AAC v2", overlap: 1),
    Self(.appleLossless, "ALAC", matroska: ["A_ALAC"], mpeg4: ["alac"]),
    Self(.flac, "FLAC", matroska: ["A_FLAC"], mpeg4: ["fLaC"]),
    Self(.vorbis, "Vorbis", matroska: ["A_VORBIS"], isInCAF: false),
    Self(.opus, "Opus", matroska: ["A_OPUS"], mpeg4: ["Opus"]),
    Self(.aLaw, "A-law", mpeg4: ["alaw"], hasRuns: true),
    Self(.uLaw, "mu-law", mpeg4: ["ulaw"], hasRuns: true),
    Self(.appleIMA4, "ADPCM", mpeg4: ["ima4"], hasRuns: true),
    Self(.dviIntelIMA, "ADPCM", isInCAF: false, hasRuns: true),
    Self(.microsoftADPCM, "ADPCM", isInCAF: false, hasRuns: true),
    Self(
      .ac3, "AC-3", matroska: ["A_AC3", "A_AC3/"], mpeg4: ["ac-3", "sac3"], objectTypes: [0xa5], frames: 1536,
      overlap: 1),
    Self(.enhancedAC3, "E-AC-3", matroska: ["A_EAC3"], mpeg4: ["ec-3"], objectTypes: [0xa6], frames: 1536, overlap: 1),
    Self(.amr, "AMR", mpeg4: ["samr"], frames: 160, overlap: 5),
    Self(.amrWB, "AMR-WB", mpeg4: ["sawb"], frames: 320, overlap: 5),
  ]

  /// The codec's row; `nil` for unknown ones.
  package static subscript(id: AudioFormatID) -> CarriedCodec? { table.first { $0.id == id } }

  /// Its packets, as far as a row can describe them.
  package func format(sampleRate: Double, channelCount: Int) -> AudioStreamBasicDescription {
    // Layer III of MPEG-2 has half the frames.
    let isHalf = id == .mpegLayer3 && sampleRate < 32000
    return AudioStreamBasicDescription(
      sampleRate: sampleRate, formatID: id, framesPerPacket: isHalf ? framesPerPacket / 2 : framesPerPacket,
      channelsPerFrame: channelCount)
  }

  /// By its ID in Matroska.
  package static func inMatroska(_ name: String) -> CarriedCodec? {
    table.first { $0.matroska.contains { $0 == name || $0.hasSuffix("/") && name.hasPrefix($0) } }
  }

  /// By the type of a sample entry.
  package static func inMPEG4(_ type: String) -> CarriedCodec? { table.first { $0.mpeg4.contains(type) } }

  package static func inMPEG4(objectType: UInt8) -> CarriedCodec? {
    table.first { $0.objectTypes.contains(objectType) }
  }

  package static func isInCAF(_ id: AudioFormatID) -> Bool { self[id]?.isInCAF == true }
}

extension AudioFormatID {
  /// The name of the codec, as people write it.
  package var name: String { CarriedCodec[self]?.name ?? description }
}
