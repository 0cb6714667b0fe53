public import AudioModel

extension AudioFileTypeID {
  /// Names of a type elsewhere: the first MIME type and extension are the usual ones.
  struct Names {
    var types: [AudioFileTypeID]
    var extensions: [String]
    var mimeTypes: [String]
    var uniformType: String?
  }

  /// The types for a file name extension in any case, without the dot, likeliest first; empty if it is not known.
  public static func types(forExtension fileExtension: String) -> [AudioFileTypeID] {
    let name = fileExtension.lowercased()
    return names.filter { $0.extensions.contains(name) }.flatMap(\.types)
  }

  /// The types for a MIME type in any case, parameters allowed, likeliest first; empty if it is not known.
  public static func types(forMIMEType mimeType: String) -> [AudioFileTypeID] {
    let name = mimeType.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    return names.filter { $0.mimeTypes.contains(name) }.flatMap(\.types)
  }

  /// The types for an identifier of Apple's (UTType), such as `public.mp3`, in any case; empty if it is not known.
  public static func types(forUniformType identifier: String) -> [AudioFileTypeID] {
    names.filter { $0.uniformType == identifier.lowercased() }.flatMap(\.types)
  }

  /// The best guess before the bytes are seen: by MIME type, else by the extension of a URL's path; `nil` for none.
  public static func hint(mimeType: String?, url: String) -> AudioFileTypeID? {
    if let type = mimeType.flatMap({ types(forMIMEType: $0).first }) { return type }
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let name = path.suffix(from: path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)
    return name.lastIndex(of: ".").flatMap { types(forExtension: String(name[name.index(after: $0)...])).first }
  }

  /// Types that can be read here (kAudioFileGlobalInfo_ReadableTypes).
  public static var readableTypes: [AudioFileTypeID] {
    (ContainerFormat.synchronised(isSearching: false) + ContainerFormat.marked).filter { $0.makeParser != nil }
      .flatMap(\.types)
  }

  /// File name extensions of all that can be played: types that are read here, and those that libavformat reads.
  public static var playableExtensions: Set<String> {
    Set(readableTypes.flatMap(\.fileExtensions) + ContainerFormat.foreignExtensions)
  }

  /// File name extensions of this type, the usual one first.
  public var fileExtensions: [String] { Self.names.filter { $0.types.contains(self) }.flatMap(\.extensions) }

  /// MIME types of this type, the usual one first.
  public var mimeTypes: [String] { Self.names.filter { $0.types.contains(self) }.flatMap(\.mimeTypes) }

  /// Apple's identifier (UTType) of this type; `nil` if there is none.
  public var uniformType: String? { Self.names.first { $0.types.contains(self) }?.uniformType }

  static let names: [Names] = {
    let mpeg = ["audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mpeg3", "audio/x-mpeg"]
    let mpeg4 = ["audio/mp4", "audio/m4a", "audio/x-m4a", "video/mp4"]
    return [
      Names(types: [.mp3], extensions: ["mp3"], mimeTypes: mpeg, uniformType: "public.mp3"),
      Names(types: [.mp2], extensions: ["mp2"], mimeTypes: mpeg),
      Names(types: [.mp1], extensions: ["mp1"], mimeTypes: mpeg),
      Names(
        types: [.adts], extensions: ["aac", "adts"], mimeTypes: ["audio/aac", "audio/aacp", "audio/x-aac"],
        uniformType: "public.aac-audio"),
      Names(types: [.m4a], extensions: ["m4a", "m4r"], mimeTypes: mpeg4, uniformType: "com.apple.m4a-audio"),
      Names(types: [.m4b], extensions: ["m4b"], mimeTypes: mpeg4),
      Names(
        types: [.mp4], extensions: ["mp4", "mpg4", "mov", "qt"], mimeTypes: mpeg4 + ["video/quicktime"],
        uniformType: "public.mpeg-4-audio"),
      Names(types: [.threeGP], extensions: ["3gp", "3gpp"], mimeTypes: ["audio/3gpp", "video/3gpp"]),
      Names(types: [.threeGP2], extensions: ["3g2"], mimeTypes: ["audio/3gpp2"]),
      Names(
        types: [.caf], extensions: ["caf"], mimeTypes: ["audio/x-caf"], uniformType: "com.apple.coreaudio-format"),
      Names(
        types: [.aiff], extensions: ["aif", "aiff"], mimeTypes: ["audio/aiff", "audio/x-aiff"],
        uniformType: "public.aiff-audio"),
      Names(types: [.aifc], extensions: ["aifc"], mimeTypes: ["audio/aiff", "audio/x-aiff"]),
      Names(
        types: [.wave, .rf64], extensions: ["wav", "wave", "bwf"],
        mimeTypes: ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"],
        uniformType: "com.microsoft.waveform-audio"),
      Names(types: [.wave64], extensions: ["w64"], mimeTypes: ["audio/x-w64"]),
      Names(
        types: [.next], extensions: ["au", "snd", "ulw"], mimeTypes: ["audio/basic"], uniformType: "public.ulaw-audio"),
      Names(types: [.ac3], extensions: ["ac3", "eac3", "ec3"], mimeTypes: ["audio/ac3", "audio/eac3"]),
      Names(types: [.amr], extensions: ["amr", "awb"], mimeTypes: ["audio/amr", "audio/amr-wb"]),
      Names(
        types: [.flac], extensions: ["flac"], mimeTypes: ["audio/flac", "audio/x-flac"], uniformType: "org.xiph.flac"),
      Names(
        types: [.ogg], extensions: ["ogg", "oga", "opus", "spx"],
        mimeTypes: ["audio/ogg", "application/ogg", "audio/opus", "audio/vorbis"]),
      Names(
        types: [.matroska], extensions: ["mka", "mkv", "mk3d"],
        mimeTypes: ["audio/matroska", "audio/x-matroska", "video/matroska", "video/x-matroska"]),
      Names(types: [.webm], extensions: ["webm", "weba"], mimeTypes: ["audio/webm", "video/webm"]),
      Names(types: [.soundDesigner2], extensions: ["sd2"], mimeTypes: []),
    ]
  }()
}
