public import AudioModel
internal import CAVCodec
internal import CAVFormat
internal import CGlibcExtras
internal import CMPG123
internal import Glibc

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

  /// Loads the library, and returns the result.
  var opened: SharedLibrary {
    switch self {
    // The one that is linked.
    case .mpg123:
      withUnsafePointer(to: mpg123_init as @convention(c) () -> Int32) { library((UnsafeRawPointer($0), nil)) }
    case .flac: library(Self.outcome(libFLAC))
    case .vorbis: library(Self.outcome(libvorbis))
    case .opus: library(Self.outcome(libopus))
    case .faad: library(Self.outcome(libfaad))
    case .avcodec: library(Self.outcome(libavcodec))
    case .avformat: library(Self.outcome(libavformat))
    case .amrNB: library(Self.outcome(libopencoreAMRNB))
    case .amrWB: library(Self.outcome(libopencoreAMRWB))
    }
  }

  private static func outcome(_ library: LateLibrary<some Any>) -> (functions: UnsafeRawPointer?, failure: String?) {
    let (functions, failure) = library.loaded()
    return (UnsafeRawPointer(functions), failure)
  }

  private func library(_ outcome: (functions: UnsafeRawPointer?, failure: String?)) -> SharedLibrary {
    SharedLibrary(
      words.name, for: words.formats, package: words.package, functions: outcome.functions, failure: outcome.failure)
  }
}

extension AudioDecoders {
  /// The libraries that decode here. Opens them all, which takes some 20 ms and 20 MB. Any thread.
  public static var libraries: [SharedLibrary] { CodecLibrary.allCases.map(\.opened) }

  /// Names the library that reads the formats without a parser of our own: its file, with size and time. `none` if it
  /// cannot be loaded. Any thread.
  ///
  /// - Parameter former: An earlier name. While its file is the same, the library need not be loaded.
  public static func foreignReader(since former: String?) -> String {
    // A path with a space does no more than load the library.
    if let former, let file = former.split(separator: " ").first, stamped(String(file)) == former { return former }
    var information = segue_dl_info()
    guard let address = CodecLibrary.avformat.opened.address,
      segue_dladdr(UnsafeRawPointer(bitPattern: address), &information) != 0, let file = information.file
    else { return "none" }
    return stamped(String(cString: file)) ?? "none"
  }

  private static func stamped(_ file: String) -> String? {
    var status = stat()
    guard stat(file, &status) == 0 else { return nil }
    return "\(file) \(status.st_size) \(status.st_mtim.tv_sec)"
  }
}
