internal import AudioModel
internal import CAVCodec
internal import CAVFormat

/// The libraries that decode.
enum CodecLibrary: CaseIterable {
  case mpg123, flac, vorbis, opus, faad, avcodec, avformat, amrNB, amrWB

  /// The library's name, its formats, and Debian's name for the package.
  var words: (name: String, formats: String, package: String) {
    switch self {
    case .mpg123: ("libmpg123", "MP3, MP2, MP1", "libmpg123-0")
    case .flac: ("libFLAC", "FLAC", "libflac12")
    case .vorbis: ("libvorbis", "Vorbis", "libvorbis0a")
    case .opus: ("libopus", "Opus", "libopus0")
    case .faad: ("libfaad", "AAC", "libfaad2")
    case .avcodec:
      ("libavcodec", "AC-3, E-AC-3, AAC that libfaad does not decode", "libavcodec\(LIBAVCODEC_VERSION_MAJOR)")
    case .avformat:
      (
        "libavformat", "WMA, WavPack, Monkey's Audio, Musepack, True Audio, MPEG-TS, FLV, AVI, DSD",
        "libavformat\(LIBAVFORMAT_VERSION_MAJOR)"
      )
    case .amrNB: ("libopencore-amrnb", "AMR", "libopencore-amrnb0")
    case .amrWB: ("libopencore-amrwb", "AMR-WB", "libopencore-amrwb0")
    }
  }

  /// The library after its functions were loaded, or could not be.
  func loaded(_ library: LateLibrary<some Any>) -> SharedLibrary {
    let (functions, failure) = library.loaded()
    return loaded(functions.map { UnsafeRawPointer($0) }, failure)
  }

  /// The library, with a table of its functions or the loader's words about its failure.
  func loaded(_ functions: UnsafeRawPointer?, _ failure: String? = nil) -> SharedLibrary {
    SharedLibrary(words.name, for: words.formats, package: words.package, functions: functions, failure: failure)
  }
}

extension DecoderError {
  /// The library for a format is not installed, or cannot be loaded.
  static func missing(_ library: CodecLibrary, _ functions: LateLibrary<some Any>) -> DecoderError {
    let (name, _, package) = library.words
    return DecoderError(
      .formatNotSupported, "\(name) is \(library.loaded(functions).problem) (Debian's package \(package))")
  }
}
