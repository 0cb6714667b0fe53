public import AudioModel
internal import CAVCodec
internal import CAVFormat
internal import CMPG123

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
  fileprivate var opened: SharedLibrary {
    switch self {
    // The one that is linked.
    case .mpg123: withUnsafePointer(to: mpg123_init as @convention(c) () -> Int32) { library(UnsafeRawPointer($0)) }
    case .flac: library(UnsafeRawPointer(libFLAC))
    case .vorbis: library(UnsafeRawPointer(libvorbis))
    case .opus: library(UnsafeRawPointer(libopus))
    case .faad: library(UnsafeRawPointer(libfaad))
    case .avcodec: library(UnsafeRawPointer(libavcodec))
    case .avformat: library(UnsafeRawPointer(libavformat))
    case .amrNB: library(UnsafeRawPointer(libopencoreAMRNB))
    case .amrWB: library(UnsafeRawPointer(libopencoreAMRWB))
    }
  }

  private func library(_ functions: UnsafeRawPointer?) -> SharedLibrary {
    SharedLibrary(words.name, for: words.formats, package: words.package, functions: functions)
  }
}

extension AudioDecoders {
  /// The libraries that decode here. Opens them all, which takes some 20 ms and 20 MB. Any thread.
  public static var libraries: [SharedLibrary] { CodecLibrary.allCases.map(\.opened) }
}
