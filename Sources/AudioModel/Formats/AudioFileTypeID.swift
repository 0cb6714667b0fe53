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

extension AudioFileTypeID {
  /// A row of the table of types: the names of a type elsewhere. The first extension and MIME type are the usual ones.
  package struct Row: Sendable {
    package let type: AudioFileTypeID
    /// The name that people write.
    fileprivate let name: String
    package let extensions: [String]
    fileprivate let mimeTypes: [String]
    fileprivate let uniformType: String?

    fileprivate init(
      _ type: AudioFileTypeID, _ name: String, _ extensions: [String] = [], mimeTypes: [String] = [],
      uniformType: String? = nil
    ) {
      (self.type, self.name, self.extensions) = (type, name, extensions)
      (self.mimeTypes, self.uniformType) = (mimeTypes, uniformType)
    }
  }

  package static let table: [Row] = {
    let mpeg = ["audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mpeg3", "audio/x-mpeg"]
    let mpeg4 = ["audio/mp4", "audio/m4a", "audio/x-m4a", "video/mp4"]
    let wave = ["wav", "wave", "bwf"]
    let waveTypes = ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"]
    let waveform = "com.microsoft.waveform-audio"
    return [
      Row(.mp3, "MP3", ["mp3"], mimeTypes: mpeg, uniformType: "public.mp3"),
      Row(.mp2, "MP2", ["mp2"], mimeTypes: mpeg),
      Row(.mp1, "MP1", ["mp1"], mimeTypes: mpeg),
      Row(
        .adts, "AAC (ADTS)", ["aac", "adts"], mimeTypes: ["audio/aac", "audio/aacp", "audio/x-aac"],
        uniformType: "public.aac-audio"),
      Row(.loas, "AAC (LOAS)"),
      Row(.m4a, "M4A", ["m4a", "m4r"], mimeTypes: mpeg4, uniformType: "com.apple.m4a-audio"),
      Row(.m4b, "M4B", ["m4b"], mimeTypes: mpeg4),
      Row(
        .mp4, "MP4", ["mp4", "mpg4", "mov", "qt"], mimeTypes: mpeg4 + ["video/quicktime"],
        uniformType: "public.mpeg-4-audio"),
      Row(.threeGP, "3GP", ["3gp", "3gpp"], mimeTypes: ["audio/3gpp", "video/3gpp"]),
      Row(.threeGP2, "3G2", ["3g2"], mimeTypes: ["audio/3gpp2"]),
      Row(.caf, "CAF", ["caf"], mimeTypes: ["audio/x-caf"], uniformType: "com.apple.coreaudio-format"),
      Row(
        .aiff, "AIFF", ["aif", "aiff"], mimeTypes: ["audio/aiff", "audio/x-aiff"], uniformType: "public.aiff-audio"),
      Row(.aifc, "AIFF-C", ["aifc"], mimeTypes: ["audio/aiff", "audio/x-aiff"]),
      Row(.wave, "WAVE", wave, mimeTypes: waveTypes, uniformType: waveform),
      Row(.rf64, "RF64 (WAVE of more than 4 GB)", wave, mimeTypes: waveTypes, uniformType: waveform),
      Row(.wave64, "Wave64", ["w64"], mimeTypes: ["audio/x-w64"]),
      Row(.next, "AU", ["au", "snd", "ulw"], mimeTypes: ["audio/basic"], uniformType: "public.ulaw-audio"),
      Row(.ac3, "AC-3", ["ac3", "eac3", "ec3"], mimeTypes: ["audio/ac3", "audio/eac3"]),
      Row(.amr, "AMR", ["amr", "awb"], mimeTypes: ["audio/amr", "audio/amr-wb"]),
      Row(.flac, "FLAC", ["flac"], mimeTypes: ["audio/flac", "audio/x-flac"], uniformType: "org.xiph.flac"),
      Row(
        .ogg, "Ogg", ["ogg", "oga", "opus", "spx"],
        mimeTypes: [
          "audio/ogg", "application/ogg", "audio/opus", "audio/vorbis", "audio/x-opus+ogg", "audio/x-vorbis+ogg",
        ]),
      Row(
        .matroska, "Matroska", ["mka", "mkv", "mk3d"],
        mimeTypes: ["audio/matroska", "audio/x-matroska", "video/matroska", "video/x-matroska"]),
      Row(.webm, "WebM", ["webm", "weba"], mimeTypes: ["audio/webm", "video/webm"]),
      Row(.soundDesigner2, "Sound Designer II", ["sd2"]),
    ]
  }()

  /// The types for a file name extension in any case, without the dot, likeliest first; empty if it is not known.
  public static func types(forExtension fileExtension: String) -> [AudioFileTypeID] {
    let name = fileExtension.lowercased()
    return table.filter { $0.extensions.contains(name) }.map(\.type)
  }

  /// The types for a MIME type in any case, parameters allowed, likeliest first; empty if it is not known.
  public static func types(forMIMEType mimeType: String) -> [AudioFileTypeID] {
    let name = mimeType.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    return table.filter { $0.mimeTypes.contains(name) }.map(\.type)
  }

  /// The types for an identifier of Apple's (UTType), such as `public.mp3`, in any case; empty if it is not known.
  public static func types(forUniformType identifier: String) -> [AudioFileTypeID] {
    table.filter { $0.uniformType == identifier.lowercased() }.map(\.type)
  }

  /// The best guess before the bytes are seen: by MIME type, else by the extension of a URL's path; `nil` for none.
  public static func hint(mimeType: String?, url: String) -> AudioFileTypeID? {
    if let type = mimeType.flatMap({ types(forMIMEType: $0).first }) { return type }
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let name = path.suffix(from: path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)
    return name.lastIndex(of: ".").flatMap { types(forExtension: String(name[name.index(after: $0)...])).first }
  }

  /// File name extensions of this type, the usual one first.
  public var fileExtensions: [String] { row?.extensions ?? [] }

  /// MIME types of this type, the usual one first.
  public var mimeTypes: [String] { row?.mimeTypes ?? [] }

  /// Apple's identifier (UTType) of this type; `nil` if there is none.
  public var uniformType: String? { row?.uniformType }

  /// The name of the format, as people write it.
  package var name: String { row?.name ?? description }

  private var row: Row? { Self.table.first { $0.type == self } }
}
