public import AudioModel
internal import CGlibcExtras
internal import CMPG123
internal import Glibc

extension CodecLibrary {
  /// Loads the library, and returns the result.
  var opened: SharedLibrary {
    switch self {
    // The one that is linked.
    case .mpg123:
      withUnsafePointer(to: mpg123_init as @convention(c) () -> Int32) { loaded(UnsafeRawPointer($0)) }
    case .flac: loaded(libFLAC)
    case .vorbis: loaded(libvorbis)
    case .opus: loaded(libopus)
    case .faad: loaded(libfaad)
    case .avcodec: loaded(libavcodec)
    case .avformat: loaded(libavformat)
    case .amrNB: loaded(libopencoreAMRNB)
    case .amrWB: loaded(libopencoreAMRWB)
    }
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
