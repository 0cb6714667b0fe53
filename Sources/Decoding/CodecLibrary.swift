public import AudioModel
internal import CAVCodec
internal import CMPG123

/// The libraries that decode.
enum CodecLibrary: CaseIterable {
  case mpg123, flac, vorbis, opus, faad, avcodec, amrNB, amrWB

  /// What it is called.
  var name: String {
    switch self {
    case .mpg123: "libmpg123"
    case .flac: "libFLAC"
    case .vorbis: "libvorbis"
    case .opus: "libopus"
    case .faad: "libfaad"
    case .avcodec: "libavcodec"
    case .amrNB: "libopencore-amrnb"
    case .amrWB: "libopencore-amrwb"
    }
  }

  /// What it decodes.
  var formats: String {
    switch self {
    case .mpg123: "MP3, MP2, MP1"
    case .flac: "FLAC"
    case .vorbis: "Vorbis"
    case .opus: "Opus"
    case .faad: "AAC"
    case .avcodec: "AC-3, E-AC-3"
    case .amrNB: "AMR"
    case .amrWB: "AMR-WB"
    }
  }

  /// What Debian calls it.
  var package: String {
    switch self {
    case .mpg123: "libmpg123-0"
    case .flac: "libflac12"
    case .vorbis: "libvorbis0a"
    case .opus: "libopus0"
    case .faad: "libfaad2"
    case .avcodec: "libavcodec\(LIBAVCODEC_VERSION_MAJOR)"
    case .amrNB: "libopencore-amrnb0"
    case .amrWB: "libopencore-amrwb0"
    }
  }

  /// Opens it, and says what came of it.
  fileprivate var opened: SharedLibrary {
    let functions: UnsafeRawPointer? =
      switch self {
      case .mpg123: nil
      case .flac: UnsafeRawPointer(libFLAC)
      case .vorbis: UnsafeRawPointer(libvorbis)
      case .opus: UnsafeRawPointer(libopus)
      case .faad: UnsafeRawPointer(libfaad)
      case .avcodec: UnsafeRawPointer(libavcodec)
      case .amrNB: UnsafeRawPointer(libopencoreAMRNB)
      case .amrWB: UnsafeRawPointer(libopencoreAMRWB)
      }
    // The one that is linked.
    if self == .mpg123 {
      let function: @convention(c) () -> Int32 = mpg123_init
      return withUnsafePointer(to: function) {
        SharedLibrary(name, for: formats, package: package, functions: UnsafeRawPointer($0))
      }
    }
    return SharedLibrary(name, for: formats, package: package, functions: functions)
  }
}

extension AudioDecoders {
  /// The libraries that decode here. Opens them all, which takes some 20 ms and 20 MB. Any thread.
  public static var libraries: [SharedLibrary] { CodecLibrary.allCases.map(\.opened) }
}
